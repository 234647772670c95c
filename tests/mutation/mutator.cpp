// SPDX-License-Identifier: Apache-2.0

#include "tests/mutation/mutator.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/integer.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::mutation {
namespace {

using schedule::Buffer;
using schedule::Kind;
using schedule::Operation;
using schedule::Range;
using schedule::RankProgram;
using schedule::Slot;

using Blocks = std::set<std::pair<Buffer, int>>;

Blocks blocks_of(RankProgram const& program, std::span<Slot const> slots) {
  Blocks blocks;
  schedule::for_each_block(program.frame, slots, [&](Buffer buffer, int block) {
    blocks.emplace(buffer, block);
  });
  return blocks;
}

bool meet(Blocks const& a, Blocks const& b) {
  return std::ranges::any_of(a, [&](auto const& block) { return b.contains(block); });
}

/// closure[i][j]: operation i is complete when j starts.
std::vector<std::vector<bool>> closure_of(RankProgram const& program) {
  std::size_t const n = program.operations.size();
  std::vector closure(n, std::vector<bool>(n, false));
  for (std::size_t j = 0; j < n; ++j) {
    Operation const& operation = program.operations[j];
    for (std::size_t i = 0; i < j; ++i) {
      int const end = program.operations[i].writes() ? operation.after : operation.after_sends;
      closure[i][j] = i < static_cast<std::size_t>(end);
    }
    for (int const i : program.waits(operation)) {
      closure[static_cast<std::size_t>(i)][j] = true;
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; closure[i][k] && j < n; ++j) {
        closure[i][j] = closure[i][j] || closure[k][j];
      }
    }
  }
  return closure;
}

bool conflict(RankProgram const& program, Operation const& a, Operation const& b) {
  auto const touched = [&](Operation const& operation) {
    Blocks all = blocks_of(program, program.slots(operation));
    all.merge(blocks_of(program, program.sources(operation)));
    return all;
  };
  return (a.writes() && meet(blocks_of(program, program.slots(a)), touched(b))) ||
         (b.writes() && meet(blocks_of(program, program.slots(b)), touched(a)));
}

/// Operations start in program order as soon as they may, except that in a dataflow program
/// completion decides.
bool may_overtake(RankProgram const& program, Operation const& a, Operation const& b) {
  return a.peer >= 0 && a.kind == b.kind && a.peer == b.peer && a.tag == b.tag &&
         (program.is_dataflow() || b.after < a.after || b.after_sends < a.after_sends);
}

bool is_safe(RankProgram const& program) {
  auto const closure = closure_of(program);
  for (std::size_t j = 0; j < program.operations.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      Operation const& a = program.operations[i];
      Operation const& b = program.operations[j];
      if ((conflict(program, a, b) && !closure[i][j]) || may_overtake(program, a, b)) {
        return false;
      }
    }
  }
  return true;
}

/// Changes one operation of one rank at a time and counts what the prover says.
class Mutator {
public:
  explicit Mutator(Subject subject) : subject_(std::move(subject)) {}

  int run() {
    for (std::size_t rank = 0; rank < subject_.programs.size(); ++rank) {
      auto const n = static_cast<int>(subject_.programs[rank].operations.size());
      for (int index = 0; index < n; ++index) {
        rank_ = rank;
        index_ = index;
        change_what();
        change_blocks();
        change_waits();
      }
    }
    EXPECT_LE(10 * num_equivalent_, num_mutants_) << subject_.name;
    return num_mutants_;
  }

private:
  RankProgram const& original() const { return subject_.programs[rank_]; }

  Operation const& operation() const {
    return original().operations[static_cast<std::size_t>(index_)];
  }

  void change_what() {
    auto const erase = [&](RankProgram& program) { erase_operation(program, index_); };
    if (operation().peer < 0) {
      expect_rejected_mostly(erase);
    } else {
      expect_rejected("deleted", erase);
    }
    // To copy the same value once more does no harm, nor does a sum in scratch that nobody reads.
    bool const is_message = operation().peer >= 0;
    bool const updates_output = operation().kind == Kind::reduce &&
                                original().slots(operation()).front().buffer == Buffer::output;
    if (is_message || updates_output) {
      expect_rejected("repeated at the end", [&](RankProgram& program) {
        Operation again = operation();
        again.after = static_cast<int>(program.operations.size());
        program.operations.push_back(again);
      });
    }
    if (operation().peer < 0) {
      return;
    }
    for (int peer = 0; peer < original().frame.num_ranks; ++peer) {
      if (peer != operation().peer) {
        expect_rejected_if_changed("peer", [&](Operation& changed) { changed.peer = peer; });
      }
    }
    expect_rejected_if_changed("kind", [](Operation& changed) {
      changed.kind = changed.kind == Kind::send ? Kind::recv : Kind::send;
    });
    expect_rejected_if_changed("tag", [](Operation& changed) { ++changed.tag; });
    expect_rejected_if_changed("round", [](Operation& changed) { ++changed.round; });
  }

  void change_blocks() {
    change_slots(&Operation::slots);
    change_slots(&Operation::sources);
  }

  std::vector<int> blocks_of(Slot const& slot) const {
    std::vector<int> blocks;
    schedule::for_each_block(original().frame, std::span(&slot, 1), [&](Buffer, int block) {
      blocks.push_back(block);
    });
    std::ranges::sort(blocks);
    return blocks;
  }

  /// One block is copied to several, and the change lets it begin with another of them.
  bool copies_the_same(Slot const& slot, Slot const& changed) const {
    std::vector<int> sources;
    for (Slot const& source : slots_of(original(), operation().sources)) {
      std::ranges::copy(blocks_of(source), std::back_inserter(sources));
    }
    bool const has_one_source = operation().kind == Kind::copy && !sources.empty() &&
                                std::ranges::count(sources, sources.front()) == std::ssize(sources);
    return has_one_source && blocks_of(slot) == blocks_of(changed);
  }

  void change_slots(Range Operation::*range) {
    auto const slots = slots_of(original(), operation().*range);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      int const size = original().frame.num_blocks(slots[i].buffer);
      auto const with = [&](Slot const& changed) {
        std::vector<Slot> result = slots;
        result[i] = changed;
        return [=, this](RankProgram& program) {
          auto& target = program.operations[static_cast<std::size_t>(index_)];
          target.*range = add_slots(program, result);
        };
      };
      for (int shift = 1; shift < size; ++shift) {
        Slot shifted = slots[i];
        shifted.first = wrap(shifted.first + shift, size);
        if (copies_the_same(slots[i], shifted)) {
          continue;
        }
        if (slots[i].buffer == Buffer::scratch) {
          expect_rejected_mostly(with(shifted));
        } else {
          expect_rejected("first block", with(shifted));
        }
      }
      if (slots[i].num_blocks > 1) {
        Slot shorter = slots[i];
        --shorter.num_blocks;
        expect_rejected("number of blocks", with(shorter));
        Slot stretched = slots[i];
        stretched.stride = wrap(stretched.stride + 1, size);
        expect_rejected("stride", with(stretched));
      }
    }
  }

  void change_waits() {
    for (int after = 0; after < operation().after; ++after) {
      expect_rejected_if_unsafe("after", [&](RankProgram& program) {
        program.operations[static_cast<std::size_t>(index_)].after = after;
      });
    }
    for (int after = 0; after < operation().after_sends; ++after) {
      expect_rejected_if_unsafe("after_sends", [&](RankProgram& program) {
        program.operations[static_cast<std::size_t>(index_)].after_sends = after;
      });
    }
    for (int i = 0; i < operation().waits.size(); ++i) {
      expect_rejected_if_unsafe("waits", [&](RankProgram& program) {
        erase_wait(program, index_, i);
      });
    }
  }

  template <typename Change> void expect_rejected_if_changed(char const* what, Change&& change) {
    expect_rejected(what, [&](RankProgram& program) {
      change(program.operations[static_cast<std::size_t>(index_)]);
    });
  }

  template <typename Change> void expect_rejected(char const* what, Change&& change) {
    Programs programs = subject_.programs;
    change(programs[rank_]);
    EXPECT_FALSE(subject_.judge(programs).holds()) << described(what);
    ++num_mutants_;
  }

  /// Composites copy between phases, and so another scratch block can hold the same value, or be
  /// free for the same use; and a phase can leave a rank a value that a later one replaces.
  template <typename Change> void expect_rejected_mostly(Change&& change) {
    Programs programs = subject_.programs;
    change(programs[rank_]);
    num_equivalent_ += subject_.judge(programs).holds() ? 1 : 0;
    ++num_mutants_;
  }

  template <typename Change> void expect_rejected_if_unsafe(char const* what, Change&& change) {
    Programs programs = subject_.programs;
    change(programs[rank_]);
    bool const holds = subject_.judge(programs).holds();
    // A barrier has no memory to keep safe, but who waits for whom is all that it is about.
    if (holds || original().frame.num_output_blocks > 0) {
      EXPECT_EQ(holds, is_safe(programs[rank_])) << described(what);
    }
    ++num_mutants_;
  }

  std::string described(char const* what) const {
    return subject_.name + ", rank " + std::to_string(rank_) + ", operation " +
           std::to_string(index_) + " (" + to_text(original(), operation()) + "), changed: " + what;
  }

  Subject subject_;
  std::size_t rank_ = 0;
  int index_ = 0;
  int num_mutants_ = 0;
  int num_equivalent_ = 0;  ///< of them accepted, and right
};

/// Long pipelines repeat themselves, and every changed operation is judged together with all
/// others.
constexpr std::size_t most_operations = 40;

}  // namespace

int mutate(Subject subject) {
  bool const is_long = std::ranges::any_of(subject.programs, [](RankProgram const& program) {
    return program.operations.size() > most_operations;
  });
  if (is_long) {
    return 0;
  }
  verify::Verdict const verdict = subject.judge(subject.programs);
  EXPECT_TRUE(verdict.holds()) << subject.name << ": " << to_string(*verdict.violation);
  return verdict.holds() ? Mutator(std::move(subject)).run() : 0;
}

}  // namespace espalier::mutation
