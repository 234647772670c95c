// SPDX-License-Identifier: Apache-2.0

/// @file
/// Bruck alltoall: a block for the rank x above travels by the digits of x to the base k, all
/// blocks with digit z in round i together to the rank z k^i above.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         1:01,03   2:12,10   3:23,21   0:30,32
///     round 1         2:02,32   3:13,03   0:20,10   1:31,21
///
/// Round 0 reads the input, the last round writes the output. Between them the block of distance x
/// waits in scratch at place x, wherever it has got to: a rank sends the blocks with the digit and
/// receives as many for the same places. So the rounds in the middle pack first what they send.
///
/// Rounds  ceil(log_k p), with up to k - 1 messages of a rank in flight together.
/// Bytes   about m (k - 1) / k sent per rank and round, m = bytes of all its blocks.
/// Scratch none for one round, m (p - 1) / p for two, about m (k - 1) / k more for three and more.
/// Valid   p >= 1, k >= 2; blocks of equal size.
/// Source  [bruck1997], "index"; [nishtala2009], "dissemination exchange".

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/alltoall/parts/alltoall.hpp"
#include "espalier/algorithms/choices/radix.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

using schedule::Buffer;
using schedule::Slot;

int radix(Request const& request) {
  return request.arguments.integer("k", 2);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  int const k = radix(request);
  Facts facts{.rounds = ceil_log(k, p)};
  std::int64_t packed = 0;
  std::int64_t weight = 1;
  for (int round = 0; round < facts.rounds; ++round, weight *= k) {
    std::int64_t sent = 0;
    for (Digit const& digit : nonzero_digits(p, k, weight)) {
      sent += digit.count(p);
      ++facts.messages;
    }
    facts.blocks += sent;
    packed = round > 0 && round + 1 < facts.rounds ? std::max(packed, sent) : packed;
  }
  facts.scratch = facts.rounds > 1 ? p - 1 + packed : 0;
  facts.volume = facts.blocks;
  return facts;
}

/// Sends blocks with each digit from one place to another at the receiver, through `packed` if it
/// is not empty.
void exchange(
    schedule::Builder& builder,
    std::vector<Digit> const& digits,
    BlockLayout const& source,
    BlockLayout const& destination,
    Slot packed = schedule::blocks(0, 0)
) {
  int const p = builder.frame().num_ranks;
  std::vector<std::vector<Slot>> messages;
  for (Digit const& digit : digits) {
    messages.push_back(source.of(digit.numbers(p)));
    if (packed.num_blocks > 0) {
      Slot const part{.buffer = packed.buffer, .first = packed.first, .num_blocks = digit.count(p)};
      builder.copy({&part, 1}, messages.back());
      messages.back() = {part};
      packed.first += part.num_blocks;
    }
  }
  if (packed.num_blocks > 0) {
    builder.next_round(builder.round());
  }
  for (std::size_t i = 0; i < digits.size(); ++i) {
    int const hop = digits[i].digit * digits[i].weight;
    builder.recv(wrap(builder.rank() - hop, p), destination.of(digits[i].numbers(p)));
    builder.send(wrap(std::int64_t{builder.rank()} + hop, p), messages[i]);
  }
  builder.next_round();
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  int const k = radix(request);
  schedule::Builder builder(schedule::alltoall_frame(p, rank), rank);
  BlockLayout const from{.buffer = Buffer::input, .origin = rank};
  BlockLayout const to{.buffer = Buffer::output, .origin = rank, .sign = -1};
  copy_own_block(builder);
  if (p <= k) {
    exchange(builder, nonzero_digits(p, k, 1), from, to);
    return std::move(builder).finish();
  }
  Slot packed = scratch_blocks(builder, static_cast<int>(facts(request).scratch));
  BlockLayout const waiting{.buffer = Buffer::scratch, .origin = packed.first - 1};
  packed.first += p - 1;
  packed.num_blocks -= p - 1;
  Slot const staying = schedule::blocks(k, (p - 1) / k, k);  // in round 0
  builder.copy(waiting.of({staying}), from.of({staying}));
  exchange(builder, nonzero_digits(p, k, 1), from, waiting);
  std::int64_t weight = k;
  for (; weight * k < p; weight *= k) {
    exchange(builder.wait_for_sends(), nonzero_digits(p, k, weight), waiting, waiting, packed);
  }
  Slot const home = schedule::blocks(1, static_cast<int>(weight) - 1);
  builder.copy(to.of({home}), waiting.of({home}));
  exchange(builder, nonzero_digits(p, k, weight), waiting, to);
  return std::move(builder).finish();
}

}  // namespace

extern Algorithm const alltoall_bruck{
    .collective = Collective::alltoall,
    .name = "bruck",
    .summary = "blocks travel by the digits of their distance, many in a message",
    .source = "bruck1997,nishtala2009",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "2",
        .minimum = 2,
        .description = "radix: fewer rounds and hops, more messages in a round",
    }},
    .equal_blocks_only = true,
    .generate = generate,
    .facts = facts,
    .variants = [](Request const& request
                ) { return radix_variants(request.num_ranks, {3, 4, 8}, 8); },
    .phase_variants = {{.tried = Tried::in_groups, .turn = 2}},
};

}  // namespace espalier::algorithms
