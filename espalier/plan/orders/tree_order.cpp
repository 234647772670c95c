// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/orders/tree_order.hpp"

#include <array>
#include <cstddef>
#include <ctime>
#include <exception>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/mapping/orders/distances.hpp"
#include "espalier/mpi/now.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/orders/measured_costs.hpp"
#include "espalier/plan/orders/remembered_costs.hpp"
#include "espalier/plan/orders/round_trips.hpp"
#include "espalier/plan/topologies/places.hpp"
#include "espalier/profile/kept_file.hpp"

namespace espalier::plan {
namespace {

using mapping::Distances;
using mapping::LevelCosts;
using mapping::Places;
using mpi::now_us;
using mpi::OwnCommunicator;

/// The file of one machine, on rank 0.
class Memory {
public:
  Memory(std::string path, CostsKey key)
      : path_(std::move(path)), key_(std::move(key)), now_(std::time(nullptr)) {}

  [[nodiscard]] std::optional<LevelCosts> read(std::size_t num_levels) {
    try {
      std::string const text = path_.empty() ? "" : profile::kept_text(path_);
      return text.empty() ? std::nullopt : remembered_costs(text, path_, key_, num_levels, now_);
    } catch (Error const& error) {
      complain(error);
      return std::nullopt;
    }
  }

  /// Nothing is written over what was not understood.
  void keep(LevelCosts const& costs) {
    if (path_.empty() || !warning_.empty()) {
      return;
    }
    try {
      profile::change_kept_file(path_, [&](std::string const& before) {
        return with_costs(before, path_, key_, costs, now_);
      });
    } catch (Error const& error) {
      complain(error);
    }
  }

  [[nodiscard]] std::string warning() && { return std::move(warning_); }

private:
  void complain(Error const& error) {
    warning_ = std::string(error.what()) +
               "; the file stays as it is, distances are measured and not remembered";
  }

  std::string path_;
  CostsKey key_;
  std::int64_t now_;
  std::string warning_;
};

/// Finds distances on rank 0 with the help of the others; refers to all it is given.
class Finder {
public:
  Finder(OwnCommunicator const& own, TreeOrderRequest const& request)
      : own_(&own), request_(&request) {}

  TreeOrder find() {
    TreeOrder order;
    double const start = now_us();
    std::optional<FoundSeats> const seats = find_seats_at_root(own_->get(), request_->machine);
    double const found = now_us();
    std::optional<Distances> distances;
    own_->run_at_root([&] { distances = described(*seats); });
    order.source = distances ? CostsSource::described : CostsSource::measured;
    int const must_measure = own_->from_root(std::vector<int>{distances ? 0 : 1}).front();
    if (must_measure != 0 && own_->size() > 1) {
      measure(seats, distances, order);
    } else if (must_measure != 0) {
      distances = alone();
    }
    double const measured = now_us();
    choose(distances, order);
    order.overhead = {
        .find_us = found - start,
        .measure_us = measured - found,
        .compute_us = now_us() - measured,
    };
    return order;
  }

private:
  [[nodiscard]] std::optional<Distances> described(FoundSeats const& seats) const {
    SeatedRanks const& seated = seats.seated;
    if (!mapping::has_times(seated.machine)) {
      return std::nullopt;
    }
    return mapping::described_distances(
        seated.machine, seated.core_of_rank, static_cast<double>(request_->bytes)
    );
  }

  [[nodiscard]] std::optional<Distances> alone() const {
    return Distances{.rtt = mapping::RttMatrix(1, {0}), .group_of_rank = {0}, .channels = {}};
  }

  /// What fails on rank 0 is thrown when the others are done, on all ranks.
  void measure(
      std::optional<FoundSeats> const& seats, std::optional<Distances>& distances, TreeOrder& order
  ) {
    RoundTrips trips(*own_, request_->bytes);
    std::exception_ptr problem;
    if (own_->rank() == 0) {
      try {
        distances = measure_at_root(trips, seats->seated, order);
      } catch (...) {
        problem = std::current_exception();
      }
      trips.stop();
    } else {
      trips.serve();
    }
    own_->run_at_root([&] {
      if (problem) {
        std::rethrow_exception(problem);
      }
    });
  }

  [[nodiscard]] Distances
  measure_at_root(RoundTrips& trips, SeatedRanks const& seated, TreeOrder& order) const {
    Places const places = mapping::places_of(seated.machine, seated.core_of_rank);
    Memory memory(request_->file.path, costs_key(places, request_->bytes));
    auto costs = memory.read(static_cast<std::size_t>(places.num_levels()));
    if (costs && are_still_true(trips, places, *costs)) {
      order.source = CostsSource::remembered;
    } else {
      MeasuredCosts found = measure_costs(trips, places, request_->measure_seconds);
      order.num_pairs = found.num_pairs;
      costs = std::move(found.costs);
      memory.keep(*costs);
    }
    order.warning = std::move(memory).warning();
    return mapping::measured_distances(places, *costs);
  }

  /// On rank 0, then the same everywhere.
  void choose(std::optional<Distances> const& distances, TreeOrder& order) const {
    own_->run_at_root([&] {
      order.chosen =
          mapping::choose_order(request_->order, *distances, request_->collective, request_->root);
      order.num_groups = distances->num_groups();
      order.channels = distances->channels;
    });
    order.chosen.name = own_->from_root(std::move(order.chosen.name));
    order.chosen.ranks = own_->from_root(std::move(order.chosen.ranks));
    share_numbers(order);
  }

  void share_numbers(TreeOrder& order) const {
    std::array<double, 7> numbers{
        order.chosen.standard_us,
        order.chosen.chosen_us,
        static_cast<double>(order.num_groups),
        order.channels.across,
        order.channels.inside,
        static_cast<double>(order.source),
        static_cast<double>(order.num_pairs),
    };
    mpi::require_success(PMPI_Bcast(numbers.data(), 7, MPI_DOUBLE, 0, own_->get()), "MPI_Bcast");
    order.chosen.standard_us = numbers[0];
    order.chosen.chosen_us = numbers[1];
    order.num_groups = static_cast<int>(numbers[2]);
    order.channels = {.across = numbers[3], .inside = numbers[4]};
    order.source = static_cast<CostsSource>(static_cast<int>(numbers[5]));
    order.num_pairs = static_cast<int>(numbers[6]);
  }

  OwnCommunicator const* own_;
  TreeOrderRequest const* request_;
};

}  // namespace

double TreeOrder::num_calls_to_pay() const noexcept {
  double const saved_us = chosen.standard_us - chosen.chosen_us;
  return saved_us > 0 ? overhead.total_us() / saved_us : std::numeric_limits<double>::infinity();
}

TreeOrder find_tree_order(OwnCommunicator const& own, TreeOrderRequest const& request) {
  return Finder(own, request).find();
}

TreeOrderOverhead slowest(OwnCommunicator const& own, TreeOrderOverhead const& mine) {
  std::array<double, 5> all{
      mine.find_us, mine.measure_us, mine.compute_us, mine.create_us, mine.trial_us
  };
  mpi::require_success(
      PMPI_Allreduce(MPI_IN_PLACE, all.data(), 5, MPI_DOUBLE, MPI_MAX, own.get()), "MPI_Allreduce"
  );
  return {all[0], all[1], all[2], all[3], all[4]};
}

}  // namespace espalier::plan
