// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/arrays/array_request.hpp"

#include <cstring>
#include <limits>
#include <span>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/onesided/request_planning.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::capi {
namespace {

using onesided::BlockBuffer;
using onesided::ByteRun;
using onesided::Combination;
using onesided::Movement;
using schedule::AddressMode;
using schedule::Sync;

int elements_of_part(Movement const& movement, int count) {
  std::int64_t const result = movement.num_pieces() * count;
  if (result > std::numeric_limits<int>::max()) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected at most {} elements between two members, got {} pieces of {}",
            std::numeric_limits<int>::max(),
            movement.num_pieces(),
            count
        )
    );
  }
  return static_cast<int>(result);
}

Sync at_least_own(Sync given) noexcept {
  return given == Sync::nosync ? Sync::mysync : given;
}

/// Of the collective in the middle.
TeamOptions inner_options(Movement const& movement, TeamOptions options) {
  if (!movement.is_direct()) {
    options.addresses = AddressMode::local;
  }
  if (movement.packs() || movement.unpacks()) {
    options.mode.in = movement.packs() ? Sync::mysync : at_least_own(options.mode.in);
    options.mode.out = movement.unpacks() ? Sync::mysync : at_least_own(options.mode.out);
  }
  return options;
}

std::unique_ptr<TeamRequest> barrier_of(espalier_team& team) {
  return plan_request(team, {.collective = schedule::Collective::barrier}, {});
}

void copy_within(std::byte* segment, std::span<ByteRun const> runs) {
  for (ByteRun const& run : runs) {
    std::memcpy(segment + run.there, segment + run.here, run.num_bytes);
  }
}

}  // namespace

ArrayRequest::ArrayRequest(espalier_team& of) : espalier_request({}), of_(&of) {
  ++of_->num_array_requests;
}

ArrayRequest::ArrayRequest(
    espalier_team& of,
    ImplicitTeam& implicit,
    Movement const& movement,
    ArrayElements const& elements,
    TeamOptions const& options
)
    : espalier_request({}), of_(&of), implicit_(&implicit), elements_(elements),
      work_(movement.work(implicit.team->team.rank())) {
  TeamOptions const inner = inner_options(movement, options);
  std::vector<BufferOffsets> places;
  for (onesided::UserPlaces const& one : movement.places()) {
    places.push_back({.input = one.input, .output = one.output});
  }
  collective_ = plan_request(*implicit.team, call(movement), inner, places);
  if (movement.packs() && options.mode.in == Sync::allsync) {
    entry_ = barrier_of(*implicit.team);
  }
  if (movement.unpacks() && options.mode.out == Sync::allsync) {
    exit_ = barrier_of(*implicit.team);
  }
  rename(collective_->algorithm(), collective_->mechanism());
  ++of_->num_array_requests;
}

ArrayRequest::~ArrayRequest() {
  --of_->num_array_requests;
}

TeamCall ArrayRequest::call(Movement const& movement) {
  return {
      .collective = movement.collective(),
      .sendbuf = memory(work_.input, input_),
      .recvbuf = memory(work_.output, output_),
      .count = elements_of_part(movement, elements_.count),
      .datatype = elements_.datatype,
      .op = elements_.op,
      .root = movement.root(),
  };
}

/// Null if this member has no such buffer.
std::byte* ArrayRequest::memory(BlockBuffer const& buffer, std::vector<std::byte>& own) {
  if (buffer.num_bytes == 0) {
    return nullptr;
  }
  if (auto const offset = buffer.direct()) {
    return segment() + *offset;
  }
  own.resize(buffer.num_bytes);
  return own.data();
}

std::byte* ArrayRequest::segment() const noexcept {
  return of_->conduit->places.begin();
}

int ArrayRequest::start() {
  if (implicit_ != nullptr) {
    stage_ = Stage::begun;
    implicit_->queue.add(*this);
  }
  return MPI_SUCCESS;
}

int ArrayRequest::test(bool& is_complete) {
  if (is_active()) {
    of_->conduit->move_on();
  }
  is_complete = !is_active();
  return MPI_SUCCESS;
}

int ArrayRequest::wait() {
  if (is_active()) {
    of_->conduit->wait([this] { return !is_active(); });
  }
  return MPI_SUCCESS;
}

std::string ArrayRequest::explain() const {
  if (implicit_ == nullptr) {
    return "nothing: this member has none of the blocks";
  }
  std::string result = formatted(
      "{}, on the {} members that have the blocks",
      espalier_request::explain(),
      implicit_->team->team.num_ranks()
  );
  if (work_.packs()) {
    result += ", copied before";
  }
  if (work_.unpacks()) {
    result += work_.packs() ? " and after" : ", copied after";
  }
  if (entry_ != nullptr || exit_ != nullptr) {
    result += entry_ != nullptr && exit_ != nullptr ? ", between two barriers" : ", with a barrier";
  }
  return result;
}

void ArrayRequest::tune(espalier_tuning_options const* options) {
  if (implicit_ == nullptr) {
    return;
  }
  of_->conduit->wait([this] { return implicit_->queue.is_empty(); });
  collective_->tune(options);
  rename(collective_->algorithm(), collective_->mechanism());
}

bool ArrayRequest::move_on() {
  if (stage_ == Stage::begun) {
    enter();
  }
  if (stage_ == Stage::entering && (entry_ == nullptr || entry_->look())) {
    begin_to_move();
  }
  if (stage_ == Stage::moving && collective_->look()) {
    leave();
  }
  if (stage_ == Stage::leaving && (exit_ == nullptr || exit_->look())) {
    stage_ = Stage::over;
  }
  return stage_ >= Stage::leaving || (stage_ == Stage::moving && exit_ == nullptr);
}

void ArrayRequest::enter() {
  stage_ = Stage::entering;
  if (entry_ != nullptr) {
    entry_->start();
  }
}

void ArrayRequest::begin_to_move() {
  pack();
  stage_ = Stage::moving;
  collective_->start();
}

void ArrayRequest::leave() {
  unpack();
  stage_ = Stage::leaving;
  if (exit_ != nullptr) {
    exit_->start();
  }
}

void ArrayRequest::pack() {
  copy_within(segment(), work_.copied_before);
  if (work_.input.direct()) {
    return;
  }
  for (ByteRun const& run : work_.input.runs) {
    std::memcpy(input_.data() + run.there, segment() + run.here, run.num_bytes);
  }
  combine(segment(), work_.combined_before, input_.data());
}

void ArrayRequest::unpack() {
  if (!work_.output.direct()) {
    for (ByteRun const& run : work_.output.runs) {
      std::memcpy(segment() + run.here, output_.data() + run.there, run.num_bytes);
    }
    combine(output_.data(), work_.combined_after, segment());
  }
  copy_within(segment(), work_.copied_after);
}

/// From the last operand to the first: that is what MPI_Reduce_local does, and what keeps order.
void ArrayRequest::combine(
    std::byte const* operands, Combination const& combination, std::byte* result
) const {
  std::vector<std::uint64_t> const& all = combination.operands;
  if (all.empty()) {
    return;
  }
  std::byte* const to = result + combination.result;
  std::memcpy(to, operands + all.back(), elements_.piece_bytes);
  for (std::size_t i = all.size() - 1; i-- > 0;) {
    mpi::require_success(
        PMPI_Reduce_local(operands + all[i], to, elements_.count, elements_.datatype, elements_.op),
        "MPI_Reduce_local"
    );
  }
}

}  // namespace espalier::capi
