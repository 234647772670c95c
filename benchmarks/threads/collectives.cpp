// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/threads/collectives.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "benchmarks/threads/flags.hpp"

namespace espalier::benchmarks::threads {
namespace {

/// Threads at their places, each with flags of its own that others look at, and with scratch space
/// for the data of its subtree in two calls behind each other.
class AlongTree : public Collective {
public:
  AlongTree(Shape shape, bool is_whole_subtree)
      : shape_(std::move(shape)), seats_(shape_.places.size()) {
    for (std::size_t i = 0; i < seats_.size(); ++i) {
      auto const size = static_cast<std::size_t>(shape_.places[i].size);
      bool const is_between = i != 0 && !shape_.places[i].children.empty();
      std::size_t const blocks = !is_between ? 0 : is_whole_subtree ? size : 1;
      for (std::vector<double>& slot : seats_[i].slots) {
        slot.resize(blocks * shape_.most_elements);
      }
    }
  }

protected:
  static constexpr Epoch num_slots = 2;

  struct Seat {
    Count num_calls;
    Flag ready;  ///< calls whose data are there for another thread
    Flag taken;  ///< calls that no longer need data of another one, or scratch space
    std::array<std::vector<double>, num_slots> slots;
  };

  [[nodiscard]] pattern::TreeNode const& place(int thread) const {
    return shape_.places[static_cast<std::size_t>(thread)];
  }

  Seat& seat(int thread) { return seats_[static_cast<std::size_t>(thread)]; }

  double* scratch(int thread, Epoch epoch) { return seat(thread).slots[epoch % num_slots].data(); }

  Epoch enter(int thread) { return ++seat(thread).num_calls.value; }

  void wait_until_ready(int thread, Epoch epoch) {
    seat(thread).ready.wait_for(epoch, shape_.shares_cores);
  }

  /// Waits until a thread no longer needs anything of a call some calls ago.
  void wait_until_taken(int thread, Epoch epoch, Epoch num_calls_ago) {
    if (epoch > num_calls_ago) {
      seat(thread).taken.wait_for(epoch - num_calls_ago, shape_.shares_cores);
    }
  }

private:
  Shape shape_;
  std::vector<Seat> seats_;
};

double const* source_of(Arrays const& arrays, int thread) {
  return arrays.sources[static_cast<std::size_t>(thread)];
}

double* destination_of(Arrays const& arrays, int thread) {
  return arrays.destinations[static_cast<std::size_t>(thread)];
}

/// How many elements lie before the piece of a thread, in the run of another one.
std::size_t offset(int thread, int first, std::size_t num_elements) {
  return static_cast<std::size_t>(thread - first) * num_elements;
}

/// A thread copies from the destination of its parent; below the root, from the source.
class Broadcast : public AlongTree {
public:
  explicit Broadcast(Shape shape) : AlongTree(std::move(shape), false) {}

  void run(int thread, Arrays const& arrays, std::size_t num_elements) override {
    Epoch const epoch = enter(thread);
    pattern::TreeNode const& own = place(thread);
    double* const to = destination_of(arrays, thread);
    if (thread == 0) {
      seat(0).ready.store(epoch);
      std::copy_n(source_of(arrays, 0), num_elements, to);
      return;
    }
    wait_until_ready(own.parent, epoch);
    for (pattern::TreeEdge const& edge : own.children) {
      wait_until_taken(edge.child, epoch, 1);
    }
    double const* const from =
        own.parent == 0 ? source_of(arrays, 0) : destination_of(arrays, own.parent);
    std::copy_n(from, num_elements, to);
    seat(thread).ready.store(epoch);
    seat(thread).taken.store(epoch);
  }
};

/// A thread copies the pieces of its subtree from its parent.
class Scatter : public AlongTree {
public:
  explicit Scatter(Shape shape) : AlongTree(std::move(shape), true) {}

  void run(int thread, Arrays const& arrays, std::size_t num_elements) override {
    Epoch const epoch = enter(thread);
    pattern::TreeNode const& own = place(thread);
    double* const to = destination_of(arrays, thread);
    if (thread == 0) {
      seat(0).ready.store(epoch);
      std::copy_n(source_of(arrays, 0), num_elements, to);
      return;
    }
    wait_until_ready(own.parent, epoch);
    double const* const above = own.parent == 0 ? source_of(arrays, 0) : scratch(own.parent, epoch);
    double const* from = above + offset(thread, own.parent, num_elements);
    if (!own.children.empty()) {
      for (pattern::TreeEdge const& edge : own.children) {
        wait_until_taken(edge.child, epoch, num_slots);
      }
      double* const pieces = scratch(thread, epoch);
      std::copy_n(from, static_cast<std::size_t>(own.size) * num_elements, pieces);
      seat(thread).ready.store(epoch);
      from = pieces;
    }
    std::copy_n(from, num_elements, to);
    seat(thread).taken.store(epoch);
  }
};

/// A thread puts the pieces of its subtree where its parent gathers; below the root, where they
/// belong.
class Gather : public AlongTree {
public:
  explicit Gather(Shape shape) : AlongTree(std::move(shape), true) {}

  void run(int thread, Arrays const& arrays, std::size_t num_elements) override {
    Epoch const epoch = enter(thread);
    pattern::TreeNode const& own = place(thread);
    double const* from = source_of(arrays, thread);
    if (thread == 0 || !own.children.empty()) {
      double* const to = thread == 0 ? destination_of(arrays, 0) : scratch(thread, epoch);
      std::copy_n(from, num_elements, to);
      for (std::size_t i = own.children.size(); i-- > 0;) {
        wait_until_ready(own.children[i].child, epoch);
      }
      from = to;
    }
    if (thread == 0) {
      return;
    }
    double* to = destination_of(arrays, 0);
    if (own.parent != 0) {
      wait_until_taken(own.parent, epoch, num_slots);
      to = scratch(own.parent, epoch);
    }
    auto const num_pieces = static_cast<std::size_t>(own.size);
    std::copy_n(from, num_pieces * num_elements, to + offset(thread, own.parent, num_elements));
    seat(thread).taken.store(epoch);
    seat(thread).ready.store(epoch);
  }
};

/// A thread adds what its children have to its own, when they are ready.
class Reduce : public AlongTree {
public:
  explicit Reduce(Shape shape) : AlongTree(std::move(shape), false) {}

  void run(int thread, Arrays const& arrays, std::size_t num_elements) override {
    Epoch const epoch = enter(thread);
    pattern::TreeNode const& own = place(thread);
    double const* from = source_of(arrays, thread);
    if (thread == 0 || !own.children.empty()) {
      double* const to = thread == 0 ? destination_of(arrays, 0) : scratch(thread, epoch);
      if (thread != 0) {
        wait_until_taken(own.parent, epoch, num_slots);
      }
      for (std::size_t i = own.children.size(); i-- > 0;) {
        double const* const theirs = partial_sum(own.children[i].child, arrays, epoch);
        std::transform(from, from + num_elements, theirs, to, std::plus<>());
        from = to;
      }
      if (from != to) {
        std::copy_n(from, num_elements, to);  // the only thread
      }
      seat(thread).taken.store(epoch);
    }
    seat(thread).ready.store(epoch);
  }

private:
  /// Waits until a child has it.
  double const* partial_sum(int child, Arrays const& arrays, Epoch epoch) {
    wait_until_ready(child, epoch);
    return place(child).children.empty() ? source_of(arrays, child) : scratch(child, epoch);
  }
};

}  // namespace

std::unique_ptr<Collective> make_collective(std::string_view name, Shape shape) {
  if (name == "broadcast") {
    return std::make_unique<Broadcast>(std::move(shape));
  }
  if (name == "scatter") {
    return std::make_unique<Scatter>(std::move(shape));
  }
  if (name == "gather") {
    return std::make_unique<Gather>(std::move(shape));
  }
  if (name == "reduce") {
    return std::make_unique<Reduce>(std::move(shape));
  }
  throw std::invalid_argument(
      "expected broadcast, scatter, gather or reduce, got " + std::string(name)
  );
}

}  // namespace espalier::benchmarks::threads
