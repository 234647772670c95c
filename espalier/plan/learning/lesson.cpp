// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/lesson.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {
namespace {

using Json = nlohmann::json;

std::string reason_of(Lesson const& lesson) {
  std::string const times = fmt::format(
      "native {:.4g} us, {} pairs of calls", lesson.native_seconds * 1e6, lesson.num_pairs
  );
  return lesson.algorithm == "native"
             ? "learned while a program ran: nothing that was tried is faster than " + times
             : fmt::format(
                   "learned while a program ran: {:.3g} times as fast, {:.4g} us for {}",
                   lesson.native_seconds / lesson.seconds,
                   lesson.seconds * 1e6,
                   times
               );
}

Json rule_of(Lesson const& lesson) {
  return {
      {"collective", profile::to_string(lesson.call)},
      {"num_ranks", lesson.shape.num_ranks},
      {"num_nodes", lesson.shape.num_nodes},
      {"min_bytes", lesson.min_bytes},
      {"max_bytes", lesson.max_bytes ? Json(*lesson.max_bytes) : Json(nullptr)},
      {"algorithm", lesson.algorithm},
      {"reason", reason_of(lesson)},
  };
}

/// Whether a rule and a lesson speak of a common call.
bool overlap(Json const& rule, Json const& other) {
  bool const is_same = rule.at("collective") == other.at("collective") &&
                       rule.at("num_ranks") == other.at("num_ranks") &&
                       rule.at("num_nodes") == other.at("num_nodes");
  auto const begins_within = [](Json const& inner, Json const& outer) {
    return outer.at("max_bytes").is_null() || inner.at("min_bytes") <= outer.at("max_bytes");
  };
  return is_same && begins_within(rule, other) && begins_within(other, rule);
}

Json parse(std::string_view document, std::string_view origin, std::string_view vendor) {
  profile::Profile::parse(document, origin)
      .require_vendor(vendor, origin, "name another file in ESPALIER_MEMORY");
  return parse_json(document, origin);
}

}  // namespace

SizeInterval lesson_sizes(profile::Call call, std::int64_t bytes) noexcept {
  if (!profile::has_known_size(call)) {
    return {};
  }
  std::size_t const size = size_class(bytes);
  return {.min_bytes = min_bytes_of(size), .max_bytes = max_bytes_of(size)};
}

std::string to_bytes(std::span<Lesson const> lessons) {
  Json list = Json::array();
  for (Lesson const& lesson : lessons) {
    list.push_back(
        {static_cast<int>(lesson.call),
         lesson.shape.num_ranks,
         lesson.shape.num_nodes,
         lesson.min_bytes,
         lesson.max_bytes ? Json(*lesson.max_bytes) : Json(nullptr),
         lesson.algorithm,
         lesson.native_seconds,
         lesson.seconds,
         lesson.num_pairs}
    );
  }
  std::string bytes;
  Json::to_cbor(list, bytes);
  return bytes;
}

std::vector<Lesson> lessons_from_bytes(std::string_view bytes) {
  try {
    std::vector<Lesson> lessons;
    for (Json const& entry : Json::from_cbor(bytes)) {
      lessons.push_back({
          .call = profile::all_calls.at(entry.at(0).get<std::size_t>()),
          .shape = {.num_ranks = entry.at(1).get<int>(), .num_nodes = entry.at(2).get<int>()},
          .min_bytes = entry.at(3).get<std::int64_t>(),
          .max_bytes =
              entry.at(4).is_null() ? std::nullopt : std::optional(entry.at(4).get<std::int64_t>()),
          .algorithm = entry.at(5).get<std::string>(),
          .native_seconds = entry.at(6).get<double>(),
          .seconds = entry.at(7).get<double>(),
          .num_pairs = entry.at(8).get<int>(),
      });
    }
    return lessons;
  } catch (std::exception const&) {
    throw Error(
        ErrorCode::format,
        "expected lessons of another rank, got " + std::to_string(bytes.size()) +
            " bytes of something else"
    );
  }
}

std::string with_lessons(
    std::string_view document,
    std::string_view origin,
    std::span<Lesson const> lessons,
    std::string_view vendor,
    std::string_view library_version
) {
  Json profile =
      document.empty()
          ? Json{{"schema", profile::Profile::schema}, {"version", profile::Profile::version}, {"rules", Json::array()}}
          : parse(document, origin, vendor);
  profile["mpi"] = {{"vendor", vendor}, {"version", library_version}};
  Json& rules = profile.at("rules");
  for (Lesson const& lesson : lessons) {
    Json const rule = rule_of(lesson);
    auto const kept = std::remove_if(rules.begin(), rules.end(), [&](Json const& old) {
      return overlap(old, rule);
    });
    rules.erase(kept, rules.end());
    rules.push_back(rule);
  }
  return profile.dump(1) + "\n";
}

}  // namespace espalier::plan
