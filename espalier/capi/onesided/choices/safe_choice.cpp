// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/safe_choice.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/algorithms/composed/native.hpp"

namespace espalier::capi {
namespace {

using algorithms::Choice;
using schedule::AddressMode;
using schedule::Collective;
using schedule::Mechanism;
using schedule::OperandOrder;
using schedule::Sync;

using Names = std::vector<std::string_view>;

/// Up to here a block costs less to be sent or copied once more than another message.
constexpr std::int64_t small_bytes = 8192;
/// Vectors of so many bytes go through trees of more than so many ranks in segments. By LogGP they
/// take a third of the time of whole ones among 64 nodes, and two thirds among 8. Few ranks may
/// share a node and its processors, where each segment costs a turn of them.
constexpr std::int64_t long_bytes = 262'144;
constexpr int most_uncut_ranks = 8;
/// As small_bytes for many blocks in each message of an alltoall.
constexpr std::int64_t tiny_bytes = 256;

Names reproducible_names(Collective collective, bool is_cut) {
  if (collective != Collective::reduce) {
    return {"in_order"};
  }
  return is_cut ? Names{"chain[segments=16]", "chain"} : Names{"flat", "chain"};
}

bool is_long(SafeRequest const& request) noexcept {
  return request.block_bytes >= long_bytes && request.num_ranks > most_uncut_ranks;
}

Names names_for(SafeRequest const& request) {
  if (request.is_reproducible) {
    return reproducible_names(request.collective, is_long(request));
  }
  bool const is_small = request.block_bytes <= small_bytes;
  switch (request.collective) {
  case Collective::barrier:
    return {"dissemination[k=2]"};
  case Collective::bcast:
    return is_small           ? Names{"k_nomial[k=4]", "binomial"}
           : is_long(request) ? Names{"k_ary[k=2,segments=16]", "k_ary[k=2]", "chain"}
                              : Names{"k_ary[k=2]", "chain"};
  case Collective::scatter:
  case Collective::gather:
    return is_small ? Names{"k_nomial[k=4]", "binomial", "flat"} : Names{"flat", "binomial"};
  case Collective::reduce:
    return is_small           ? Names{"k_nomial[k=4]", "in_order_binary", "binomial", "chain"}
           : is_long(request) ? Names{"k_ary[k=2,segments=16]", "chain[segments=16]", "chain"}
                              : Names{"k_ary[k=2]", "in_order_binary", "chain"};
  case Collective::allreduce:
    return is_small ? Names{"recursive_doubling", "in_order", "ring"}
                    : Names{"ring", "in_order", "recursive_doubling"};
  case Collective::allgather:
    return is_small ? Names{"bruck", "ring"} : Names{"ring", "bruck"};
  case Collective::alltoall:
    return request.block_bytes <= tiny_bytes ? Names{"bruck[k=2]", "pairwise", "linear"}
                                             : Names{"pairwise", "linear", "bruck[k=2]"};
  default:
    return {};
  }
}

}  // namespace

std::vector<Mechanism> legal_mechanisms(SafeRequest const& request) {
  using enum Mechanism;
  bool const is_small = request.block_bytes <= small_bytes;
  if (request.addresses == AddressMode::local) {
    return {eager, counting_put};
  }
  return request.mode.in == Sync::mysync && is_small
             ? std::vector{eager, signaling_put, counting_put, rendezvous}
             : std::vector{signaling_put, counting_put, rendezvous, eager};
}

std::string refusal(Mechanism mechanism, SafeRequest const& request) {
  bool const is_local = request.addresses == AddressMode::local;
  if (is_local && mechanism == Mechanism::rendezvous) {
    return "rendezvous fetches data from segments, at addresses that all ranks know: with local "
           "addresses take eager or counting_put";
  }
  if (is_local && mechanism == Mechanism::signaling_put) {
    return "signaling_put puts data into segments, at addresses that all ranks know: with local "
           "addresses take eager or counting_put";
  }
  return schedule::refusal({request.mode, request.addresses, mechanism});
}

Choice parse_choice(std::string_view text) {
  std::size_t const slash = text.find('/');
  bool const is_native =
      slash != std::string_view::npos && text.substr(slash + 1) == algorithms::native_name;
  return is_native ? Choice::native(schedule::parse_collective(text.substr(0, slash)))
                   : Choice::parse(text);
}

bool runs_natively(Choice const& choice) noexcept {
  return algorithms::is_native(choice) && !algorithms::is_of_library(choice);
}

std::optional<SafeChoice> native_choice(SafeRequest const& request, NamedParts const& named) {
  Choice const native = Choice::native(request.collective);
  bool const is_left_out = named.mechanism || (named.algorithm && *named.algorithm != native);
  if (is_left_out || !serves(native, request)) {
    return std::nullopt;
  }
  return SafeChoice{.choice = native, .mechanism = legal_mechanisms(request).front()};
}

bool serves(Choice const& choice, SafeRequest const& request) {
  if (runs_natively(choice)) {
    return request.num_ranks > 1 && !request.is_reproducible;
  }
  if (choice.has_native_calls() || algorithms::is_of_library(choice) ||
      !choice.refuses(request.num_ranks, request.root).empty()) {
    return false;
  }
  if (request.has_uneven_blocks && choice.algorithm().equal_blocks_only) {
    return false;
  }
  if (!request.needs_rank_order && !request.is_reproducible) {
    return true;
  }
  OperandOrder const order = choice.order(request.num_ranks, request.root);
  return request.is_reproducible ? order == OperandOrder::left : order != OperandOrder::any;
}

std::vector<SafeChoice> safe_choices(SafeRequest const& request) {
  std::vector<SafeChoice> result;
  for (Mechanism const mechanism : legal_mechanisms(request)) {
    for (std::string_view const name : names_for(request)) {
      Choice const choice = Choice::parse(request.collective, name);
      if (serves(choice, request)) {
        result.push_back({.choice = choice, .mechanism = mechanism});
      }
    }
  }
  return result;
}

std::vector<SafeChoice> safe_choices(SafeRequest const& request, NamedParts const& named) {
  std::vector<SafeChoice> result;
  for (SafeChoice candidate : safe_choices(request)) {
    candidate.choice = named.algorithm.value_or(candidate.choice);
    candidate.mechanism = named.mechanism.value_or(candidate.mechanism);
    if (std::ranges::find(result, candidate) == result.end()) {
      result.push_back(candidate);
    }
  }
  return result;
}

}  // namespace espalier::capi
