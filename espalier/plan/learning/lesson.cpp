// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/lesson.hpp"

#include <limits>

#include "espalier/base/format.hpp"

namespace espalier::plan {
namespace {

using Json = nlohmann::json;

std::string reason_of(Lesson const& lesson) {
  std::string const times = formatted(
      "native {:.4g} us, {} pairs of calls", lesson.native_seconds * 1e6, lesson.num_pairs
  );
  return lesson.algorithm == "native"
             ? "learned while a program ran: nothing that was tried is faster than " + times
             : formatted(
                   "learned while a program ran: {:.3g} times as fast, {:.4g} us for {}",
                   lesson.native_seconds / lesson.seconds,
                   lesson.seconds * 1e6,
                   times
               );
}

}  // namespace

Json rule_of(Lesson const& lesson) {
  Json rule = {
      {"algorithm", lesson.algorithm},
      {"reason", reason_of(lesson)},
      {"learned",
       {{"native_seconds", lesson.native_seconds},
        {"seconds", lesson.seconds},
        {"num_pairs", lesson.num_pairs}}},
  };
  set_members(rule, lesson.kind);
  return rule;
}

Json to_json(Lesson const& lesson) {
  Json object = {
      {"algorithm", lesson.algorithm},
      {"native_seconds", lesson.native_seconds},
      {"seconds", lesson.seconds},
      {"num_pairs", lesson.num_pairs},
  };
  set_members(object, lesson.kind);
  return object;
}

Lesson lesson_from_json(Field const& object) {
  return {
      .kind = kind_from_members(object),
      .algorithm = object.at("algorithm").text(),
      .native_seconds = object.at("native_seconds").number(0),
      .seconds = object.at("seconds").number(0),
      .num_pairs =
          static_cast<int>(object.at("num_pairs").integer(0, std::numeric_limits<int>::max())),
  };
}

}  // namespace espalier::plan
