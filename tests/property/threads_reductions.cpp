// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/property/threads_checks.hpp"

namespace espalier::exec {
namespace {

using schedule::Collective;
using schedule::OperandOrder;

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

}  // namespace

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

}  // namespace espalier::exec
