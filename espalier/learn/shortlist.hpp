// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/learn/repertoire.hpp"
#include "espalier/learn/situation.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::learn {

/// A choice that is worth a trial, and how long a model says it takes.
struct Proposal {
  algorithms::Choice choice;
  double seconds = 0;
  double within_nodes = 0;  ///< the part of the seconds that messages within nodes take: 0 .. 1
};

/// The choices that a model thinks best for a call, best first: `most` of different algorithms,
/// since the model may be wrong about one of them. Choices that take the same time send the same
/// messages, as a rule, so there is one of them. If the network may be slow, those that are best
/// then take turns with those that are best if it is fast, unless the native call tells which it
/// is.
///
/// Times are those of replays (cost/replay). For more than 16 ranks they are replays of a StandIn,
/// which grow as the outline() does. Nothing is measured, and nothing is asked of other ranks. The
/// clock decides when to stop, so that ranks may get different lists: one has to ask for all.
/// Variants of algorithms that are among the best come before those of others, and of these such
/// as have most arguments in common with the best one.
///
/// @param num_bytes of the whole result, as in rules (DESIGN.md, "Deciding"); of calls whose size
///   not all ranks know it is ignored, and blocks are taken for 1 KiB.
/// @param most at least 1
/// @param limit of processor time: after so long no other choice is replayed; the first 8 are in
///   any case. Where ranks share processors it may be four times as long on the clock.
/// @param favourites are replayed before all others, if they are candidates: what is good for calls
///   that are alike
/// @param known  of earlier searches; null: programs are forgotten with this one
/// @throws Error argument for a communicator without ranks, or most below 1.
[[nodiscard]] std::vector<Proposal> shortlist(
    profile::Call call,
    double num_bytes,
    Place const& place,
    int most,
    std::chrono::steady_clock::duration limit,
    std::span<algorithms::Choice const> favourites = {},
    Repertoires* known = nullptr
);

}  // namespace espalier::learn
