// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"

namespace espalier::plan {
namespace {

constexpr std::string_view force_example = "ESPALIER_FORCE: expected call=algorithm pairs as in "
                                           "allgather=bruck;bcast=native, got '";

/// `bruck` and `allgather/bruck` are the same here.
algorithms::Choice parse_choice(tune::Call call, std::string_view text) {
  algorithms::Collective const collective = tune::collective_of(call);
  std::string const prefix = std::string(algorithms::to_string(collective)) + "/";
  if (text.starts_with(prefix)) {
    text.remove_prefix(prefix.size());
  }
  return algorithms::Choice::parse(collective, text);
}

Settings::Forced parse_forced(tune::Call call, std::string_view text, Settings& settings) {
  if (text == "native") {
    return {.choice = std::nullopt, .reason = "forced by ESPALIER_FORCE"};
  }
  try {
    return {.choice = parse_choice(call, text), .reason = "forced by ESPALIER_FORCE"};
  } catch (Error const& error) {
    std::string const problem =
        "ESPALIER_FORCE: " + std::string(tune::to_string(call)) + ": " + error.what();
    settings.warnings.push_back(problem + "; using the native call");
    return {.choice = std::nullopt, .reason = problem};
  }
}

void parse_force_entry(std::string_view entry, Settings& settings) {
  std::size_t const equals = entry.find('=');
  if (equals == std::string_view::npos) {
    settings.warnings.push_back(
        std::string(force_example) + std::string(entry) + "'; ignoring this entry"
    );
    return;
  }
  try {
    tune::Call const call = tune::parse_call(entry.substr(0, equals));
    settings.forced[tune::index_of(call)] = parse_forced(call, entry.substr(equals + 1), settings);
  } catch (Error const& error) {
    settings.warnings.push_back(
        "ESPALIER_FORCE: " + std::string(error.what()) + "; ignoring this entry"
    );
  }
}

void parse_force(std::string_view text, Settings& settings) {
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(';'), text.size());
    if (end > 0) {
      parse_force_entry(text.substr(0, end), settings);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void parse_profile(SettingsText const& text, std::string_view vendor, Settings& settings) {
  try {
    if (!text.profile_problem.empty()) {
      throw Error(ErrorCode::io, text.profile_problem);
    }
    tune::Profile profile = tune::Profile::parse(text.profile, text.profile_path);
    if (profile.vendor() != vendor) {
      throw Error(
          ErrorCode::format,
          text.profile_path + ": expected a profile tuned with " + std::string(vendor) +
              ", got one tuned with '" + profile.vendor() + "' (tune again with this MPI)"
      );
    }
    settings.profile = std::move(profile);
  } catch (Error const& error) {
    settings.warnings.push_back(
        "ESPALIER_PROFILE: " + std::string(error.what()) + "; using native calls"
    );
  }
}

tune::DecisionTable decide_forced(
    tune::Call call,
    Settings::Forced const& forced,
    tune::Shape shape,
    std::vector<std::string>& warnings
) {
  tune::Decision decision{.choice = forced.choice, .reason = forced.reason};
  if (decision.choice) {
    std::string const refusal = tune::refuses(call, *decision.choice, shape.num_ranks, 0);
    if (!refusal.empty()) {
      decision.reason = "ESPALIER_FORCE: " + decision.choice->text() + " does not accept " +
                        std::to_string(shape.num_ranks) + " ranks in " +
                        std::string(tune::function_name(call)) + ": " + refusal;
      decision.choice.reset();
      warnings.push_back(decision.reason + "; using the native call on such communicators");
    }
  }
  return tune::DecisionTable(std::move(decision));
}

}  // namespace

std::string SettingsText::to_bytes() const {
  // Texts of the environment need not be UTF-8, so they travel as lists of bytes.
  nlohmann::json const document = {
      {"is_off", is_off},
      {"is_verbose", is_verbose},
      {"force", nlohmann::json::binary({force.begin(), force.end()})},
      {"statistics", nlohmann::json::binary({statistics.begin(), statistics.end()})},
      {"profile_path", nlohmann::json::binary({profile_path.begin(), profile_path.end()})},
      {"profile", nlohmann::json::binary({profile.begin(), profile.end()})},
      {"profile_problem", nlohmann::json::binary({profile_problem.begin(), profile_problem.end()})},
  };
  std::string bytes;
  nlohmann::json::to_cbor(document, bytes);
  return bytes;
}

SettingsText SettingsText::from_bytes(std::string_view bytes) {
  try {
    nlohmann::json const document = nlohmann::json::from_cbor(bytes);
    auto const text = [&](char const* key) {
      auto const& binary = document.at(key).get_binary();
      return std::string(binary.begin(), binary.end());
    };
    return {
        .is_off = document.at("is_off").get<bool>(),
        .is_verbose = document.at("is_verbose").get<bool>(),
        .force = text("force"),
        .statistics = text("statistics"),
        .profile_path = text("profile_path"),
        .profile = text("profile"),
        .profile_problem = text("profile_problem"),
    };
  } catch (nlohmann::json::exception const&) {
    throw Error(
        ErrorCode::format,
        "expected settings as sent by rank 0, got " + std::to_string(bytes.size()) +
            " bytes of something else"
    );
  }
}

Settings Settings::parse(SettingsText const& text, std::string_view vendor) {
  Settings settings;
  settings.is_off = text.is_off;
  settings.is_verbose = text.is_verbose;
  if (settings.is_off) {
    return settings;
  }
  settings.statistics = text.statistics;
  settings.profile_path = text.profile_path;
  parse_force(text.force, settings);
  if (!text.profile_path.empty()) {
    parse_profile(text, vendor, settings);
  }
  return settings;
}

bool Settings::may_choose(tune::Call call) const noexcept {
  if (is_off) {
    return false;
  }
  if (auto const& entry = forced[tune::index_of(call)]) {
    return entry->choice.has_value();
  }
  return profile && std::ranges::any_of(profile->rules(), [&](tune::Rule const& rule) {
           return rule.call == call && rule.choice;
         });
}

bool Settings::needs_nodes() const noexcept {
  return std::ranges::any_of(tune::all_calls, [&](tune::Call call) {
    return !forced[tune::index_of(call)] && may_choose(call);
  });
}

tune::DecisionTable decide(
    Settings const& settings, tune::Call call, tune::Shape shape, std::vector<std::string>& warnings
) {
  if (auto const& forced = settings.forced[tune::index_of(call)]) {
    return decide_forced(call, *forced, shape, warnings);
  }
  if (settings.profile) {
    return {settings.profile->rules(), call, shape};
  }
  return tune::DecisionTable(
      {.choice = std::nullopt,
       .reason = settings.profile_path.empty() ? "no profile" : "the profile cannot be used"}
  );
}

}  // namespace espalier::plan
