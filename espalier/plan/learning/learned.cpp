// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/learned.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/base/json_text.hpp"
#include "espalier/base/mpi_library.hpp"
#include "espalier/learn/standings.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {
namespace {

using Json = nlohmann::json;

/// Kinds of calls whose trials a file keeps: those with most at stake.
constexpr std::size_t most_kinds = 200;

/// Whether two objects with the members of a kind of calls speak of a common call.
bool overlap(Json const& rule, Json const& other) {
  bool const is_same = rule.at("collective") == other.at("collective") &&
                       rule.at("num_ranks") == other.at("num_ranks") &&
                       rule.at("num_nodes") == other.at("num_nodes") &&
                       rule.value("placement", "") == other.value("placement", "") &&
                       rule.value("topology", "") == other.value("topology", "") &&
                       rule.value("max_neighbors", 0) == other.value("max_neighbors", 0);
  auto const begins_within = [](Json const& inner, Json const& outer) {
    return outer.at("max_bytes").is_null() || inner.at("min_bytes") <= outer.at("max_bytes");
  };
  return is_same && begins_within(rule, other) && begins_within(other, rule);
}

Json parse(std::string_view document, std::string_view origin, std::string_view vendor) {
  Json parsed = parse_json(document, origin);
  profile::Profile::from_json(parsed, origin, profile::Unknown::left_out)
      .require_vendor(vendor, origin, "name another file in ESPALIER_MEMORY");
  return parsed;
}

/// Removes the rules for these calls. @param object  with the members of a kind of calls
void forget_rules(Json& rules, Json const& object) {
  auto const kept = std::remove_if(rules.begin(), rules.end(), [&](Json const& rule) {
    return overlap(rule, object);
  });
  rules.erase(kept, rules.end());
}

/// Returns whether it is news that another algorithm is faster than the native call.
bool set_rule(Json& rules, Json const& rule) {
  auto const says_so = [&](Json const& old) {
    return overlap(old, rule) && old.at("algorithm") == rule.at("algorithm");
  };
  bool const is_news = rule.at("algorithm") != "native" && std::ranges::none_of(rules, says_so);
  forget_rules(rules, rule);
  rules.push_back(rule);
  return is_news;
}

/// What the evidence of all runs says.
std::optional<Lesson> decide(Trials const& trials) {
  if (trials.record.candidates.size() < 2) {
    return std::nullopt;
  }
  learn::Standings standings;
  standings.resume(trials.record);
  std::optional<int> const decision = standings.decision();
  if (!decision) {
    return std::nullopt;
  }
  bool const is_native = *decision == learn::Standings::native;
  return Lesson{
      .kind = trials.kind,
      .algorithm =
          is_native ? "native" : trials.algorithms[static_cast<std::size_t>(*decision) - 1],
      .native_seconds = standings.middle(learn::Standings::native),
      .seconds = standings.middle(*decision),
      .num_pairs = standings.most_pairs(),
  };
}

/// What most communicators of each kind found, in the order of the kinds.
std::vector<Lesson> agreed(std::vector<Lesson> const& lessons) {
  std::map<KindOfCalls, std::vector<Lesson const*>> of_kinds;
  for (Lesson const& lesson : lessons) {
    of_kinds[lesson.kind].push_back(&lesson);
  }
  std::vector<Lesson> found;
  for (auto const& [kind, some] : of_kinds) {
    auto const num_alike = [&some](Lesson const* one) {
      return std::ranges::count(some, one->algorithm, &Lesson::algorithm);
    };
    auto const most = std::ranges::find_if(some, [&](Lesson const* one) {
      return 2 * num_alike(one) > std::ssize(some);
    });
    if (most != some.end()) {
      found.push_back(**most);
    }
  }
  return found;
}

Json members_of(Trials const& trials) {
  Json object;
  set_members(object, trials.kind);
  return object;
}

bool has_rule(Json const& rules, Trials const& trials) {
  Json const object = members_of(trials);
  return std::ranges::any_of(rules, [&](Json const& rule) { return overlap(rule, object); });
}

/// Its candidates were looked for thoroughly, and nobody has tried them.
bool begins_anew(Trials const& trials) {
  return trials.is_thorough && trials.has_candidates() && trials.record.num_rounds == 0;
}

/// Whether trials are of calls that a rule is for, and of what it says.
bool have_tried(Json const& trials, Json const& rule) {
  return overlap(rule, trials) &&
         std::ranges::any_of(trials.at("candidates"), [&](Json const& candidate) {
           return candidate.at("algorithm") == rule.at("algorithm");
         });
}

/// Of the calls of a run for which there is no rule.
double undecided_seconds(Json const& rules, std::vector<Trials> const& all) {
  double seconds = 0;
  for (Trials const& trials : all) {
    seconds += has_rule(rules, trials) ? 0 : trials.stake();
  }
  return seconds;
}

/// The trials of earlier runs and of this one, those with most at stake first.
std::vector<Trials>
joined_trials(std::vector<Trials> const& earlier, std::vector<Trials> const& more) {
  std::map<KindOfCalls, Trials> all;
  for (Trials const& before : earlier) {
    all[before.kind] = before;
  }
  for (Trials const& now : more) {
    auto const [found, is_new] = all.try_emplace(now.kind, now);
    if (!is_new) {
      found->second = joined(found->second, now, false);
    }
  }
  std::vector<Trials> sorted;
  for (auto const& [kind, trials] : all) {
    sorted.push_back(trials);
  }
  std::ranges::stable_sort(sorted, std::greater<>(), &Trials::stake);
  sorted.resize(std::min(sorted.size(), most_kinds));
  return sorted;
}

}  // namespace

void Learned::add(Learned const& other) {
  saved_seconds = std::max(saved_seconds, other.saved_seconds);
  lessons.insert(lessons.end(), other.lessons.begin(), other.lessons.end());
  for (Trials const& more : other.trials) {
    auto const found = std::ranges::find(trials, more.kind, &Trials::kind);
    if (found == trials.end()) {
      trials.push_back(more);
    } else {
      *found = joined(*found, more, true);
    }
  }
}

std::string to_bytes(Learned const& learned) {
  Json document = {
      {"lessons", Json::array()},
      {"trials", Json::array()},
      {"saved_seconds", learned.saved_seconds},
  };
  for (Lesson const& lesson : learned.lessons) {
    document["lessons"].push_back(to_json(lesson));
  }
  for (Trials const& trials : learned.trials) {
    document["trials"].push_back(to_json(trials));
  }
  return json_bytes(document);
}

Learned learned_from_bytes(std::string_view bytes) {
  try {
    Json const document = parse_json_bytes(bytes);
    Learned learned{
        .trials = trials_from_json(document, "what another rank learned"),
        .saved_seconds = document.at("saved_seconds").get<double>(),
    };
    for (Json const& lesson : document.at("lessons")) {
      learned.lessons.push_back(lesson_from_json(Field(lesson, "what another rank learned")));
    }
    return learned;
  } catch (Json::exception const&) {
    throw Error(
        ErrorCode::format,
        "expected what another rank learned, got " + std::to_string(bytes.size()) +
            " bytes of something else"
    );
  }
}

std::string with_learned(
    std::string_view document,
    std::string_view origin,
    Learned const& learned,
    std::string_view program,
    RunsOfProgram run,
    std::string_view library_version
) {
  std::string_view const vendor = family_of(library_version);
  Json profile =
      document.empty()
          ? Json{{"schema", profile::Profile::schema}, {"version", profile::Profile::version}, {"rules", Json::array()}}
          : parse(document, origin, vendor);
  profile["mpi"] = {{"vendor", vendor}, {"version", library_version}};
  Json& rules = profile.at("rules");
  bool has_found = false;
  for (Lesson const& lesson : agreed(learned.lessons)) {
    has_found |= set_rule(rules, rule_of(lesson));
  }
  std::vector<Trials> const known = trials_from_json(profile, origin, profile::Unknown::left_out);
  Json list = Json::array();
  for (Trials const& trials : joined_trials(known, learned.trials)) {
    if (begins_anew(trials)) {
      // What was learned of other candidates is no rule any more.
      forget_rules(rules, members_of(trials));
    }
    if (auto const lesson = has_rule(rules, trials) ? std::nullopt : decide(trials)) {
      has_found |= set_rule(rules, rule_of(*lesson));
    }
    list.push_back(to_json(trials));
  }
  // For newer versions, which take the last ones of a kind.
  for (Json& trials : unknown_trials(profile, origin)) {
    list.push_back(std::move(trials));
  }
  profile["trials"] = std::move(list);
  run.seconds_at_stake = undecided_seconds(rules, learned.trials);
  run.saved_seconds = learned.saved_seconds;
  note_run(profile, program, has_found, run);
  return json_text(profile, 1) + "\n";
}

bool knows_what_rules_save(Json const& document) {
  auto const is_known = [&](Json const& rule) {
    return document.contains("trials") &&
           std::ranges::any_of(document.at("trials"), [&](Json const& trials) {
             return have_tried(trials, rule);
           });
  };
  return std::ranges::all_of(document.at("rules"), [&](Json const& rule) {
    return rule.at("algorithm") == "native" || is_known(rule);
  });
}

}  // namespace espalier::plan
