// SPDX-License-Identifier: Apache-2.0

/// @file
/// What executors are tested with: the catalog, and a few small programs that show what the catalog
/// may not: signals, waits for sends, scratch memory in which data are forwarded.

#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::test {

using schedule::blocks;
using schedule::Builder;
using schedule::Collective;
using schedule::OperandOrder;
using schedule::RankProgram;
using schedule::Slot;

/// One way to run a collective on a given number of ranks.
struct Schedule {
  std::string name;
  std::function<bool(int root)> accepts;
  std::function<RankProgram(int root, int rank)> generate;
  std::function<OperandOrder(int root)> order;
  bool equal_blocks_only = false;
};

/// Programs written by hand, in place as those of the catalog.
class HandMade {
public:
  HandMade(int num_ranks, int root, int rank, int num_blocks = 1)
      : p_(num_ranks), root_(root), rank_(rank),
        builder_(algorithms::output_frame(num_ranks, num_blocks), rank),
        all_(blocks(0, num_blocks)) {}

  /// Signals over growing distances.
  RankProgram barrier() {
    for (int distance = 1; distance < p_; distance *= 2) {
      builder_.send_signal(wrap(rank_ + distance, p_)).recv_signal(wrap(rank_ - distance, p_));
      builder_.next_round();
    }
    return std::move(builder_).finish();
  }

  /// From the last rank to the root; each rank puts its block in front of those behind it.
  RankProgram chain_gather() {
    int const place = wrap(rank_ - root_, p_);
    int const num_behind = p_ - 1 - place;
    if (place == 0) {
      builder_.recv(wrap(rank_ + 1, p_), blocks(rank_ + 1, num_behind));
      return std::move(builder_).finish();
    }
    Slot const own = builder_.scratch(blocks(rank_));
    Slot const behind = builder_.scratch(blocks(rank_ + 1, num_behind));
    builder_.copy(own, blocks(rank_)).recv(wrap(rank_ + 1, p_), behind).next_round();
    builder_.send(wrap(rank_ - 1, p_), std::vector<Slot>{own, behind});
    return std::move(builder_).finish();
  }

  /// The way back.
  RankProgram chain_scatter() {
    int const place = wrap(rank_ - root_, p_);
    int const num_behind = p_ - 1 - place;
    if (place == 0) {
      builder_.send(wrap(rank_ + 1, p_), blocks(rank_ + 1, num_behind));
      return std::move(builder_).finish();
    }
    Slot const own = builder_.scratch(blocks(rank_));
    Slot const behind = builder_.scratch(blocks(rank_ + 1, num_behind));
    builder_.recv(wrap(rank_ - 1, p_), std::vector<Slot>{own, behind}).next_round();
    builder_.copy(blocks(rank_), own).send(wrap(rank_ + 1, p_), behind);
    return std::move(builder_).finish();
  }

  /// From the last rank to rank 0, and from there to the root, in rank order.
  RankProgram chain_reduce() {
    Slot accumulator = all_;
    if (rank_ < p_ - 1) {
      accumulator = builder_.scratch(all_);
      builder_.recv(rank_ + 1, accumulator).next_round().reduce(accumulator, all_).next_round();
    }
    if (rank_ > 0) {
      builder_.send(rank_ - 1, accumulator);
    } else if (root_ != 0) {
      builder_.send(root_, accumulator);
    } else if (p_ > 1) {
      builder_.copy(all_, accumulator);
    }
    if (rank_ == root_ && root_ != 0) {
      builder_.wait_for_sends().next_round().recv(0, all_);
    }
    return std::move(builder_).finish();
  }

  /// ((0 op 1) op 2) ... along the ranks; the last one hands the result back.
  RankProgram left_allreduce() {
    fold_from_left();
    builder_.wait_for_sends().next_round();
    if (rank_ < p_ - 1) {
      builder_.recv(rank_ + 1, all_).next_round();
    }
    if (rank_ > 0) {
      builder_.send(rank_ - 1, all_);
    }
    return std::move(builder_).finish();
  }

  RankProgram left_scan() {
    fold_from_left();
    return std::move(builder_).finish();
  }

  RankProgram left_exscan() {
    Slot const own = builder_.scratch(all_);
    builder_.copy(own, all_).next_round();
    if (rank_ > 0) {
      builder_.recv(rank_ - 1, all_).next_round().reduce(own, all_).next_round();
    }
    if (rank_ < p_ - 1) {
      builder_.send(rank_ + 1, own);
    }
    return std::move(builder_).finish();
  }

  /// Pairs at doubling distances; two scratch blocks take turns. A power of two of ranks.
  RankProgram doubling_allreduce() {
    Slot accumulator = builder_.scratch(all_);
    Slot received = builder_.scratch(all_);
    builder_.copy(accumulator, all_).next_round();
    for (int distance = 1; distance < p_; distance *= 2) {
      int const peer = rank_ ^ distance;
      builder_.send(peer, accumulator).recv(peer, received).wait_for_sends().next_round();
      if (peer < rank_) {
        builder_.reduce(accumulator, received);
      } else {
        builder_.reduce(received, accumulator);
        std::swap(accumulator, received);
      }
      builder_.next_round();
    }
    builder_.copy(all_, accumulator);
    return std::move(builder_).finish();
  }

  /// Every rank gets all contributions to its part and folds them from the left.
  RankProgram direct_reduce_scatter() {
    Slot const own = blocks(rank_);
    std::vector<Slot> contributions;
    for (int i = 0; i < p_; ++i) {
      contributions.push_back(i == rank_ ? own : builder_.scratch(own));
      if (i != rank_) {
        builder_.send(i, blocks(i)).recv(i, contributions.back());
      }
    }
    for (std::size_t i = 1; i < contributions.size(); ++i) {
      builder_.next_round().reduce(contributions[i], contributions[i - 1]);
    }
    if (rank_ != p_ - 1) {
      builder_.next_round().copy(own, contributions.back());
    }
    return std::move(builder_).finish();
  }

private:
  void fold_from_left() {
    if (rank_ > 0) {
      Slot const before = builder_.scratch(all_);
      builder_.recv(rank_ - 1, before).next_round().reduce(all_, before).next_round();
    }
    if (rank_ < p_ - 1) {
      builder_.send(rank_ + 1, all_);
    }
  }

  int p_;
  int root_;
  int rank_;
  Builder builder_;
  Slot all_;
};

/// Input block i as a slot.
inline Slot inputs(int first, int num_blocks = 1) {
  return {.buffer = schedule::Buffer::input, .first = first, .num_blocks = num_blocks, .stride = 1};
}

/// One message for each pair of ranks.
inline RankProgram direct_alltoall(int p, int rank) {
  Builder builder(schedule::alltoall_frame(p, rank), rank);
  builder.copy(blocks(rank), inputs(rank));
  for (int distance = 1; distance < p; ++distance) {
    int const to = wrap(rank + distance, p);
    int const from = wrap(rank - distance, p);
    builder.send(to, inputs(to)).recv(from, blocks(from));
  }
  return std::move(builder).finish();
}

/// Everything goes over rank 0, which keeps all blocks of all others.
inline RankProgram central_alltoall(int p, int rank) {
  Builder builder(schedule::alltoall_frame(p, rank), rank);
  if (rank != 0) {
    builder.send(0, inputs(0, p)).recv(0, blocks(0, p));
    return std::move(builder).finish();
  }
  std::vector<Slot> from;
  for (int i = 0; i < p; ++i) {
    from.push_back(builder.scratch(blocks(0, p)));
    if (i == 0) {
      builder.copy(from.back(), inputs(0, p));
    } else {
      builder.recv(i, from.back());
    }
  }
  builder.next_round();
  for (int to = 0; to < p; ++to) {
    std::vector<Slot> message;
    for (Slot slot : from) {
      slot.first += to;
      slot.num_blocks = 1;
      message.push_back(slot);
    }
    if (to == 0) {
      builder.copy(std::vector<Slot>{blocks(0, p)}, message);
    } else {
      builder.send(to, message);
    }
  }
  return std::move(builder).finish();
}

/// What is written by hand for a collective.
inline std::vector<Schedule> hand_made(Collective collective, int p) {
  std::vector<Schedule> result;
  auto const add = [&](char const* name, OperandOrder order, auto&& generate) {
    result.push_back({
        .name = std::string(to_string(collective)) + "/by_hand_" + name,
        .accepts = [](int) { return true; },
        .generate = generate,
        .order = [order](int) { return order; },
    });
  };
  switch (collective) {
  case Collective::barrier:
    add("signals", OperandOrder::any, [p](int root, int rank) {
      return HandMade(p, root, rank, 0).barrier();
    });
    break;
  case Collective::gather:
    add("chain", OperandOrder::any, [p](int root, int rank) {
      return HandMade(p, root, rank, p).chain_gather();
    });
    break;
  case Collective::scatter:
    add("chain", OperandOrder::any, [p](int root, int rank) {
      return HandMade(p, root, rank, p).chain_scatter();
    });
    break;
  case Collective::reduce:
    for (int const num_blocks : {1, 3}) {
      add("chain", OperandOrder::rank, [p, num_blocks](int root, int rank) {
        return HandMade(p, root, rank, num_blocks).chain_reduce();
      });
    }
    break;
  case Collective::allreduce:
    add("left", OperandOrder::left, [p](int root, int rank) {
      return HandMade(p, root, rank, 3).left_allreduce();
    });
    if (is_power_of_two(p)) {
      add("doubling", OperandOrder::rank, [p](int root, int rank) {
        return HandMade(p, root, rank, 1).doubling_allreduce();
      });
    }
    break;
  case Collective::scan:
    add("left", OperandOrder::left, [p](int root, int rank) {
      return HandMade(p, root, rank, 2).left_scan();
    });
    break;
  case Collective::exscan:
    add("left", OperandOrder::left, [p](int root, int rank) {
      return HandMade(p, root, rank, 2).left_exscan();
    });
    break;
  case Collective::reduce_scatter:
    add("direct", OperandOrder::left, [p](int root, int rank) {
      return HandMade(p, root, rank, p).direct_reduce_scatter();
    });
    break;
  case Collective::alltoall:
    add("direct", OperandOrder::any, [p](int, int rank) { return direct_alltoall(p, rank); });
    add("central", OperandOrder::any, [p](int, int rank) { return central_alltoall(p, rank); });
    result.back().equal_blocks_only = true;
    break;
  default:
    break;
  }
  return result;
}

inline Schedule from_catalog(algorithms::Choice const& choice, int p) {
  return {
      .name = choice.text(),
      .accepts = [choice, p](int root) { return choice.refuses(p, root).empty(); },
      .generate = [choice, p](int root, int rank) { return choice.generate(p, root, rank); },
      .order = [choice, p](int root) { return choice.order(p, root); },
      .equal_blocks_only = choice.algorithm().equal_blocks_only,
  };
}

/// Everything there is for a collective: by hand, all variants, and segments where they are
/// possible.
inline std::vector<Schedule> schedules(Collective collective, int p) {
  std::vector<Schedule> result = hand_made(collective, p);
  for (algorithms::Choice const& choice : algorithms::variants(collective, p)) {
    result.push_back(from_catalog(choice, p));
  }
  for (algorithms::Algorithm const* algorithm : algorithms::catalog()) {
    if (algorithm->collective != collective || algorithm->segment_period == nullptr) {
      continue;
    }
    for (char const* const segments : {"[segments=3]", "[segments=40]"}) {
      auto const choice =
          algorithms::Choice::parse(collective, std::string(algorithm->name) + segments);
      if (choice.refuses(p, 0).empty()) {
        result.push_back(from_catalog(choice, p));
      }
    }
  }
  return result;
}

}  // namespace espalier::test
