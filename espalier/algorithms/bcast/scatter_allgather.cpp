// SPDX-License-Identifier: Apache-2.0

/// @file
/// Scatter-allgather broadcast: the message is cut into p pieces, these are scattered along a
/// binomial tree, then an allgather brings every piece to every rank.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  0123     -        -        -
///     after round 0          0123     -        23       -
///     after round 1          0123     1        23       3
///     after round 2          0123     01       123      23
///     after round 3          0123     013      0123     123
///     after round 4          0123     0123     0123     0123
///
/// The scatter leaves a rank with the pieces of its subtree, not only its own. The allgather is any
/// one of the catalog with the pieces left out that a receiver holds already: no block is received
/// twice, no scratch is needed, and what has been sent is not sent again.
///
/// Rounds  ceil(log2 p) + those of the allgather; with ring ceil(log2 p) + p - 1.
/// Bytes   at most 2 m (p - 1) / p sent, by the root; m = bytes of the message.
/// Valid   what the allgather accepts, which must not be orthogonal or use scratch; any root; the
///         message is cut into p pieces.
/// Source  [barnett1994], "scatter-collect"; leaving out pieces as in [zhou2015].

#include <algorithm>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/composed/phases.hpp"
#include "espalier/algorithms/composed/tried_phases.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/pattern/tree.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

Choice allgather_of(Request const& request) {
  return Choice::parse(Collective::allgather, request.arguments.text("allgather", "ring"));
}

/// What rank x holds after the scatter: its own piece and those of the ranks below it in the tree.
schedule::Slot scattered(int p, int x) {
  return schedule::blocks(x, pattern::k_nomial_subtree_size(2, p, x));
}

void append_scatter(schedule::Builder& builder) {
  int const p = builder.frame().num_ranks;
  pattern::TreeNode const node = pattern::k_nomial_node(2, p, builder.rank());
  if (node.parent >= 0) {
    builder.next_round(node.parent_round).recv(node.parent, scattered(p, builder.rank()));
  }
  for (pattern::TreeEdge const& edge : node.children) {
    builder.next_round(edge.round).send(edge.child, scattered(p, edge.child));
  }
}

/// The pieces of a message without those that its receiver holds already.
std::vector<schedule::Slot> missing(
    schedule::RankProgram const& allgather, schedule::Operation const& operation, int receiver
) {
  int const p = allgather.frame.num_ranks;
  schedule::Slot const held = scattered(p, receiver);
  std::vector<schedule::Slot> result;
  schedule::for_each_block(allgather.frame, allgather.slots(operation), [&](auto, int piece) {
    if (piece < held.first || piece >= held.first + held.num_blocks) {
      schedule::append_coalesced(result, schedule::blocks(piece), p);
    }
  });
  return result;
}

void append_allgather(schedule::Builder& builder, schedule::RankProgram const& allgather) {
  int const first_round = ceil_log2(allgather.frame.num_ranks);
  for (schedule::Operation const& operation : allgather.operations) {
    if (builder.round() != first_round + operation.round) {
      builder.next_round(first_round + operation.round);
    }
    if (operation.kind == schedule::Kind::recv) {
      builder.recv(operation.peer, missing(allgather, operation, builder.rank()));
    } else {
      builder.send(operation.peer, missing(allgather, operation, operation.peer));
    }
  }
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  int const x = relative_rank(request, rank);
  schedule::Builder builder(output_frame(p, p), x);
  append_scatter(builder);
  append_allgather(builder, allgather_of(request).generate(p, 0, x));
  return schedule::rotate(std::move(builder).finish(), request.root);
}

std::string refuses(Request const& request) {
  Choice const allgather = allgather_of(request);
  if (allgather.algorithm().name == "orthogonal") {
    return "allgather=orthogonal is not possible; use bcast/orthogonal[inner=scatter_allgather]";
  }
  std::string const reason = allgather.refuses(request.num_ranks, 0);
  std::string const name = "allgather=" + std::string(allgather.algorithm().name);
  if (!reason.empty()) {
    return name + " " + reason;
  }
  return uses_scratch(allgather, request.num_ranks) ? name + " uses scratch" : "";
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  Facts const allgather = allgather_of(request).facts(p, 0);
  // If nobody sends more blocks than everybody receives, all send alike. Then nobody sends more
  // than the root, which also scatters all pieces but its own.
  bool const sends_alike = allgather.blocks == p - 1;
  Facts facts{.rounds = sends_alike ? ceil_log2(p) + allgather.rounds : 0};
  for (int x = 0; x < (sends_alike ? 1 : p); ++x) {
    schedule::RankProgram const program = generate(request, wrap(request.root + x, p));
    facts.rounds = std::max(facts.rounds, program.num_rounds());
    include(facts, program);
  }
  return facts;
}

std::vector<std::string> variants(Request const& request) {
  std::vector<std::string> result{""};
  for (std::string const& allgather :
       tried_phases(Collective::allgather, Tried::in_pieces, request.num_ranks)) {
    result.push_back("[allgather=" + allgather + "]");
  }
  return result;
}

}  // namespace

extern Algorithm const bcast_scatter_allgather{
    .collective = Collective::bcast,
    .name = "scatter_allgather",
    .summary = "pieces are scattered along a binomial tree, then gathered by all",
    .source = "barnett1994,zhou2015",
    .valid = "what the allgather accepts, which must not be orthogonal",
    .parameters = {{
        .name = "allgather",
        .type = Parameter::Type::algorithm,
        .fallback = "ring",
        .collective = "allgather",
        .description = "algorithm of the second phase",
    }},
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
    .num_pieces = [](Request const& request) { return request.num_ranks; },
    .variants = variants,
    .phase_variants =
        {
            {.tried = Tried::in_groups, .turn = 3},
            {.tried = Tried::within_rows},
        },
};

}  // namespace espalier::algorithms
