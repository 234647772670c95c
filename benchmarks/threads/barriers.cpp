// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/threads/barriers.hpp"

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include <utility>
#include <vector>

#include "benchmarks/threads/flags.hpp"

namespace espalier::benchmarks::threads {
namespace {

class TreeBarrier : public Barrier {
public:
  TreeBarrier(Places places, TreeSignals signals, bool shares_cores)
      : places_(std::move(places)), signals_(signals), shares_cores_(shares_cores),
        seats_(places_.size()) {}

  void wait(int thread) override {
    pattern::TreeNode const& place = places_[static_cast<std::size_t>(thread)];
    Seat& own = seat(thread);
    Epoch const epoch = ++own.num_calls.value;
    wait_for_children(place, own, epoch);
    if (place.parent >= 0) {
      arrive(place, own, epoch);
      Flag const& above = signals_.down == Signals::pull ? seat(place.parent).release : own.release;
      above.wait_for(epoch, shares_cores_);
    }
    release_children(place, own, epoch);
  }

private:
  struct Seat {
    Count num_calls;
    Flag arrival;  ///< pull: calls that this subtree has entered; push: arrivals of all children
    Flag release;  ///< pull: calls that the children may leave; push: that this thread may leave
  };

  Seat& seat(int thread) { return seats_[static_cast<std::size_t>(thread)]; }

  void wait_for_children(pattern::TreeNode const& place, Seat& own, Epoch epoch) {
    if (signals_.up == Signals::push) {
      own.arrival.wait_for(epoch * place.children.size(), shares_cores_);
      return;
    }
    // The last one served has the smallest subtree, so it arrives first.
    for (std::size_t i = place.children.size(); i-- > 0;) {
      seat(place.children[i].child).arrival.wait_for(epoch, shares_cores_);
    }
  }

  void arrive(pattern::TreeNode const& place, Seat& own, Epoch epoch) {
    if (signals_.up == Signals::push) {
      seat(place.parent).arrival.raise();
    } else {
      own.arrival.store(epoch);
    }
  }

  void release_children(pattern::TreeNode const& place, Seat& own, Epoch epoch) {
    if (signals_.down == Signals::pull) {
      own.release.store(epoch);
      return;
    }
    for (pattern::TreeEdge const& edge : place.children) {
      seat(edge.child).release.store(epoch);
    }
  }

  Places places_;
  TreeSignals signals_;
  bool shares_cores_;
  std::vector<Seat> seats_;
};

class DisseminationBarrier : public Barrier {
public:
  DisseminationBarrier(int radix, int num_threads, bool shares_cores)
      : num_threads_(num_threads), shares_cores_(shares_cores),
        num_calls_(static_cast<std::size_t>(num_threads)) {
    for (std::int64_t unit = 1; unit < num_threads; unit *= radix) {
      std::vector<int>& distances = rounds_.emplace_back();
      for (int digit = 1; digit < radix && digit * unit < num_threads; ++digit) {
        distances.push_back(static_cast<int>(digit * unit));
      }
      num_signals_ += distances.size();
    }
    flags_ = std::vector<Flag>(num_signals_ * static_cast<std::size_t>(num_threads));
  }

  void wait(int thread) override {
    Epoch const epoch = ++num_calls_[static_cast<std::size_t>(thread)].value;
    std::size_t first = 0;
    for (std::vector<int> const& distances : rounds_) {
      for (std::size_t i = 0; i < distances.size(); ++i) {
        flag((thread + distances[i]) % num_threads_, first + i).store(epoch);
      }
      for (std::size_t i = 0; i < distances.size(); ++i) {
        flag(thread, first + i).wait_for(epoch, shares_cores_);
      }
      first += distances.size();
    }
  }

private:
  /// Each has one writer.
  Flag& flag(int thread, std::size_t signal) {
    return flags_[static_cast<std::size_t>(thread) * num_signals_ + signal];
  }

  int num_threads_;
  bool shares_cores_;
  std::vector<Count> num_calls_;
  std::vector<std::vector<int>> rounds_;  ///< the distances of each
  std::size_t num_signals_ = 0;           ///< that a thread gets in a call
  std::vector<Flag> flags_;
};

class PthreadBarrier : public Barrier {
public:
  explicit PthreadBarrier(int num_threads) {
    pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(num_threads));
  }

  PthreadBarrier(PthreadBarrier const&) = delete;
  PthreadBarrier& operator=(PthreadBarrier const&) = delete;
  PthreadBarrier(PthreadBarrier&&) = delete;
  PthreadBarrier& operator=(PthreadBarrier&&) = delete;

  ~PthreadBarrier() override { pthread_barrier_destroy(&barrier_); }

  void wait(int /*thread*/) override { pthread_barrier_wait(&barrier_); }

private:
  pthread_barrier_t barrier_{};
};

class StdBarrier : public Barrier {
public:
  explicit StdBarrier(int num_threads) : barrier_(num_threads) {}

  void wait(int /*thread*/) override { barrier_.arrive_and_wait(); }

private:
  std::barrier<> barrier_;
};

}  // namespace

std::unique_ptr<Barrier> make_tree_barrier(Places places, TreeSignals signals, bool shares_cores) {
  return std::make_unique<TreeBarrier>(std::move(places), signals, shares_cores);
}

std::unique_ptr<Barrier> make_dissemination_barrier(int radix, int num_threads, bool shares_cores) {
  return std::make_unique<DisseminationBarrier>(radix, num_threads, shares_cores);
}

std::unique_ptr<Barrier> make_pthread_barrier(int num_threads) {
  return std::make_unique<PthreadBarrier>(num_threads);
}

std::unique_ptr<Barrier> make_std_barrier(int num_threads) {
  return std::make_unique<StdBarrier>(num_threads);
}

}  // namespace espalier::benchmarks::threads
