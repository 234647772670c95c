// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/job/job_view.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/field.hpp"

namespace espalier::machine {
namespace {

using nlohmann::json;

constexpr std::string_view schema = "espalier-job-view";
constexpr std::int64_t most = std::numeric_limits<int>::max();

json or_null(std::optional<int> const& number) {
  return number ? json(*number) : json(nullptr);
}

std::optional<int> number_or_null(Field const& field) {
  return field.is_null() ? std::nullopt : std::optional(static_cast<int>(field.integer(0, most)));
}

RankView rank_view_from(Field const& field) {
  RankView view{
      .processor_name = field.at("processor_name").text(),
      .shared_group = static_cast<int>(field.at("shared_group").integer(0, most)),
      .allowed = CpuSet::parse(field.at("allowed").text()),
      .tree = field.at("tree").text(),
      .launcher = field.at("launcher").text(),
      .num_ranks = number_or_null(field.at("num_ranks")),
      .num_local = number_or_null(field.at("num_local")),
      .warning = field.at("warning").text(),
  };
  for (Field const& name : field.at("switches").elements()) {
    view.switches.push_back(name.text());
  }
  return view;
}

}  // namespace

json to_json(RankView const& view) {
  return {
      {"processor_name", view.processor_name},
      {"shared_group", view.shared_group},
      {"allowed", view.allowed.text()},
      {"tree", view.tree},
      {"launcher", view.launcher},
      {"num_ranks", or_null(view.num_ranks)},
      {"num_local", or_null(view.num_local)},
      {"switches", view.switches},
      {"warning", view.warning},
  };
}

json to_json(JobView const& job) {
  json ranks = json::array();
  for (RankView const& view : job.ranks) {
    ranks.push_back(to_json(view));
  }
  json trees = json::object();
  for (auto const& [key, tree] : job.trees) {
    trees[key] = to_json(tree);
  }
  return {
      {"schema", schema},
      {"version", 1},
      {"is_simulated", job.is_simulated},
      {"ranks", std::move(ranks)},
      {"trees", std::move(trees)},
  };
}

RankView rank_view_from_json(json const& json) {
  return rank_view_from(Field(json, "rank view"));
}

JobView job_view_from_json(json const& json) {
  Field const field(json, "job view");
  if (field.at("schema").text() != schema) {
    field.at("schema").fail(schema, field.at("schema").text());
  }
  static_cast<void>(field.at("version").integer(1, 1));
  JobView job{.ranks = {}, .trees = {}, .is_simulated = field.at("is_simulated").boolean()};
  for (Field const& rank : field.at("ranks").elements()) {
    job.ranks.push_back(rank_view_from(rank));
  }
  for (auto const& [key, tree] : field.at("trees").json().items()) {
    job.trees.emplace(key, node_tree_from_json(tree));
  }
  return job;
}

}  // namespace espalier::machine
