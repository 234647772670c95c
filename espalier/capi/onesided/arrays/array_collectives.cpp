// SPDX-License-Identifier: Apache-2.0

/// @file
/// The collectives of espalier_array.h.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/arrays/array_arguments.hpp"
#include "espalier/capi/onesided/arrays/array_object.hpp"
#include "espalier/capi/onesided/arrays/array_request.hpp"
#include "espalier/capi/onesided/arrays/implicit_teams.hpp"
#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/capi/onesided/team_options.hpp"
#include "espalier/onesided/array/movement.hpp"
#include "espalier/plan/failure.hpp"

namespace {

using espalier::Error;
using espalier::ErrorCode;
using espalier::capi::ArrayElements;
using espalier::capi::ArrayRequest;
using espalier::capi::TeamCall;
using espalier::onesided::ArrayCall;
using espalier::onesided::ArrayCollective;
using espalier::onesided::Movement;
using espalier::schedule::Collective;

/// What a program names.
struct BlockCall {
  ArrayCollective collective;
  espalier_region const* from;
  espalier_region const* to;
  int count;
  MPI_Op op = MPI_OP_NULL;
};

void check_arrays(espalier_array const& from, espalier_array const& to) {
  if (from.team != to.team) {
    throw Error(ErrorCode::argument, "expected two arrays of one team, got arrays of two teams");
  }
  if (from.datatype != to.datatype) {
    throw espalier::plan::ClassError(
        MPI_ERR_TYPE, "expected two arrays of one datatype, got arrays of two datatypes"
    );
  }
}

/// The datatype is that of an array, so what is checked here is the count and the operator.
bool checked_rank_order(BlockCall const& call, MPI_Datatype datatype) {
  bool const reduces = call.collective == ArrayCollective::reduce;
  TeamCall const known{
      .collective = reduces ? Collective::reduce : Collective::bcast,
      .count = call.count,
      .datatype = datatype,
      .op = call.op,
  };
  return check(known, 1).needs_rank_order;
}

std::uint64_t piece_bytes(BlockCall const& call) {
  return static_cast<std::uint64_t>(call.count) * call.from->array->element_bytes;
}

Movement movement_of(BlockCall const& call) {
  auto from = espalier::capi::blocks_of(call.from);
  auto to = espalier::capi::blocks_of(call.to);
  espalier_array const& source = *call.from->array;
  espalier_array const& target = *call.to->array;
  check_arrays(source, target);
  bool const needs_rank_order = checked_rank_order(call, source.datatype);
  return Movement({
      .collective = call.collective,
      .from = std::move(from),
      .to = std::move(to),
      .piece_bytes = piece_bytes(call),
      .from_block_bytes = source.block_bytes(),
      .to_block_bytes = target.block_bytes(),
      .needs_rank_order = needs_rank_order,
  });
}

std::unique_ptr<ArrayRequest>
planned(espalier_team& team, BlockCall const& call, espalier_onesided_options const* options) {
  espalier::capi::TeamOptions const known = espalier::capi::read(options);
  if (known.learns) {
    throw espalier::Error(
        espalier::ErrorCode::argument,
        "ESPALIER_LEARN_IN_STARTS is for collectives of teams; tune one of arrays by "
        "espalier_request_tune()"
    );
  }
  Movement const movement = movement_of(call);
  if (!std::ranges::binary_search(movement.members(), team.team.rank())) {
    return std::make_unique<ArrayRequest>(team);
  }
  ArrayElements const elements{
      .count = call.count,
      .piece_bytes = piece_bytes(call),
      .datatype = call.from->array->datatype,
      .op = call.op,
  };
  return std::make_unique<ArrayRequest>(
      team, team.implicit->of(movement.members()), movement, elements, known
  );
}

int make_request(
    BlockCall const& call, espalier_onesided_options const* options, espalier_request** request
) noexcept {
  espalier_array* const array = call.from == nullptr ? nullptr : call.from->array;
  return espalier::capi::on(array, [&](espalier_array& self) {
    espalier::capi::check_pointer(reinterpret_cast<void const*>(request), "request");
    *request = nullptr;
    *request = planned(*self.team, call, options).release();
  });
}

}  // namespace

extern "C" {

int espalier_array_bcast_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  return make_request({ArrayCollective::bcast, from, to, count}, options, request);
}

int espalier_array_scatter_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  return make_request({ArrayCollective::scatter, from, to, count}, options, request);
}

int espalier_array_gather_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  return make_request({ArrayCollective::gather, from, to, count}, options, request);
}

int espalier_array_exchange_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  return make_request({ArrayCollective::exchange, from, to, count}, options, request);
}

int espalier_array_reduce_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    MPI_Op op,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  return make_request({ArrayCollective::reduce, from, to, count, op}, options, request);
}

}  // extern "C"
