// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/memory/binding.hpp"

#include <string>

#include "espalier/base/error.hpp"
#include "espalier/schedule/native_calls.hpp"
#include "espalier/schedule/preconditions.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Kind;
using schedule::Operation;
using schedule::Range;
using schedule::RankProgram;
using schedule::Slot;

template <typename Element>
std::span<Element const> view(std::vector<Element> const& pool, Range range) noexcept {
  return {pool.data() + range.begin, static_cast<std::size_t>(range.size())};
}

class Binder {
public:
  /// @param places_of  Of peers; null for a program of messages.
  Binder(RankProgram const& program, Places const& own, PlacesOf const* places_of)
      : program_(program), own_(own), places_of_(places_of) {
    result_.rank = program.rank;
    result_.element_extent_bytes = own.element_extent_bytes(Buffer::output);
    result_.scratch_bytes = own.scratch_bytes();
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
  BoundOperation bound(Operation const& operation) {
    auto const slots = program_.slots(operation);
    auto const sources = program_.sources(operation);
    BoundOperation result{
        .kind = operation.kind,
        .buffer = slots.empty() ? Buffer::output : slots.front().buffer,
        .source = sources.empty() ? Buffer::output : sources.front().buffer,
        .peer = operation.peer,
        .tag = operation.tag,
        .arrivals = operation.arrivals,
        .round = operation.round,
        .after = operation.after,
        .after_sends = operation.after_sends,
        .is_signal = is_signal(operation),
        .waits = operation.waits,
    };
    result.pieces = schedule::has_remote_slots(operation.kind)
                        ? store_remote(slots, places_of(operation.peer))
                        : store(slots, own_.element_extent_bytes(result.buffer));
    result.sources = schedule::has_remote_sources(operation.kind)
                         ? store_remote(sources, places_of(operation.peer))
                         : store(sources, own_.element_extent_bytes(result.source));
    for (Piece const& piece : result_.pieces(result)) {
      result.num_elements += piece.num_repeats * piece.num_elements;
    }
    return result;
  }

  static bool is_signal(Operation const& operation) {
    bool const is_without_data = operation.peer >= 0 && operation.slots.size() == 0;
    bool const raises = operation.kind == Kind::put && operation.tag != schedule::no_counter;
    return operation.kind == Kind::native || operation.kind == Kind::await || is_without_data ||
           raises;
  }

  [[nodiscard]] Places const& places_of(int peer) const {
    Places const& places = (*places_of_)(peer);
    for (Buffer const buffer : {Buffer::input, Buffer::output, Buffer::scratch}) {
      std::int64_t const found = places.element_extent_bytes(buffer);
      if (found != result_.element_extent_bytes) {
        throw Error(
            ErrorCode::argument,
            "one-sided programs need elements of one extent on all ranks, got " +
                std::to_string(result_.element_extent_bytes) + " bytes on rank " +
                std::to_string(program_.rank) + " and " + std::to_string(found) + " on rank " +
                std::to_string(peer)
        );
      }
    }
    return places;
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
      sizes.back() += own_(buffer, block).num_elements;
    });
    return sizes;
  }

  Range store(std::span<Slot const> slots, std::int64_t extent_bytes) {
    auto const begin = result_.piece_pool.size();
    schedule::for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      append_piece(result_.piece_pool, begin, own_(buffer, block), extent_bytes);
    });
    return stored_from(begin);
  }

  Range store_remote(std::span<Slot const> slots, Places const& places) {
    auto const begin = result_.piece_pool.size();
    schedule::for_each_remote_block(slots, [&](Buffer buffer, int block) {
      append_piece(
          result_.piece_pool, begin, places(buffer, block), places.element_extent_bytes(buffer)
      );
    });
    return stored_from(begin);
  }

  [[nodiscard]] Range stored_from(std::size_t begin) const {
    return {
        .begin = static_cast<int>(begin),
        .end = static_cast<int>(result_.piece_pool.size()),
    };
  }

  RankProgram const& program_;
  Places const& own_;
  PlacesOf const* places_of_;
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
  schedule::require_messages(program, "binding to the memory of one rank");
  Places const own(program.frame, program.rank, output, options);
  return Binder(program, own, nullptr).run();
}

BoundProgram bind_one_sided(RankProgram const& program, PlacesOf const& places_of) {
  return Binder(program, places_of(program.rank), &places_of).run();
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
