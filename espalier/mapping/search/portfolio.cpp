// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/search/portfolio.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mapping/graph_algorithm.hpp"
#include "espalier/mapping/search/local_search.hpp"
#include "espalier/mapping/splitting/two_way_graph.hpp"

namespace espalier::mapping {
namespace {

/// Up to so many vertices the search starts from several mappings, beyond from the best.
constexpr int many_vertices = 20'000;
constexpr std::size_t most_starts = 3;

/// Less for vertices with many edges, which take longer to look at.
std::int64_t default_max_trials(Graph const& graph) {
  std::int64_t const num_vertices = graph.num_vertices();
  auto const num_edges = static_cast<std::int64_t>(graph.neighbor.size());
  std::int64_t const trials = std::min(std::int64_t{4'000'000}, 2000 * num_vertices) +
                              30 * std::max(std::int64_t{0}, num_vertices - 100'000);
  return trials * 12 / std::max(std::int64_t{12}, num_edges / num_vertices);
}

bool has_name(std::vector<std::string> const& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Names of all algorithms, as an error lists them.
std::vector<std::string> all_names(MappingOptions const& options) {
  std::vector<std::string> names{"identity"};
  for (WalkAlgorithm const* algorithm : walk_algorithms()) {
    names.emplace_back(algorithm->name);
  }
  for (GraphAlgorithm const* algorithm : graph_algorithms()) {
    names.emplace_back(algorithm->name);
  }
  for (GraphMapper const& mapper : options.mappers) {
    names.push_back(mapper.name);
  }
  return names;
}

void check_names(MappingOptions const& options) {
  std::vector<std::string> const known = all_names(options);
  for (std::string const& name : options.algorithms) {
    if (!has_name(known, name)) {
      std::string list = known.front();
      for (std::size_t i = 1; i < known.size(); ++i) {
        list += ", " + known[i];
      }
      throw Error(
          ErrorCode::argument, "expected mapping algorithms of: " + list + "; got '" + name + "'"
      );
    }
  }
}

/// Collects what the algorithms make of one graph.
class Portfolio {
public:
  Portfolio(Graph const& graph, Places const& places, MappingOptions const& options)
      : graph_(graph), places_(places), options_(options) {
    RankVector identity(static_cast<std::size_t>(places.num_ranks()));
    std::iota(identity.begin(), identity.end(), 0);
    before_ = score(graph_, places_, identity);
    candidates_.push_back({"identity", before_, std::move(identity)});
    trials_.push_back({.algorithm = "identity", .refusal = {}, .score = before_});
  }

  void try_walks(Problem const* problem) {
    for (WalkAlgorithm const* algorithm : walk_algorithms()) {
      if (problem == nullptr) {
        if (has_name(options_.algorithms, algorithm->name)) {
          refuse(algorithm->name, "expected a grid, got a graph");
        }
      } else if (is_wanted(algorithm->name)) {
        std::string const refusal = refusal_of(algorithm->refuses(*problem));
        if (refusal.empty()) {
          consider(algorithm->name, lay(algorithm->walk(*problem), places_));
        } else {
          refuse(algorithm->name, refusal);
        }
      }
    }
  }

  void try_graph_algorithms(bool is_grid) {
    Graph both_ways;
    for (GraphAlgorithm const* algorithm : graph_algorithms()) {
      if (!is_wanted(algorithm->name)) {
        continue;
      }
      std::string const refusal = refusal_of(
          is_grid ? too_large(algorithm->name, algorithm->most_edges_of_grid) : std::string()
      );
      if (refusal.empty()) {
        if (both_ways.first.empty()) {
          both_ways = summed();
        }
        consider(algorithm->name, lay(algorithm->walk(both_ways, places_), places_));
      } else {
        refuse(algorithm->name, refusal);
      }
    }
  }

  void try_mappers(bool is_grid) {
    for (GraphMapper const& mapper : options_.mappers) {
      if (!is_wanted(mapper.name)) {
        continue;
      }
      std::string const refusal =
          refusal_of(is_grid ? too_large(mapper.name, mapper.most_edges_of_grid) : "");
      if (refusal.empty()) {
        consider(mapper.name, mapper.map(graph_, places_));
      } else {
        refuse(mapper.name, refusal);
      }
    }
  }

  /// From the best few, the best first; equal scores are one start.
  void search() {
    std::vector<Candidate> starts = best_candidates();
    auto const num_starts = static_cast<std::int64_t>(starts.size());
    std::int64_t left = options_.max_trials.value_or(default_max_trials(graph_));
    for (std::int64_t i = 0; i < num_starts; ++i) {
      Candidate& start = starts[static_cast<std::size_t>(i)];
      SearchResult result =
          improved_levels(two_way(), places_, std::move(start.rank_at), left / (num_starts - i));
      left -= std::min(left, result.trials);
      consider(start.algorithm + " + search", std::move(result.rank_at));
    }
  }

  Mapping best() {
    std::size_t best = 0;
    for (std::size_t i = 1; i < candidates_.size(); ++i) {
      if (is_better(candidates_[i].score, before_) &&
          candidates_[i].score.objective < candidates_[best].score.objective) {
        best = i;
      }
    }
    return {
        .rank_at = std::move(candidates_[best].rank_at),
        .algorithm = std::move(candidates_[best].algorithm),
        .before = std::move(before_),
        .after = std::move(candidates_[best].score),
        .trials = std::move(trials_),
        .are_counts = std::ranges::all_of(graph_.weight, [](double weight) { return weight == 1; })
    };
  }

private:
  struct Candidate {
    std::string algorithm;
    Score score;
    RankVector rank_at;
  };

  [[nodiscard]] bool is_wanted(std::string_view name) const {
    return options_.algorithms.empty() || has_name(options_.algorithms, name);
  }

  /// What the algorithm says, or that there is nothing to do.
  [[nodiscard]] std::string refusal_of(std::string said) const {
    return before_.objective > 0 ? said : "nothing to improve: no edge leaves a group";
  }

  [[nodiscard]] std::string too_large(std::string_view name, std::int64_t most_edges) const {
    auto const num_edges = static_cast<std::int64_t>(graph_.neighbor.size());
    if (num_edges <= most_edges || has_name(options_.algorithms, name)) {
      return {};
    }
    return "expected a grid of at most " + std::to_string(most_edges) + " edges, got " +
           std::to_string(num_edges) + "; name the algorithm to try it anyway";
  }

  TwoWayGraph const& two_way() {
    if (two_way_.first.empty()) {
      two_way_ = mapping::two_way(graph_);
    }
    return two_way_;
  }

  /// Both directions of each edge, with the weight of both.
  Graph summed() {
    TwoWayGraph const& edges = two_way();
    Graph result{edges.first, edges.neighbor, edges.out};
    for (std::size_t edge = 0; edge < result.weight.size(); ++edge) {
      result.weight[edge] = edges.both(edge);
    }
    return result;
  }

  void refuse(std::string_view name, std::string refusal) {
    trials_.push_back({.algorithm = std::string(name), .refusal = std::move(refusal), .score = {}});
  }

  void consider(std::string_view name, RankVector rank_at) {
    Score score = mapping::score(graph_, places_, rank_at);
    trials_.push_back({.algorithm = std::string(name), .refusal = {}, .score = score});
    candidates_.push_back({std::string(name), std::move(score), std::move(rank_at)});
    forget_worst();
  }

  /// Keeps the identity, and of the others as many as the search may start from, and one more that
  /// nobody can call worse than the identity.
  void forget_worst() {
    std::ranges::stable_sort(
        candidates_.begin() + 1,
        candidates_.end(),
        {},
        [](Candidate const& candidate) { return candidate.score.objective; }
    );
    std::size_t num_kept = 0;
    bool has_better = false;
    std::erase_if(candidates_, [&](Candidate const& candidate) {
      if (candidate.algorithm == "identity") {
        return false;
      }
      bool const is_first_better = !has_better && is_better(candidate.score, before_);
      has_better = has_better || is_first_better;
      return num_kept++ >= most_starts && !is_first_better;
    });
  }

  [[nodiscard]] std::vector<Candidate> best_candidates() const {
    std::vector<Candidate const*> order;
    for (Candidate const& candidate : candidates_) {
      order.push_back(&candidate);
    }
    std::ranges::stable_sort(order, {}, [](Candidate const* candidate) {
      return candidate->score.objective;
    });
    std::vector<Candidate> starts;
    std::size_t const wanted = places_.num_ranks() > many_vertices ? 1 : most_starts;
    for (Candidate const* candidate : order) {
      bool const is_new = starts.empty() || !(starts.back().score == candidate->score);
      if (starts.size() < wanted && is_new) {
        starts.push_back(*candidate);
      }
    }
    return starts;
  }

  Graph const& graph_;
  Places const& places_;
  MappingOptions const& options_;
  TwoWayGraph two_way_;
  Score before_;
  std::vector<Candidate> candidates_;  ///< the identity first
  std::vector<Trial> trials_;
};

Mapping
run(Graph const& graph, Places const& places, MappingOptions const& options, Problem const* problem
) {
  Portfolio portfolio(graph, places, options);
  portfolio.try_walks(problem);
  portfolio.try_graph_algorithms(problem != nullptr);
  portfolio.try_mappers(problem != nullptr);
  if (options.searches) {
    portfolio.search();
  }
  return portfolio.best();
}

}  // namespace

Mapping map_grid(Problem const& problem, MappingOptions const& options) {
  check(problem);
  check_names(options);
  return run(make_graph(problem.grid, problem.stencil), problem.places, options, &problem);
}

Mapping map_graph(Graph const& graph, Places const& places, MappingOptions const& options) {
  check_names(options);
  return run(graph, places, options, nullptr);
}

}  // namespace espalier::mapping
