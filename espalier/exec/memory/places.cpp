// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/memory/places.hpp"

#include <algorithm>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Frame;

constexpr std::int64_t scratch_alignment_bytes = 64;

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

/// How many elements a block has, by its label.
class Sizes {
public:
  Sizes(Frame const& frame, int rank, Layout const& output, BindOptions const& options)
      : frame_(frame), rank_(rank), output_(output), options_(options) {}

  [[nodiscard]] std::int64_t of(int label) const {
    Layout const& output = options_.output_sizes != nullptr ? *options_.output_sizes : output_;
    if (frame_.output_like.empty()) {
      if (!output.has_place(label)) {
        throw_unknown("block " + std::to_string(label));
      }
      return output.block(label).num_elements;
    }
    int const num_ranks = frame_.num_ranks;
    int const from = label / num_ranks;
    int const to = label % num_ranks;
    if (output.is_uniform() || to == rank_) {
      return output.block(from).num_elements;
    }
    if (from != rank_) {
      throw_unknown("the block from rank " + std::to_string(from) + " to " + std::to_string(to));
    }
    Layout const* const input =
        options_.input_sizes != nullptr ? options_.input_sizes : options_.input;
    // Without an input both directions have the same sizes, as MPI_IN_PLACE says.
    return (input != nullptr ? *input : output).block(to).num_elements;
  }

private:
  [[noreturn]] void throw_unknown(std::string const& block) const {
    throw Error(
        ErrorCode::unsupported,
        "rank " + std::to_string(rank_) + " must know the size of what it keeps, but not " +
            "that of " + block +
            ": use an algorithm that hands blocks to their ranks directly, or blocks of one size"
    );
  }

  Frame const& frame_;
  int rank_;
  Layout const& output_;
  BindOptions const& options_;
};

std::vector<Extent> places_of_input(
    Frame const& frame, Sizes const& sizes, BindOptions const& options, std::int64_t extent_bytes
) {
  std::vector<int> const& like = frame.input_like;
  if (options.input != nullptr) {
    require_same_blocks("input", static_cast<int>(like.size()), options.input->num_blocks());
  }
  std::vector<Extent> places;
  std::int64_t offset_bytes = 0;
  for (std::size_t i = 0; i < like.size(); ++i) {
    Extent extent{.offset_bytes = offset_bytes};
    if (options.input != nullptr) {
      extent = options.input->block(static_cast<int>(i));
    } else {
      extent.num_elements = sizes.of(like[i]);
    }
    places.push_back(extent);
    offset_bytes += extent.num_elements * extent_bytes;
  }
  return places;
}

}  // namespace

Places::Places(Frame const& frame, int rank, Layout const& output, BindOptions const& options)
    : rank_(rank), output_(&output),
      input_extent_bytes_(
          options.input != nullptr ? options.input->element_extent_bytes()
                                   : output.element_extent_bytes()
      ),
      scratch_extent_bytes_(
          options.scratch.extent_bytes != 0 ? options.scratch.extent_bytes
                                            : output.element_extent_bytes()
      ) {
  require_same_blocks("output", frame.num_output_blocks, output.num_blocks());
  Sizes const sizes(frame, rank, output, options);
  input_ = places_of_input(frame, sizes, options, output.element_extent_bytes());
  std::vector<int> const& like = frame.scratch_like;
  std::span<std::int64_t const> const given = options.scratch_sizes;
  if (!given.empty()) {
    require_same_blocks(
        "scratch memory", static_cast<int>(like.size()), static_cast<int>(given.size())
    );
  }
  Packer packer(scratch_extent_bytes_, options.scratch.footprint);
  for (std::size_t i = 0; i < like.size(); ++i) {
    scratch_.push_back(packer.place(given.empty() ? sizes.of(like[i]) : given[i]));
  }
  scratch_bytes_ = packer.num_bytes();
}

Extent Places::operator()(Buffer buffer, int block) const {
  switch (buffer) {
  case Buffer::input:
    return input_[static_cast<std::size_t>(block)];
  case Buffer::output:
    break;
  case Buffer::scratch:
    return scratch_[static_cast<std::size_t>(block)];
  }
  if (!output_->has_place(block)) {
    throw Error(
        ErrorCode::unsupported,
        "a program may only touch output blocks that have memory, but on rank " +
            std::to_string(rank_) + " it touches block " + std::to_string(block)
    );
  }
  return output_->block(block);
}

std::int64_t Places::element_extent_bytes(Buffer buffer) const {
  switch (buffer) {
  case Buffer::input:
    return input_extent_bytes_;
  case Buffer::output:
    break;
  case Buffer::scratch:
    return scratch_extent_bytes_;
  }
  return output_->element_extent_bytes();
}

}  // namespace espalier::exec
