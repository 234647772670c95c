// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/team_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/base/json_text.hpp"

namespace espalier::capi {
namespace {

using algorithms::Choice;
using nlohmann::json;

constexpr std::string_view teams_schema = "espalier-teams";
constexpr int teams_version = 1;
constexpr std::size_t most_entries = 256;

json empty_file() {
  return {{"schema", teams_schema}, {"version", teams_version}, {"entries", json::array()}};
}

/// Of which team, for what: two entries with the same key speak of the same.
json key_of(TeamShape const& shape, SafeRequest const& request, NamedParts const& named) {
  json key{
      {"transport", shape.transport},
      {"num_ranks", shape.num_ranks},
      {"num_nodes", shape.num_nodes},
      {"collective", schedule::to_string(request.collective)},
      {"root", request.root},
      {"block_bytes", request.block_bytes},
      {"has_uneven_blocks", request.has_uneven_blocks},
      {"needs_rank_order", request.needs_rank_order},
      {"is_reproducible", request.is_reproducible},
      {"mode", to_string(request.mode)},
      {"addresses", schedule::to_string(request.addresses)},
      {"named_algorithm", named.algorithm ? json(named.algorithm->text()) : json(nullptr)},
      {"named_mechanism",
       named.mechanism ? json(schedule::to_string(*named.mechanism)) : json(nullptr)},
  };
  if (!shape.placement.empty()) {
    key["placement"] = shape.placement;
  }
  return key;
}

TeamShape shape_in(Field const& entry) {
  constexpr int most = std::numeric_limits<int>::max();
  return {
      .transport = entry.at("transport").text(),
      .num_ranks = static_cast<int>(entry.at("num_ranks").integer(1, most)),
      .num_nodes = static_cast<int>(entry.at("num_nodes").integer(1, most)),
      .placement = entry.has("placement") ? entry.at("placement").text() : "",
  };
}

SafeRequest request_in(Field const& entry, int num_ranks) {
  return {
      .collective = schedule::parse_collective(entry.at("collective").text()),
      .num_ranks = num_ranks,
      .root = static_cast<int>(entry.at("root").integer(0, num_ranks - 1)),
      .block_bytes = entry.at("block_bytes").integer(0),
      .has_uneven_blocks = entry.at("has_uneven_blocks").boolean(),
      .needs_rank_order = entry.at("needs_rank_order").boolean(),
      .is_reproducible = entry.at("is_reproducible").boolean(),
      .mode = schedule::parse_synchronization(entry.at("mode").text()),
      .addresses = schedule::parse_address_mode(entry.at("addresses").text()),
  };
}

Choice choice_in(Field const& field, SafeRequest const& request) {
  Choice choice = parse_choice(field.text());
  if (choice.collective() != request.collective) {
    field.fail("an algorithm of " + std::string(schedule::to_string(request.collective)));
  }
  return choice;
}

Measured measured_in(Field const& entry, int num_ranks) {
  SafeRequest const request = request_in(entry, num_ranks);
  Measured found{
      .request = request,
      .named = {},
      .choice =
          {
              .choice = choice_in(entry.at("algorithm"), request),
              .mechanism = schedule::parse_mechanism(entry.at("mechanism").text()),
          },
  };
  if (std::string const reason = refusal(found.choice.mechanism, request); !reason.empty()) {
    entry.at("mechanism").fail("one that can serve");
  }
  if (Field const text = entry.at("named_algorithm"); !text.is_null()) {
    found.named.algorithm = choice_in(text, request);
  }
  if (Field const text = entry.at("named_mechanism"); !text.is_null()) {
    found.named.mechanism = schedule::parse_mechanism(text.text());
  }
  return found;
}

/// None if it has names that this version does not know.
std::optional<Measured> known_in(Field const& entry, int num_ranks) {
  try {
    return measured_in(entry, num_ranks);
  } catch (Error const& error) {
    if (error.code() == ErrorCode::format) {
      throw;
    }
    return std::nullopt;
  }
}

std::int64_t time_in(Field const& entry) {
  return entry.at("measured_at").integer(0);
}

/// All entries have the form of this version.
json checked(std::string_view document, std::string_view origin) {
  json file = parse_json(document, origin);
  Field const root(file, std::string(origin));
  if (std::string const schema = root.at("schema").text(); schema != teams_schema) {
    root.at("schema").fail(teams_schema, schema);
  }
  if (root.at("version").integer(1) != teams_version) {
    root.at("version").fail("version 1, which this Espalier reads");
  }
  for (Field const& entry : root.at("entries").elements()) {
    static_cast<void>(known_in(entry, shape_in(entry).num_ranks));
    static_cast<void>(time_in(entry));
  }
  return file;
}

bool has_key(json const& entry, json const& key) {
  bool const is_placed_alike = entry.contains("placement") == key.contains("placement");
  return is_placed_alike && std::ranges::all_of(key.items(), [&](auto const& item) {
           return entry.contains(item.key()) && entry.at(item.key()) == item.value();
         });
}

}  // namespace

std::string usable_part(
    std::string_view document, std::string_view origin, std::string_view transport, std::int64_t now
) {
  json usable = empty_file();
  json const file = checked(document, origin);
  for (Field const& entry : Field(file, std::string(origin)).at("entries").elements()) {
    bool const is_fresh = std::abs(now - time_in(entry)) <= most_seconds_kept;
    if (is_fresh && shape_in(entry).transport == transport) {
      usable["entries"].push_back(entry.json());
    }
  }
  return json_text(usable);
}

TeamMemory kept_memory(std::string_view usable, TeamShape const& shape) {
  TeamMemory memory;
  if (usable.empty()) {
    return memory;
  }
  constexpr std::string_view origin = "what the first rank read";
  json const file = parse_json(usable, origin);
  for (Field const& entry : Field(file, std::string(origin)).at("entries").elements()) {
    if (shape_in(entry) != shape) {
      continue;
    }
    if (auto known = known_in(entry, shape.num_ranks)) {
      memory.remember_earlier(std::move(*known));
    }
  }
  return memory;
}

std::string with_measured(
    std::string_view document,
    std::string_view origin,
    TeamShape const& shape,
    Measured const& measured,
    std::int64_t now
) {
  json file = document.empty() ? empty_file() : checked(document, origin);
  json entry = key_of(shape, measured.request, measured.named);
  std::vector<json> entries = file.at("entries");
  std::erase_if(entries, [&](json const& old) { return has_key(old, entry); });
  entry["algorithm"] = measured.choice.choice.text();
  entry["mechanism"] = schedule::to_string(measured.choice.mechanism);
  entry["measured_at"] = now;
  entries.push_back(std::move(entry));
  std::ranges::stable_sort(entries, std::greater<>(), [](json const& one) {
    return one.at("measured_at").get<std::int64_t>();
  });
  entries.resize(std::min(entries.size(), most_entries));
  file["entries"] = std::move(entries);
  return json_text(file, 1) + "\n";
}

}  // namespace espalier::capi
