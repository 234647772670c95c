// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/lesson.hpp"

#include <limits>

#include <nlohmann/json.hpp>

#include "espalier/base/format.hpp"

namespace espalier::plan {
namespace {

using Json = nlohmann::json;

std::string time_text(double seconds) {
  double const microseconds = seconds * 1e6;
  if (microseconds < 1e3) {
    return formatted("{:.4g} us", microseconds);
  }
  return microseconds < 1e6 ? formatted("{:.4g} ms", microseconds / 1e3)
                            : formatted("{:.4g} s", seconds);
}

std::string reason_of(Lesson const& lesson) {
  std::string const native = time_text(lesson.native_seconds);
  std::string const times = lesson.algorithm == "native"
                                ? "nothing that was tried is faster than native " + native
                                : formatted(
                                      "{:.3g} times as fast, {} for native {}",
                                      lesson.native_seconds / lesson.seconds,
                                      time_text(lesson.seconds),
                                      native
                                  );
  return formatted("learned while a program ran: {}, {} pairs of calls", times, lesson.num_pairs);
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
