// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/grid_trial.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mapping/dims/fitted_grid.hpp"
#include "espalier/mapping/dims/stencil.hpp"
#include "espalier/mapping/search/portfolio.hpp"
#include "espalier/mpi/now.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/topologies/cartesian.hpp"
#include "espalier/plan/topologies/grid_candidates.hpp"
#include "espalier/plan/topologies/places.hpp"

namespace espalier::plan {
namespace {

using mpi::now_us;
using mpi::OwnCommunicator;
using mpi::require_success;

/// The candidates of rank 0 on all ranks.
std::vector<GridCandidate>
from_root(OwnCommunicator const& own, std::vector<GridCandidate> const& candidates) {
  auto const num = own.from_root(std::vector<int>{static_cast<int>(candidates.size())}).front();
  std::vector<GridCandidate> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(num); ++i) {
    bool const is_there = i < candidates.size();
    GridCandidate candidate = is_there ? candidates[i] : GridCandidate{};
    candidate.name = own.from_root(std::move(candidate.name));
    candidate.rank_at = own.from_root(std::move(candidate.rank_at));
    result.push_back(std::move(candidate));
  }
  return result;
}

/// Finds and makes a grid; refers to all it is given.
class Maker {
public:
  Maker(MPI_Comm comm, GridRequest const& request)
      : comm_(comm), request_(&request), own_(OwnCommunicator::duplicate(comm)) {}

  MappedGrid make() {
    check_size();
    std::vector<GridCandidate> const candidates = find();
    MappedGrid best;
    for (GridCandidate const& candidate : candidates) {
      MappedGrid made = create(candidate);
      if (request_->pattern) {
        tried_.push_back({.name = candidate.name, .call_us = try_out(made)});
      }
      if (best.mapping.empty() || tried_.back().call_us < best_us_) {
        best = std::move(made);
        best_us_ = tried_.empty() ? 0 : tried_.back().call_us;
      }
    }
    best.overhead = slowest(overhead_);
    best.tried = std::move(tried_);
    return best;
  }

private:
  void check_size() const {
    if (request_->grid.num_positions() > own_.size()) {
      throw Error(
          ErrorCode::argument,
          "expected a grid of at most " + std::to_string(own_.size()) + " positions, got " +
              std::to_string(request_->grid.num_positions())
      );
    }
  }

  std::vector<GridCandidate> find() {
    double const start = now_us();
    std::optional<FoundPlaces> const found = find_places_at_root(comm_, request_->machine);
    overhead_.sort_us = now_us() - start;
    std::vector<GridCandidate> candidates;
    CandidateTimes times;
    own_.run_at_root([&] { candidates = candidates_at_root(found->places, times); });
    double const chosen = now_us();
    candidates = from_root(own_, candidates);
    overhead_.choose_us = times.choose;
    overhead_.rearrange_us = times.rearrange + now_us() - chosen;
    return candidates;
  }

  std::vector<GridCandidate>
  candidates_at_root(mapping::Places const& all, CandidateTimes& times) const {
    mapping::Places const places = mapping::first_places(all, request_->grid.num_positions());
    if (!request_->mapping.empty()) {
      double const start = now_us();
      std::vector<GridCandidate> named{grid_candidate(request_->mapping, request_->grid, places)};
      times.choose += now_us() - start;
      return named;
    }
    if (request_->pattern) {
      return grid_candidates(request_->grid, places, request_->num_candidates, now_us, times);
    }
    double const start = now_us();
    auto const stencil = mapping::Stencil::nearest(request_->grid.num_dimensions());
    mapping::Mapping best =
        mapping::map_grid({.grid = request_->grid, .stencil = stencil, .places = places});
    times.choose += now_us() - start;
    return {{.name = std::move(best.algorithm), .rank_at = std::move(best.rank_at)}};
  }

  MappedGrid create(GridCandidate const& candidate) {
    double const start = now_us();
    MPI_Comm const made = create_cartesian(comm_, request_->grid, candidate.rank_at);
    MappedGrid grid{.lines = nullptr, .mapping = candidate.name};
    if (made != MPI_COMM_NULL) {
      grid.lines = std::make_unique<GridLines>(made, request_->grid);
    }
    overhead_.create_us += now_us() - start;
    return grid;
  }

  /// Microseconds of a call on the slowest rank; ranks without a position wait.
  double try_out(MappedGrid const& made) {
    double const start = now_us();
    call(made, 1);
    require_success(PMPI_Barrier(own_.get()), "MPI_Barrier");
    double const begin = now_us();
    call(made, request_->num_calls);
    double call_us = (now_us() - begin) / request_->num_calls;
    require_success(
        PMPI_Allreduce(MPI_IN_PLACE, &call_us, 1, MPI_DOUBLE, MPI_MAX, own_.get()), "MPI_Allreduce"
    );
    overhead_.trial_us += now_us() - start;
    return call_us;
  }

  void call(MappedGrid const& made, int num_calls) const {
    for (int i = 0; made.lines && i < num_calls; ++i) {
      require_success(request_->pattern(*made.lines), "the pattern that is tried");
    }
  }

  [[nodiscard]] GridOverhead slowest(GridOverhead const& mine) const {
    std::array<double, 5> all{
        mine.sort_us, mine.choose_us, mine.rearrange_us, mine.create_us, mine.trial_us
    };
    require_success(
        PMPI_Allreduce(MPI_IN_PLACE, all.data(), 5, MPI_DOUBLE, MPI_MAX, own_.get()),
        "MPI_Allreduce"
    );
    return {all[0], all[1], all[2], all[3], all[4]};
  }

  MPI_Comm comm_;
  GridRequest const* request_;
  OwnCommunicator own_;
  GridOverhead overhead_{};
  std::vector<TriedMapping> tried_;
  double best_us_ = 0;
};

}  // namespace

double MappedGrid::num_calls_to_pay() const noexcept {
  auto const chosen = std::ranges::find(tried, mapping, &TriedMapping::name);
  if (tried.empty() || chosen == tried.end() || chosen->call_us >= tried.front().call_us) {
    return std::numeric_limits<double>::infinity();
  }
  return overhead.total_us() / (tried.front().call_us - chosen->call_us);
}

MappedGrid make_grid(MPI_Comm comm, GridRequest const& request) {
  return Maker(comm, request).make();
}

}  // namespace espalier::plan
