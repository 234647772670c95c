// SPDX-License-Identifier: Apache-2.0

/// @file
/// Random regions of random shared arrays, and what their blocks should hold after a collective.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "include/espalier_array.h"

#include <mpi.h>

namespace espalier::test {

inline constexpr std::size_t segment_words = 4096;
inline constexpr std::size_t half_words = segment_words / 2;
inline constexpr std::size_t word = sizeof(std::int32_t);

/// Maps x -> a x + b of numbers of 16 bits, applied one after another: not commutative.
inline std::int32_t in_order(std::int32_t left, std::int32_t right) {
  auto const first = static_cast<std::uint32_t>(left);
  auto const second = static_cast<std::uint32_t>(right);
  std::uint32_t const a = (first >> 16U) * (second >> 16U);
  std::uint32_t const b = (first & 0xffffU) * (second >> 16U) + (second & 0xffffU);
  return static_cast<std::int32_t>(a << 16U | (b & 0xffffU));
}

inline void combine_in_order(void* left, void* right, int* length, MPI_Datatype*) {
  auto const* const a = static_cast<std::int32_t const*>(left);
  auto* const b = static_cast<std::int32_t*>(right);
  for (int i = 0; i < *length; ++i) {
    b[i] = in_order(a[i], b[i]);
  }
}

/// A block where its owner has it, in words of the segment.
struct Block {
  std::size_t rank;
  std::size_t word;
};

/// An array as UPC describes it: block i belongs to i mod THREADS, in each dimension.
struct Shape {
  espalier_distribution distribution = ESPALIER_DISTRIBUTION_INIT;
  std::size_t begin = 0;  ///< words

  [[nodiscard]] std::int64_t num_blocks(int dim) const {
    std::int64_t const size = distribution.block[dim];
    return (distribution.extents[dim] + size - 1) / size;
  }

  [[nodiscard]] std::size_t block_words() const {
    std::int64_t words = 1;
    for (int dim = 0; dim < distribution.ndims; ++dim) {
      words *= distribution.block[dim];
    }
    return static_cast<std::size_t>(words);
  }

  [[nodiscard]] Block block(std::array<std::int64_t, 4> const& index) const {
    std::int64_t rank = 0;
    std::int64_t slot = 0;
    for (int dim = 0; dim < distribution.ndims; ++dim) {
      std::int64_t const positions = distribution.grid[dim];
      rank = rank * positions + index[static_cast<std::size_t>(dim)] % positions;
      std::int64_t const slots = (num_blocks(dim) + positions - 1) / positions;
      slot = slot * slots + index[static_cast<std::size_t>(dim)] / positions;
    }
    return {static_cast<std::size_t>(rank), begin + static_cast<std::size_t>(slot) * block_words()};
  }

  /// Of all members alike.
  [[nodiscard]] std::size_t num_words() const {
    std::size_t slots = 1;
    for (int dim = 0; dim < distribution.ndims; ++dim) {
      std::int64_t const positions = distribution.grid[dim];
      slots *= static_cast<std::size_t>((num_blocks(dim) + positions - 1) / positions);
    }
    return slots * block_words();
  }
};

/// Random things, the same on all members.
class Dice {
public:
  explicit Dice(unsigned seed) : random_(seed) {}

  /// In 0 .. end - 1.
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }

  Shape shape(int num_members, std::size_t begin) {
    Shape shape;
    do {
      shape = any_shape(num_members);
    } while (shape.num_words() > half_words);
    shape.begin = begin;
    return shape;
  }

  espalier_region region(Shape const& shape, espalier_array* array) {
    espalier_region region{array, {}};
    for (int dim = 0; dim < shape.distribution.ndims; ++dim) {
      std::int64_t const num_blocks = shape.num_blocks(dim);
      espalier_blocks& blocks = region.blocks[dim];
      blocks.first = below(num_blocks);
      switch (below(4)) {
      case 0:
        break;  // one block
      case 1:
        blocks = ESPALIER_ALL_BLOCKS;
        break;
      default:
        blocks.stride = 1 + below(3);
        blocks.last = below(3) == 0 ? -1 : blocks.first + below(num_blocks - blocks.first);
      }
    }
    return region;
  }

  espalier_region one_block(Shape const& shape, espalier_array* array) {
    espalier_region region{array, {}};
    for (int dim = 0; dim < shape.distribution.ndims; ++dim) {
      region.blocks[dim].first = below(shape.num_blocks(dim));
    }
    return region;
  }

private:
  Shape any_shape(int num_members) {
    Shape shape;
    shape.distribution.ndims = 1 + static_cast<int>(below(3));
    int left = num_members;
    for (int dim = 0; dim < shape.distribution.ndims; ++dim) {
      bool const is_last = dim == shape.distribution.ndims - 1;
      int const positions = is_last ? left : divisor(left);
      left /= positions;
      shape.distribution.grid[dim] = positions;
      shape.distribution.extents[dim] = 1 + below(shape.distribution.ndims == 1 ? 60 : 11);
      shape.distribution.block[dim] = 1 + below(shape.distribution.ndims == 1 ? 12 : 4);
    }
    return shape;
  }

  int divisor(int number) {
    int result = 0;
    do {
      result = 1 + static_cast<int>(below(number));
    } while (number % result != 0);
    return result;
  }

  std::mt19937_64 random_;
};

inline std::vector<Block> blocks_of(Shape const& shape, espalier_region const& region) {
  std::vector<std::array<std::int64_t, 4>> indices{{}};
  for (int dim = 0; dim < shape.distribution.ndims; ++dim) {
    espalier_blocks const& blocks = region.blocks[dim];
    std::int64_t last = blocks.last == -1 ? shape.num_blocks(dim) - 1 : blocks.last;
    last = blocks.stride == 0 ? blocks.first : last;
    std::vector<std::array<std::int64_t, 4>> longer;
    for (auto index : indices) {
      for (std::int64_t i = blocks.first; i <= last;
           i += std::max<std::int64_t>(1, blocks.stride)) {
        index[static_cast<std::size_t>(dim)] = i;
        longer.push_back(index);
      }
    }
    indices = longer;
  }
  std::vector<Block> result;
  for (auto const& index : indices) {
    result.push_back(shape.block(index));
  }
  return result;
}

enum class Kind : std::uint8_t { bcast, scatter, gather, exchange, reduce, ordered_reduce };

inline constexpr std::array<char const*, 6> names{
    "bcast", "scatter", "gather", "exchange", "reduce", "reduce in order"
};

inline bool is_cut_from(Kind kind) {
  return kind == Kind::scatter || kind == Kind::exchange;
}

inline bool is_cut_to(Kind kind) {
  return kind == Kind::gather || kind == Kind::exchange;
}

inline bool is_reduction(Kind kind) {
  return kind == Kind::reduce || kind == Kind::ordered_reduce;
}

/// The segments of all members, moved piece by piece.
using Memory = std::vector<std::vector<std::int32_t>>;

inline Memory numbered(int num_members, int run) {
  Memory memory(static_cast<std::size_t>(num_members));
  std::uint32_t next = static_cast<std::uint32_t>(run) * 977U + 1U;
  for (auto& words : memory) {
    for (std::size_t i = 0; i < segment_words; ++i) {
      words.push_back(static_cast<std::int32_t>(next));
      next = next * 1664525U + 1013904223U;
    }
  }
  return memory;
}

struct Call {
  Kind kind = Kind::bcast;
  std::vector<Block> from;
  std::vector<Block> to;
  int count = 0;
};

inline void reduce_plainly(Memory& memory, Call const& call) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(call.count); ++i) {
    std::int32_t value = 0;
    for (std::size_t k = call.from.size(); k-- > 0;) {
      std::int32_t const next = memory[call.from[k].rank][call.from[k].word + i];
      if (k == call.from.size() - 1) {
        value = next;
      } else if (call.kind == Kind::ordered_reduce) {
        value = in_order(next, value);
      } else {
        value = static_cast<std::int32_t>(
            static_cast<std::uint32_t>(next) + static_cast<std::uint32_t>(value)
        );
      }
    }
    memory[call.to[0].rank][call.to[0].word + i] = value;
  }
}

inline void move_plainly(Memory& memory, Call const& call) {
  if (is_reduction(call.kind)) {
    reduce_plainly(memory, call);
    return;
  }
  auto const count = static_cast<std::size_t>(call.count);
  Memory const before = memory;
  for (std::size_t j = 0; j < call.from.size(); ++j) {
    for (std::size_t i = 0; i < call.to.size(); ++i) {
      std::size_t const source = call.from[j].word + (is_cut_from(call.kind) ? i * count : 0);
      std::size_t const target = call.to[i].word + (is_cut_to(call.kind) ? j * count : 0);
      std::copy_n(
          before[call.from[j].rank].begin() + static_cast<std::ptrdiff_t>(source),
          count,
          memory[call.to[i].rank].begin() + static_cast<std::ptrdiff_t>(target)
      );
    }
  }
}

inline int plan(
    Kind kind,
    espalier_region const& from,
    espalier_region const& to,
    int count,
    MPI_Op ordered,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  switch (kind) {
  case Kind::bcast:
    return espalier_array_bcast_init(&from, &to, count, options, request);
  case Kind::scatter:
    return espalier_array_scatter_init(&from, &to, count, options, request);
  case Kind::gather:
    return espalier_array_gather_init(&from, &to, count, options, request);
  case Kind::exchange:
    return espalier_array_exchange_init(&from, &to, count, options, request);
  default:
    return espalier_array_reduce_init(
        &from, &to, count, kind == Kind::reduce ? MPI_SUM : ordered, options, request
    );
  }
}

}  // namespace espalier::test
