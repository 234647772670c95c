// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/exec/messages/mpi_steps.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Collective;
using Action = MpiStep::Action;

int as_count(std::int64_t number) {
  if (number > std::numeric_limits<int>::max()) {
    throw Error(
        ErrorCode::unsupported,
        "a native phase takes at most 2147483647 elements of a part, got " + std::to_string(number)
    );
  }
  return static_cast<int>(number);
}

std::int64_t sum(std::span<std::int64_t const> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

/// One buffer of a call: adjacent memory, that of the program or a copy.
struct End {
  MpiRegion region{};
  std::optional<MpiStep> copying;  ///< to the copy, or from it

  [[nodiscard]] bool is_copy() const noexcept { return copying.has_value(); }
};

/// Adds what a native call needs before and after it.
class NativeSteps {
public:
  NativeSteps(StepMaker& maker, BoundOperation const& operation)
      : maker_(maker), operation_(operation),
        bound_(maker.bound().native_calls[static_cast<std::size_t>(operation.tag)]),
        sources_(maker.bound().sources(operation)), results_(maker.bound().pieces(operation)) {}

  void run() {
    fill_call();
    End const source = end_of(operation_.source, sources_, Action::gather);
    End result = end_of(operation_.buffer, results_, Action::scatter);
    if (!source.is_copy() && !result.is_copy() && overlap(source, result)) {
      call_.is_in_place = is_in_place(source, result);
      if (!call_.is_in_place) {
        result = copy_of(operation_.buffer, results_, Action::scatter);
      }
    }
    call_.source = source.region;
    call_.result = result.region;
    add(source.copying);
    MpiStep step{.action = Action::native, .round = operation_.round};
    step.peer = static_cast<int>(maker_.program().native_calls.size());
    MpiNativeCall const& call = maker_.program().native_calls.emplace_back(std::move(call_));
    maker_.program().steps.push_back(step);
    // Ranks other than the root get nothing from a reduce, and keep what they have.
    if (call.collective != Collective::reduce || call.is_root) {
      add(result.copying);
    }
  }

private:
  void add(std::optional<MpiStep> const& step) {
    if (step) {
      maker_.program().steps.push_back(*step);
    }
  }

  [[nodiscard]] bool combines() const noexcept { return schedule::reduces(bound_.call.collective); }

  /// Elements of the memory in one of the call.
  [[nodiscard]] std::int64_t unit() const noexcept {
    return combines() ? maker_.elements().elements_per_operand : 1;
  }

  void fill_call() {
    schedule::NativeCall const& call = bound_.call;
    auto const found = std::ranges::find(call.members, maker_.bound().rank);
    place_ = static_cast<int>(found - call.members.begin());
    call_.collective = call.collective;
    call_.members = call.members;
    call_.root = call.root;
    call_.is_root = place_ == call.root;
    call_.type = combines() ? maker_.elements().operand : MPI_BYTE;
    fill_counts();
  }

  /// Sizes in elements of the call, of the side that has a part for each member.
  void fill_counts() {
    bool const has_many_sources = bound_.sources.size() > 1;
    bool const is_source = has_many_sources || bound_.results.empty();
    std::vector<std::int64_t> parts = is_source ? bound_.sources : bound_.results;
    std::int64_t const bytes = bytes_of(is_source);
    for (std::int64_t& part : parts) {
      part = combines() ? part / unit() : part * bytes;
    }
    if (parts.empty()) {
      return;
    }
    bool const are_equal = std::ranges::all_of(parts, [&](auto part) { return part == parts[0]; });
    call_.count = as_count(parts[0]);
    if (!are_equal) {
      call_.count = as_count(parts[static_cast<std::size_t>(place_)]);
      std::int64_t start = 0;
      for (std::int64_t const part : parts) {
        call_.counts.push_back(as_count(part));
        call_.displacements.push_back(as_count(start));
        start += part;
      }
    }
  }

  /// Bytes of data in an element of the memory of this side, all of one type.
  [[nodiscard]] std::int64_t bytes_of(bool is_source) const {
    auto const pieces = is_source ? sources_ : results_;
    Buffer const buffer = is_source ? operation_.source : operation_.buffer;
    if (pieces.empty()) {
      return 0;
    }
    MPI_Datatype const type =
        maker_.elements_of(buffer)[static_cast<std::size_t>(pieces.front().type)];
    int bytes = 0;
    mpi::require_success(PMPI_Type_size(type, &bytes), "MPI_Type_size");
    return bytes;
  }

  [[nodiscard]] End end_of(Buffer buffer, std::span<Piece const> pieces, Action copying) {
    if (pieces.empty()) {
      return {.region = {.buffer = Buffer::scratch, .type = call_.type}, .copying = {}};
    }
    bool const is_one_run = pieces.size() == 1 && pieces[0].num_repeats == 1;
    bool const fits = combines() || maker_.is_bytes(buffer, pieces);
    if (is_one_run && fits) {
      MpiRegion const region{
          .buffer = buffer, .offset_bytes = pieces[0].offset_bytes, .type = call_.type
      };
      return {.region = region, .copying = {}};
    }
    return copy_of(buffer, pieces, copying);
  }

  /// Memory of our own with the same data, adjacent.
  [[nodiscard]] End copy_of(Buffer buffer, std::span<Piece const> pieces, Action copying) {
    bool const is_source = copying == Action::gather;
    if (combines() && !maker_.is_bytes(buffer, pieces)) {
      return copy_of_operands(buffer, pieces, is_source);
    }
    std::int64_t const num_bytes =
        sum(is_source ? bound_.sources : bound_.results) * bytes_of(is_source);
    std::int64_t const offset = maker_.program().scratch_bytes;
    MpiRegion const room = maker_.room(num_bytes);
    End end{.region = {.buffer = Buffer::scratch, .offset_bytes = offset, .type = call_.type}};
    if (maker_.is_bytes(buffer, pieces)) {
      end.copying = maker_.staging(copying, buffer, end.region, pieces);
    } else {
      MpiRegion const user = maker_.region_of(buffer, pieces);
      end.copying =
          maker_.transfer(is_source ? make_transfer(room, user) : make_transfer(user, room));
    }
    return end;
  }

  /// Elements with gaps keep their type.
  [[nodiscard]] End copy_of_operands(Buffer buffer, std::span<Piece const> pieces, bool is_source) {
    MPI_Aint bound = 0;
    MPI_Aint bytes = 0;
    mpi::require_success(
        PMPI_Type_get_true_extent(call_.type, &bound, &bytes), "MPI_Type_get_true_extent"
    );
    std::int64_t const extent = maker_.bound().element_extent_bytes;
    std::int64_t const number = sum(is_source ? bound_.sources : bound_.results);
    std::int64_t const reach = (number - 1) * extent;
    std::int64_t const lowest = bound + std::min<std::int64_t>(reach, 0);
    std::int64_t const offset = maker_.program().scratch_bytes - lowest;
    static_cast<void>(maker_.room(std::max(reach, -reach) + bytes));
    MpiRegion room{
        .buffer = Buffer::scratch,
        .offset_bytes = offset,
        .count = as_count(number),
        .type = call_.type,
    };
    MpiRegion const user = maker_.region_of(buffer, pieces);
    return {
        .region = room,
        .copying =
            maker_.transfer(is_source ? make_transfer(room, user) : make_transfer(user, room)),
    };
  }

  [[nodiscard]] std::int64_t size_of(std::span<Piece const> pieces, Buffer buffer) const {
    std::int64_t const extent =
        maker_.is_bytes(buffer, pieces) ? 1 : maker_.bound().element_extent_bytes;
    return pieces.empty() ? 0 : pieces.front().num_elements * extent;
  }

  [[nodiscard]] bool overlap(End const& source, End const& result) const {
    return !sources_.empty() && !results_.empty() && source.region.buffer == result.region.buffer &&
           source.region.offset_bytes <
               result.region.offset_bytes + size_of(results_, operation_.buffer) &&
           result.region.offset_bytes <
               source.region.offset_bytes + size_of(sources_, operation_.source);
  }

  /// Whether the contribution is where the call wants it in place.
  [[nodiscard]] bool is_in_place(End const& source, End const& result) const {
    std::int64_t offset = result.region.offset_bytes;
    switch (bound_.call.collective) {
    case Collective::allgather:
    case Collective::gather:
      offset += sum(std::span(bound_.results).first(static_cast<std::size_t>(place_)));
      break;
    case Collective::allreduce:
      break;
    // MPICH 4.0 reads from MPI_IN_PLACE in MPI_Reduce if the operator is the program's.
    default:
      return false;
    }
    return source.region.offset_bytes == offset;
  }

  StepMaker& maker_;
  BoundOperation const& operation_;
  BoundCall const& bound_;
  std::span<Piece const> sources_;
  std::span<Piece const> results_;
  MpiNativeCall call_;
  int place_ = 0;
};

}  // namespace

void StepMaker::add_native(BoundOperation const& operation) {
  NativeSteps(*this, operation).run();
}

}  // namespace espalier::exec
