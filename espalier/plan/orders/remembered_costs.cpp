// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/orders/remembered_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "espalier/base/field.hpp"
#include "espalier/base/json_text.hpp"

namespace espalier::plan {
namespace {

using mapping::Channels;
using mapping::LevelCosts;
using nlohmann::json;

constexpr std::string_view costs_schema = "espalier-distances";
constexpr int costs_version = 1;
constexpr std::size_t most_entries = 256;

struct Entry {
  CostsKey key;
  LevelCosts costs;
  std::int64_t measured_at = 0;
};

double channels_in(Field const& field) {
  return field.is_null() ? Channels::unlimited : field.number(1);
}

json channels_json(double channels) {
  return std::isinf(channels) ? json(nullptr) : json(channels);
}

Entry entry_in(Field const& field) {
  Entry entry{
      .key = {.places = field.at("places").text(), .bytes = field.at("bytes").integer(1)},
      .costs = {},
      .measured_at = field.at("measured_at").integer(0),
  };
  for (Field const& time : field.at("rtt_us").elements()) {
    entry.costs.rtt_us.push_back(time.number(std::numeric_limits<double>::min()));
  }
  if (entry.costs.rtt_us.empty()) {
    field.at("rtt_us").fail("a time for each level, and one inside");
  }
  auto const num_levels = static_cast<std::int64_t>(entry.costs.rtt_us.size()) - 1;
  entry.costs.group_level = static_cast<int>(field.at("group_level").integer(0, num_levels));
  entry.costs.channels = {
      .across = channels_in(field.at("channels_across")),
      .inside = channels_in(field.at("channels_inside")),
  };
  return entry;
}

json to_json(Entry const& entry) {
  return {
      {"places", entry.key.places},
      {"bytes", entry.key.bytes},
      {"measured_at", entry.measured_at},
      {"rtt_us", entry.costs.rtt_us},
      {"group_level", entry.costs.group_level},
      {"channels_across", channels_json(entry.costs.channels.across)},
      {"channels_inside", channels_json(entry.costs.channels.inside)},
  };
}

std::vector<Entry> entries_in(std::string_view document, std::string_view origin) {
  json const file = parse_json(document, origin);
  Field const root(file, std::string(origin));
  if (std::string const schema = root.at("schema").text(); schema != costs_schema) {
    root.at("schema").fail(costs_schema, schema);
  }
  if (root.at("version").integer(1) != costs_version) {
    root.at("version").fail("version 1, which this Espalier reads");
  }
  std::vector<Entry> entries;
  for (Field const& field : root.at("entries").elements()) {
    entries.push_back(entry_in(field));
  }
  return entries;
}

std::string sizes_text(std::vector<int> const& sizes) {
  std::string text;
  for (std::size_t begin = 0; begin < sizes.size();) {
    std::size_t end = begin;
    while (end < sizes.size() && sizes[end] == sizes[begin]) {
      ++end;
    }
    text += (text.empty() ? "" : ",") + std::to_string(end - begin) + "x" +
            std::to_string(sizes[begin]);
    begin = end;
  }
  return text;
}

}  // namespace

CostsKey costs_key(mapping::Places const& places, std::int64_t bytes) {
  CostsKey key{.places = "", .bytes = bytes};
  for (int level = 0; level < places.num_levels(); ++level) {
    key.places += (level == 0 ? "" : "; ") + places.groups(level).name + " " +
                  sizes_text(places.sizes(level));
  }
  return key;
}

std::optional<LevelCosts> remembered_costs(
    std::string_view document,
    std::string_view origin,
    CostsKey const& key,
    std::size_t num_levels,
    std::int64_t now
) {
  for (Entry& entry : entries_in(document, origin)) {
    bool const is_fresh = std::abs(now - entry.measured_at) <= most_seconds_remembered;
    if (is_fresh && entry.key == key && entry.costs.rtt_us.size() == num_levels + 1) {
      return std::move(entry.costs);
    }
  }
  return std::nullopt;
}

std::string with_costs(
    std::string_view document,
    std::string_view origin,
    CostsKey const& key,
    LevelCosts const& costs,
    std::int64_t now
) {
  std::vector<Entry> entries;
  if (!document.empty()) {
    entries = entries_in(document, origin);
  }
  std::erase_if(entries, [&](Entry const& entry) { return entry.key == key; });
  entries.push_back({.key = key, .costs = costs, .measured_at = now});
  std::ranges::stable_sort(entries, std::ranges::greater(), &Entry::measured_at);
  entries.resize(std::min(entries.size(), most_entries));
  json file{{"schema", costs_schema}, {"version", costs_version}, {"entries", json::array()}};
  for (Entry const& entry : entries) {
    file["entries"].push_back(to_json(entry));
  }
  return json_text(file, 1) + "\n";
}

}  // namespace espalier::plan
