// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every algorithm of the catalog, run by threads on real memory. The whole memory is compared
/// afterwards, so that a byte written between or around the blocks shows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/exec/memory/private_memory.hpp"
#include "espalier/exec/memory/unwrap.hpp"
#include "espalier/exec/threads/thread_executor.hpp"
#include "tests/support/schedules.hpp"

namespace espalier::exec {
namespace {

using schedule::Collective;
using schedule::OperandOrder;
using test::Schedule;

constexpr std::byte guard{0xA5};
constexpr std::int64_t guard_bytes = 64;
/// Some of the messages are large enough to be cut where they wrap.
constexpr std::int64_t smallest_cut_bytes = 12;

using Memory = std::vector<std::byte>;

/// One run of a schedule.
struct Case {
  Schedule const& schedule;
  Collective collective = Collective::barrier;
  int num_ranks = 1;
  int root = 0;
  bool is_in_place = false;
  SendMode mode = SendMode::rendezvous;

  /// Whether MPI lets this rank be in place.
  [[nodiscard]] bool is_in_place_on(int rank) const {
    return is_in_place && (!has_root(collective) || rank == root);
  }
};

/// Blocks in guarded memory.
struct Place {
  Layout layout;
  Memory memory;
};

std::int64_t end_of(Layout const& layout) {
  std::int64_t end = 0;
  for (int b = 0; b < layout.num_blocks(); ++b) {
    if (layout.has_place(b)) {
      Extent const place = layout.block(b);
      end = std::max(end, place.offset_bytes + place.num_elements * layout.element_extent_bytes());
    }
  }
  return end;
}

Place guarded(Layout layout) {
  auto const size = static_cast<std::size_t>(end_of(layout) + 2 * guard_bytes);
  return {std::move(layout), Memory(size, guard)};
}

Place nothing(int num_blocks, std::int64_t extent_bytes) {
  return guarded(Layout::uniform(0, 0, extent_bytes).within(num_blocks, 0));
}

std::byte* address(Memory& memory) {
  return memory.data() + guard_bytes;
}

/// Contents of a block, byte by byte.
using Content = std::function<std::byte(int block, std::int64_t byte)>;

void fill(Place& place, int block, Content const& content) {
  Extent const extent = place.layout.block(block);
  std::int64_t const num_bytes = extent.num_elements * place.layout.element_extent_bytes();
  for (std::int64_t i = 0; i < num_bytes; ++i) {
    address(place.memory)[extent.offset_bytes + i] = content(block, i);
  }
}

Place filled(Layout const& layout, Content const& content) {
  Place place = guarded(layout);
  for (int b = 0; b < layout.num_blocks(); ++b) {
    if (layout.has_place(b)) {
      fill(place, b, content);
    }
  }
  return place;
}

/// What a rank has before and after.
struct RankMemory {
  std::optional<Place> input;
  Place output;
  Memory expected;
  Layout sizes;
  bool input_is_output = false;
};

using Combine = std::function<void(std::byte const*, std::byte*, std::int64_t)>;

/// Runs a case; `memory_of` says what a rank has. Returns what the outputs hold.
template <typename MemoryOf>
std::vector<Memory> run(Case const& the, MemoryOf&& memory_of, Combine const& combine = {}) {
  std::vector<RankMemory> memories;
  std::vector<ThreadRank> ranks;
  for (int rank = 0; rank < the.num_ranks; ++rank) {
    schedule::RankProgram program = the.schedule.generate(the.root, rank);
    memories.push_back(memory_of(rank, program.frame.num_output_blocks));
    RankMemory const& memory = memories.back();
    bool const is_in_place = the.is_in_place_on(rank);
    program = as_called(std::move(program), the.collective, the.root, is_in_place);
    program = unwrap(std::move(program), memory.sizes, 1, smallest_cut_bytes);
    BindOptions options{.output_sizes = &memory.sizes};
    if (memory.input) {
      options.input = &memory.input->layout;
    }
    ranks.push_back({.program = bind(program, memory.output.layout, options)});
  }
  std::vector<Memory> inputs;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    RankMemory& memory = memories[r];
    ranks[r].output = address(memory.output.memory);
    ranks[r].input = memory.input_is_output ? ranks[r].output : nullptr;
    if (memory.input && !memory.input_is_output) {
      ranks[r].input = address(memory.input->memory);
    }
    inputs.push_back(memory.input ? memory.input->memory : Memory());
  }
  static exec::ThreadCrew crew;
  EXPECT_NO_THROW(run_threads(ranks, {.mode = the.mode, .combine = combine, .crew = &crew}));
  std::vector<Memory> outputs;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    RankMemory& memory = memories[r];
    if (!memory.expected.empty()) {
      EXPECT_TRUE(memory.output.memory == memory.expected) << "on rank " << r;
    }
    EXPECT_TRUE(!memory.input || memory.input->memory == inputs[r]) << "input of rank " << r;
    outputs.push_back(std::move(memory.output.memory));
  }
  return outputs;
}

/// Counts and displacements of one kind, in elements.
struct Shape {
  std::string name;
  std::vector<int> counts;
  std::vector<int> displacements;

  [[nodiscard]] bool is_equal() const {
    return std::ranges::all_of(counts, [&](int count) { return count == counts.front(); });
  }
};

Shape packed(std::string name, std::vector<int> counts, int gap) {
  Shape shape{.name = std::move(name), .counts = std::move(counts), .displacements = {}};
  int end = 0;
  for (int const count : shape.counts) {
    shape.displacements.push_back(end);
    end += count + gap;
  }
  return shape;
}

Shape reversed(Shape shape) {
  int end = 0;
  for (std::size_t i = shape.counts.size(); i-- > 0;) {
    shape.displacements[i] = end;
    end += shape.counts[i] + 1;
  }
  shape.name += "_reversed";
  return shape;
}

std::vector<Shape> shapes(int p) {
  std::vector<int> uneven;
  std::vector<int> one_only;
  for (int i = 0; i < p; ++i) {
    uneven.push_back(i * 5 % 4);
    one_only.push_back(i == p / 2 ? 9 : 0);
  }
  auto const size = static_cast<std::size_t>(p);
  return {
      packed("empty", std::vector<int>(size, 0), 0),
      packed("one", std::vector<int>(size, 1), 0),
      packed("odd_gapped", std::vector<int>(size, 7), 3),
      packed("uneven", uneven, 0),
      packed("uneven_gapped", uneven, 2),
      reversed(packed("uneven", uneven, 0)),
      reversed(packed("equal", std::vector<int>(size, 3), 0)),
      packed("one_only", one_only, 1),
  };
}

constexpr std::int64_t moved_extent = 3;

std::byte payload(int block, std::int64_t position) {
  return static_cast<std::byte>(1 + (block * 31 + position * 7) % 100);
}

/// Parts of p ranks, each cut into as many pieces as the program wants.
struct Parts {
  Layout all;
  Layout own;
  schedule::BlockRun own_run;
};

Parts parts(
    std::vector<int> counts,
    std::vector<int> const& displacements,
    int rank,
    int num_blocks,
    std::int64_t extent_bytes
) {
  int const num_pieces = num_blocks / static_cast<int>(counts.size());
  int const first = rank * num_pieces;
  return {
      .all = Layout::varying(counts, displacements, extent_bytes).divided(num_pieces),
      .own = Layout::uniform(1, counts[static_cast<std::size_t>(rank)], extent_bytes)
                 .divided(num_pieces)
                 .within(num_blocks, first),
      .own_run = {.begin = first, .size = num_pieces},
  };
}

RankMemory scatter_memory(Case const& the, Parts const& of, int rank, int num_blocks) {
  RankMemory result{.output = guarded(of.own), .expected = {}, .sizes = of.all};
  if (rank == the.root) {
    result.input = filled(of.all, payload);
  }
  if (the.is_in_place_on(rank)) {
    result.output = nothing(num_blocks, moved_extent);
    result.expected = result.output.memory;
  } else {
    result.expected = filled(of.own, payload).memory;
  }
  return result;
}

RankMemory gather_memory(Case const& the, Parts const& of, int rank, int num_blocks) {
  bool const gets_all = the.collective == Collective::allgather || rank == the.root;
  RankMemory result{
      .output = gets_all ? guarded(of.all) : nothing(num_blocks, moved_extent),
      .expected = {},
      .sizes = of.all,
  };
  result.expected = gets_all ? filled(of.all, payload).memory : result.output.memory;
  if (!the.is_in_place_on(rank)) {
    Layout const own =
        Layout::uniform(1, of.own.num_elements(), moved_extent).divided(of.own_run.size);
    result.input = filled(own, [&](int block, std::int64_t byte) {
      return payload(of.own_run.begin + block, byte);
    });
  } else {
    for (int block = of.own_run.begin; block < of.own_run.begin + of.own_run.size; ++block) {
      fill(result.output, block, payload);
    }
  }
  return result;
}

void check_parts(Case const& the, Shape const& shape) {
  run(the, [&](int rank, int num_blocks) {
    Parts const of = parts(shape.counts, shape.displacements, rank, num_blocks, moved_extent);
    return the.collective == Collective::scatter ? scatter_memory(the, of, rank, num_blocks)
                                                 : gather_memory(the, of, rank, num_blocks);
  });
}

void check_bcast(Case const& the, std::int64_t num_elements) {
  run(the, [&](int rank, int num_blocks) {
    Layout const layout = Layout::pieces(num_elements, num_blocks, 2);
    Place const full = filled(layout, payload);
    return RankMemory{
        .output = rank == the.root ? full : guarded(layout),
        .expected = full.memory,
        .sizes = layout,
    };
  });
}

void check_barrier(Case const& the) {
  run(the, [](int, int) {
    Layout const layout = Layout::uniform(0, 0, 1);
    return RankMemory{
        .output = guarded(layout), .expected = guarded(layout).memory, .sizes = layout
    };
  });
}

/// Elements from one rank to another; the same in both directions, so that it works in place.
int exchanged(Shape const& shape, int from, int to) {
  return shape.is_equal() ? shape.counts.front()
                          : shape.counts[static_cast<std::size_t>(
                                (from + to) % static_cast<int>(shape.counts.size())
                            )];
}

void check_alltoall(Case const& the, Shape const& shape) {
  run(the, [&](int rank, int) {
    std::vector<int> counts;
    for (int i = 0; i < the.num_ranks; ++i) {
      counts.push_back(exchanged(shape, i, rank));
    }
    Shape const received = reversed(packed("", counts, 1));
    Shape const sent = packed("", counts, 2);
    bool const is_equal = shape.is_equal();
    Layout const output =
        is_equal ? Layout::uniform(the.num_ranks, counts.front(), moved_extent)
                 : Layout::varying(received.counts, received.displacements, moved_extent);
    auto const to = [&](int block, std::int64_t byte) {
      return payload(rank * the.num_ranks + block, byte);
    };
    auto const from = [&](int block, std::int64_t byte) {
      return payload(block * the.num_ranks + rank, byte);
    };
    RankMemory result{
        .output = the.is_in_place ? filled(output, to) : guarded(output),
        .expected = filled(output, from).memory,
        .sizes = output,
    };
    if (!the.is_in_place) {
      result.input = filled(Layout::varying(sent.counts, sent.displacements, moved_extent), to);
    }
    return result;
  });
}

constexpr std::int64_t operand_bytes = 8;

/// Affine maps x -> a x + b modulo 2^32: the left one is applied last. Not commutative.
void compose(std::byte const* source, std::byte* destination, std::int64_t num_elements) {
  for (std::int64_t i = 0; i < num_elements; ++i) {
    std::uint32_t left[2];
    std::uint32_t right[2];
    std::memcpy(left, source + i * operand_bytes, sizeof left);
    std::memcpy(right, destination + i * operand_bytes, sizeof right);
    right[1] = left[0] * right[1] + left[1];
    right[0] *= left[0];
    std::memcpy(destination + i * operand_bytes, right, sizeof right);
  }
}

void add_integers(std::byte const* source, std::byte* destination, std::int64_t num_elements) {
  for (std::int64_t i = 0; i < num_elements; ++i) {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    std::memcpy(&left, source + i * operand_bytes, sizeof left);
    std::memcpy(&right, destination + i * operand_bytes, sizeof right);
    right += left;
    std::memcpy(destination + i * operand_bytes, &right, sizeof right);
  }
}

void add_doubles(std::byte const* source, std::byte* destination, std::int64_t num_elements) {
  for (std::int64_t i = 0; i < num_elements; ++i) {
    double left = 0;
    double right = 0;
    std::memcpy(&left, source + i * operand_bytes, sizeof left);
    std::memcpy(&right, destination + i * operand_bytes, sizeof right);
    right += left;
    std::memcpy(destination + i * operand_bytes, &right, sizeof right);
  }
}

Memory vector_of(int rank, std::int64_t num_elements, bool is_real) {
  Memory result(static_cast<std::size_t>(num_elements * operand_bytes));
  for (std::int64_t i = 0; i < num_elements; ++i) {
    std::uint64_t bits = static_cast<std::uint64_t>(i * 64 + rank + 1) * 0x9E3779B97F4A7C15U;
    if (is_real) {
      auto const real = static_cast<double>(bits >> 20U) * (rank % 3 == 0 ? 1e-9 : 1e3);
      std::memcpy(&bits, &real, sizeof bits);
    }
    std::memcpy(result.data() + i * operand_bytes, &bits, sizeof bits);
  }
  return result;
}

/// Contributions first .. last - 1, folded from the left.
Memory folded(std::vector<Memory> const& contributions, int last, Combine const& combine) {
  Memory result = contributions.front();
  for (int rank = 1; rank < last; ++rank) {
    Memory next = contributions[static_cast<std::size_t>(rank)];
    combine(result.data(), next.data(), static_cast<std::int64_t>(next.size()) / operand_bytes);
    result = std::move(next);
  }
  return result;
}

/// The bytes of a whole vector as contents of blocks.
Content content_of(Layout const& layout, Memory const& vector) {
  return [&layout, &vector](int block, std::int64_t byte) {
    return vector[static_cast<std::size_t>(layout.block(block).offset_bytes + byte)];
  };
}

/// What is combined in one case.
struct Operands {
  Combine combine;
  std::vector<Memory> contributions;
  /// False if association may change the bits: then ranks are compared with each other only.
  bool is_exact = true;
};

Operands operands(Case const& the, std::int64_t num_elements, bool is_real) {
  OperandOrder const order = the.schedule.order(the.root);
  Operands result{.combine = add_doubles, .is_exact = !is_real || order == OperandOrder::left};
  if (!is_real) {
    result.combine = order == OperandOrder::any ? add_integers : compose;
  }
  for (int rank = 0; rank < the.num_ranks; ++rank) {
    result.contributions.push_back(vector_of(rank, num_elements, is_real));
  }
  return result;
}

RankMemory vector_memory(Case const& the, Operands const& of, Layout const& layout, int rank) {
  schedule::Role const role{the.collective, the.num_ranks, rank, the.root};
  bool const has_result = promised(role, layout.num_blocks()).size > 0;
  bool const is_in_place = the.is_in_place_on(rank);
  Memory const& own = of.contributions[static_cast<std::size_t>(rank)];
  RankMemory result{
      .output = has_result ? guarded(layout) : nothing(layout.num_blocks(), operand_bytes),
      .expected = {},
      .sizes = layout,
  };
  if (is_in_place) {
    result.output = filled(layout, content_of(layout, own));
  } else {
    result.input = filled(layout, content_of(layout, own));
  }
  int last = the.num_ranks;
  if (the.collective == Collective::scan || the.collective == Collective::exscan) {
    last = rank + (the.collective == Collective::scan ? 1 : 0);
  }
  if (!has_result) {
    result.expected = is_in_place ? Memory() : result.output.memory;
  } else if (of.is_exact) {
    Memory const all = folded(of.contributions, last, of.combine);
    result.expected = filled(layout, content_of(layout, all)).memory;
  }
  return result;
}

void check_vector(Case const& the, std::int64_t num_elements, bool is_real) {
  Operands const of = operands(the, num_elements, is_real);
  auto const memory_of = [&](int rank, int num_blocks) {
    Layout const layout = Layout::uniform(1, num_elements, operand_bytes).divided(num_blocks);
    return vector_memory(the, of, layout, rank);
  };
  auto const outputs = run(the, memory_of, of.combine);
  if (the.collective == Collective::allreduce) {
    for (Memory const& output : outputs) {
      EXPECT_TRUE(output == outputs.front()) << "ranks differ";
    }
  }
}

void check_reduce_scatter(Case const& the, std::vector<int> const& counts, bool is_real) {
  std::vector<int> places;
  int end = 0;
  for (int const count : counts) {
    places.push_back(end);
    end += count;
  }
  Operands const of = operands(the, end, is_real);
  Memory const all = folded(of.contributions, the.num_ranks, of.combine);
  auto const memory_of = [&](int rank, int num_blocks) {
    Parts const own = parts(counts, places, rank, num_blocks, operand_bytes);
    Memory const& contribution = of.contributions[static_cast<std::size_t>(rank)];
    RankMemory result{.output = guarded(own.own), .expected = {}, .sizes = own.all};
    result.input = filled(own.all, content_of(own.all, contribution));
    if (the.is_in_place) {
      result.output.memory = result.input->memory;
      result.input_is_output = true;
    }
    Place expected{own.own, result.output.memory};
    for (int block = own.own_run.begin; block < own.own_run.begin + own.own_run.size; ++block) {
      fill(expected, block, content_of(own.all, all));
    }
    result.expected = of.is_exact ? expected.memory : Memory();
    return result;
  };
  run(the, memory_of, of.combine);
}

void check(Case const& the, Shape const& shape, std::size_t turn) {
  SCOPED_TRACE(
      the.schedule.name + " root " + std::to_string(the.root) + " " + shape.name +
      (the.is_in_place ? " in place" : "")
  );
  constexpr std::int64_t lengths[] = {0, 1, 13, 200};
  std::int64_t const length = lengths[turn % 4];
  bool const is_real = turn % 3 == 0;
  switch (the.collective) {
  case Collective::barrier:
    return check_barrier(the);
  case Collective::bcast:
    return check_bcast(the, length);
  case Collective::scatter:
  case Collective::gather:
  case Collective::allgather:
    return check_parts(the, shape);
  case Collective::reduce_scatter:
    return check_reduce_scatter(the, shape.counts, is_real);
  case Collective::alltoall:
    return check_alltoall(the, shape);
  default:
    return check_vector(the, length, is_real);
  }
}

class Threads : public testing::TestWithParam<std::tuple<Collective, int>> {};

// Shapes, roots, places and modes take turns, well mixed: over the numbers of ranks every variant
// meets all of them.
TEST_P(Threads, DoWhatTheCollectivePromises) {
  auto const [collective, p] = GetParam();
  std::vector<Shape> const all_shapes = shapes(p);
  int const num_turns = p <= 9 ? 12 : 3;
  auto number = static_cast<std::uint32_t>(p);
  for (Schedule const& schedule : test::schedules(collective, p)) {
    for (int i = 0; i < num_turns; ++i) {
      auto const turn = static_cast<std::size_t>((++number * 2654435769U) >> 12U);
      Shape const& shape = all_shapes[turn % all_shapes.size()];
      int const root = has_root(collective) ? static_cast<int>(turn / 8) % p : 0;
      if (!schedule.accepts(root) || (schedule.equal_blocks_only && !shape.is_equal())) {
        continue;
      }
      Case const the{
          .schedule = schedule,
          .collective = collective,
          .num_ranks = p,
          .root = root,
          .is_in_place = collective != Collective::bcast && i % 2 == 1,
          .mode = turn / 64 % 2 == 0 ? SendMode::rendezvous : SendMode::buffered,
      };
      check(the, shape, turn / 128);
    }
  }
}

#ifdef ESPALIER_FEW_RANKS
auto const rank_counts = testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17);
#else
auto const rank_counts =
    testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 31, 32);
#endif

std::string name_of(testing::TestParamInfo<std::tuple<Collective, int>> const& tested) {
  auto const [collective, p] = tested.param;
  return std::string(to_string(collective)) + "_p" + std::to_string(p);
}

INSTANTIATE_TEST_SUITE_P(
    Ranks,
    Threads,
    testing::Combine(testing::ValuesIn(schedule::all_collectives()), rank_counts),
    name_of
);

}  // namespace
}  // namespace espalier::exec
