// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/memory/binding.hpp"

#include <algorithm>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/native_calls.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Kind;
using schedule::Operation;
using schedule::Range;
using schedule::RankProgram;
using schedule::Slot;

constexpr std::int64_t scratch_alignment_bytes = 64;

template <typename Element>
std::span<Element const> view(std::vector<Element> const& pool, Range range) noexcept {
  return {pool.data() + range.begin, static_cast<std::size_t>(range.size())};
}

void require_same_blocks(char const* what, int expected, int found) {
  if (expected != found) {
    throw Error(
        ErrorCode::argument,
        std::string("the layout of the ") + what + " must have " + std::to_string(expected) +
            " blocks as the program has, got " + std::to_string(found)
    );
  }
}

/// Puts blocks into memory one after another.
class Packer {
public:
  Packer(std::int64_t extent_bytes, Footprint footprint)
      : extent_bytes_(extent_bytes), footprint_(footprint) {
    if (footprint_.num_bytes == 0) {
      footprint_.num_bytes = extent_bytes;
    }
    is_array_ =
        footprint_.first_byte >= 0 && footprint_.first_byte + footprint_.num_bytes <= extent_bytes;
  }

  /// The next block. Elements that stay inside their extent follow each other as in an array, so
  /// that adjacent blocks are one run; the others are kept apart.
  Extent place(std::int64_t num_elements) {
    if (num_elements == 0 || is_array_) {
      Extent const extent{.offset_bytes = end_, .num_elements = num_elements};
      end_ += num_elements * extent_bytes_;
      return extent;
    }
    // With a negative extent the last element lies lowest.
    std::int64_t const reach = (num_elements - 1) * extent_bytes_;
    std::int64_t const lowest = footprint_.first_byte + std::min<std::int64_t>(reach, 0);
    std::int64_t const span = footprint_.num_bytes + std::max(reach, -reach);
    Extent const extent{.offset_bytes = end_ - lowest, .num_elements = num_elements};
    end_ += aligned(span);
    return extent;
  }

  [[nodiscard]] std::int64_t num_bytes() const noexcept { return aligned(end_); }

private:
  static std::int64_t aligned(std::int64_t num_bytes) noexcept {
    return scratch_alignment_bytes * ceil_div(num_bytes, scratch_alignment_bytes);
  }

  std::int64_t extent_bytes_;
  Footprint footprint_;
  bool is_array_ = true;
  std::int64_t end_ = 0;
};

class Binder {
public:
  Binder(RankProgram const& program, Layout const& output, BindOptions const& options)
      : program_(program), output_(output), options_(options) {
    require_same_blocks("output", program.frame.num_output_blocks, output.num_blocks());
    result_.rank = program.rank;
    result_.element_extent_bytes = output.element_extent_bytes();
    place_input();
    place_scratch();
  }

  BoundProgram run() {
    result_.operations.reserve(program_.operations.size());
    result_.piece_pool.reserve(program_.slot_pool.size());
    result_.wait_pool = program_.wait_pool;
    result_.native_calls.resize(program_.native_calls.size());
    for (Operation const& operation : program_.operations) {
      result_.operations.push_back(bound(operation));
      if (operation.kind == Kind::native) {
        result_.native_calls[static_cast<std::size_t>(operation.tag)] = bound_call(operation);
      }
    }
    return std::move(result_);
  }

private:
  void place_scratch() {
    Packer packer(extent_of(Buffer::scratch), options_.scratch.footprint);
    std::vector<int> const& like = program_.frame.scratch_like;
    std::span<std::int64_t const> const sizes = options_.scratch_sizes;
    if (!sizes.empty()) {
      require_same_blocks(
          "scratch memory", static_cast<int>(like.size()), static_cast<int>(sizes.size())
      );
    }
    for (std::size_t i = 0; i < like.size(); ++i) {
      scratch_.push_back(packer.place(sizes.empty() ? size_of(like[i]) : sizes[i]));
    }
    result_.scratch_bytes = packer.num_bytes();
  }

  /// Elements of a scratch block.
  [[nodiscard]] std::int64_t size_of(int label) const {
    Layout const& output = options_.output_sizes != nullptr ? *options_.output_sizes : output_;
    if (program_.frame.output_like.empty()) {
      if (!output.has_place(label)) {
        throw_unknown("block " + std::to_string(label));
      }
      return output.block(label).num_elements;
    }
    int const num_ranks = program_.frame.num_ranks;
    int const from = label / num_ranks;
    int const to = label % num_ranks;
    if (output.is_uniform() || to == program_.rank) {
      return output.block(from).num_elements;
    }
    if (from != program_.rank) {
      throw_unknown("the block from rank " + std::to_string(from) + " to " + std::to_string(to));
    }
    Layout const* const input =
        options_.input_sizes != nullptr ? options_.input_sizes : options_.input;
    // Without an input both directions have the same sizes, as MPI_IN_PLACE says.
    return (input != nullptr ? *input : output).block(to).num_elements;
  }

  [[noreturn]] void throw_unknown(std::string const& block) const {
    throw Error(
        ErrorCode::unsupported,
        "rank " + std::to_string(program_.rank) + " must know the size of what it keeps, but not " +
            "that of " + block +
            ": use an algorithm that hands blocks to their ranks directly, or blocks of one size"
    );
  }

  void place_input() {
    std::vector<int> const& like = program_.frame.input_like;
    if (options_.input != nullptr) {
      require_same_blocks("input", static_cast<int>(like.size()), options_.input->num_blocks());
    }
    std::int64_t offset_bytes = 0;
    for (std::size_t i = 0; i < like.size(); ++i) {
      Extent extent{.offset_bytes = offset_bytes};
      if (options_.input != nullptr) {
        extent = options_.input->block(static_cast<int>(i));
      } else {
        extent.num_elements = size_of(like[i]);
      }
      input_.push_back(extent);
      offset_bytes += extent.num_elements * output_.element_extent_bytes();
    }
  }

  BoundOperation bound(Operation const& operation) {
    auto const slots = program_.slots(operation);
    auto const sources = program_.sources(operation);
    BoundOperation result{
        .kind = operation.kind,
        .buffer = slots.empty() ? Buffer::output : slots.front().buffer,
        .source = sources.empty() ? Buffer::output : sources.front().buffer,
        .peer = operation.peer,
        .tag = operation.tag,
        .round = operation.round,
        .after = operation.after,
        .after_sends = operation.after_sends,
        .is_signal = operation.kind == Kind::native || (operation.peer >= 0 && slots.empty()),
        .waits = operation.waits,
    };
    result.pieces = store(slots, extent_of(result.buffer));
    result.sources = store(sources, extent_of(result.source));
    for (Piece const& piece : result_.pieces(result)) {
      result.num_elements += piece.num_repeats * piece.num_elements;
    }
    return result;
  }

  [[nodiscard]] BoundCall bound_call(Operation const& operation) const {
    schedule::NativeCall const& call = program_.native_call(operation);
    schedule::NativeParts const parts = schedule::parts_of(call);
    return {
        .call = call,
        .sources = part_sizes(program_.sources(operation), parts.sources),
        .results = part_sizes(program_.slots(operation), parts.results),
    };
  }

  [[nodiscard]] std::vector<std::int64_t>
  part_sizes(std::span<Slot const> slots, int num_parts) const {
    std::int64_t const each = schedule::num_blocks(slots) / num_parts;
    std::vector<std::int64_t> sizes;
    std::int64_t number = 0;
    schedule::for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      if (number++ % each == 0) {
        sizes.push_back(0);
      }
      sizes.back() += place_of(buffer, block).num_elements;
    });
    return sizes;
  }

  [[nodiscard]] std::int64_t extent_of(Buffer buffer) const {
    if (buffer == Buffer::input && options_.input != nullptr) {
      return options_.input->element_extent_bytes();
    }
    if (buffer == Buffer::scratch && options_.scratch.extent_bytes != 0) {
      return options_.scratch.extent_bytes;
    }
    return output_.element_extent_bytes();
  }

  Range store(std::span<Slot const> slots, std::int64_t extent_bytes) {
    auto const begin = result_.piece_pool.size();
    schedule::for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      append_piece(result_.piece_pool, begin, place_of(buffer, block), extent_bytes);
    });
    return {
        .begin = static_cast<int>(begin),
        .end = static_cast<int>(result_.piece_pool.size()),
    };
  }

  [[nodiscard]] Extent place_of(Buffer buffer, int block) const {
    switch (buffer) {
    case Buffer::input:
      return input_[static_cast<std::size_t>(block)];
    case Buffer::output:
      break;
    case Buffer::scratch:
      return scratch_[static_cast<std::size_t>(block)];
    }
    if (!output_.has_place(block)) {
      throw Error(
          ErrorCode::unsupported,
          "a program may only touch output blocks that have memory, but on rank " +
              std::to_string(program_.rank) + " it touches block " + std::to_string(block)
      );
    }
    return output_.block(block);
  }

  RankProgram const& program_;
  Layout const& output_;
  BindOptions const& options_;
  std::vector<Extent> input_;
  std::vector<Extent> scratch_;
  BoundProgram result_;
};

}  // namespace

std::span<Piece const> BoundProgram::pieces(BoundOperation const& operation) const noexcept {
  return view(piece_pool, operation.pieces);
}

std::span<Piece const> BoundProgram::sources(BoundOperation const& operation) const noexcept {
  return view(piece_pool, operation.sources);
}

std::span<int const> BoundProgram::waits(BoundOperation const& operation) const noexcept {
  return view(wait_pool, operation.waits);
}

std::size_t BoundProgram::memory_bytes() const noexcept {
  return sizeof(*this) + operations.capacity() * sizeof(BoundOperation) +
         piece_pool.capacity() * sizeof(Piece) + wait_pool.capacity() * sizeof(int);
}

BoundProgram bind(RankProgram const& program, Layout const& output, BindOptions const& options) {
  return Binder(program, output, options).run();
}

void append_piece(
    std::vector<Piece>& pieces, std::size_t first, Extent extent, std::int64_t element_extent_bytes
) {
  if (extent.num_elements == 0) {
    return;
  }
  Piece next{
      .offset_bytes = extent.offset_bytes,
      .num_elements = extent.num_elements,
      .type = extent.type,
  };
  if (pieces.size() == first || pieces.back().type != next.type || next.type != 0) {
    pieces.push_back(next);
    return;
  }
  Piece& last = pieces.back();
  std::int64_t const last_run = last.offset_bytes + (last.num_repeats - 1) * last.stride_bytes;
  if (next.offset_bytes == last_run + last.num_elements * element_extent_bytes) {
    // The last run grows; if it is one of several it leaves them.
    next.offset_bytes = last_run;
    next.num_elements += last.num_elements;
    if (--last.num_repeats == 0) {
      last = next;
    } else {
      last.stride_bytes = last.num_repeats == 1 ? 0 : last.stride_bytes;
      pieces.push_back(next);
    }
    return;
  }
  std::int64_t const stride =
      last.num_repeats == 1 ? next.offset_bytes - last.offset_bytes : last.stride_bytes;
  if (next.num_elements == last.num_elements && next.offset_bytes == last_run + stride) {
    last.stride_bytes = stride;
    ++last.num_repeats;
  } else {
    pieces.push_back(next);
  }
}

}  // namespace espalier::exec
