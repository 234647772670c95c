// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "tests/bent/bends.hpp"
#include "tests/bent/known.hpp"

namespace bent {
namespace {

/// Takes from what is sent so that receivers expect more. Something stays: messages without data
/// are not sent, and others would wait for them.
void send_less(int& count, Random& random) {
  count -= 2 * random.below(count / 2);
}

/// Gives more to the own block, or to those of others, and moves blocks apart.
void grow_lists(Side& side, bool is_own_bent, int rank, Random& random) {
  int moved = 0;
  for (std::size_t i = 0; i < side.counts.size(); ++i) {
    bool const is_own = i == static_cast<std::size_t>(rank);
    bool const grows = side.counts[i] > 0 && is_own == is_own_bent;
    int const more = grows ? 2 * (is_own ? 1 : random.below(3)) : 0;
    side.displacements[i] += moved;
    side.counts[i] += more;
    moved += more;
  }
}

}  // namespace

/// Receivers expect more than is sent, or a rank sends itself less than it expects.
void short_send(Step& step) {
  Function const function = step.any_function(
      {Function::allgather,
       Function::allgatherv,
       Function::gather,
       Function::gatherv,
       Function::scatter,
       Function::alltoallv,
       Function::bcast}
  );
  Material material;
  material.has_even_blocks = function == Function::alltoallv;
  make_right(
      material,
      step,
      function,
      Shapes::ints,
      function == Function::bcast ? tolerated_broadcast().max_elements : 400
  );
  Call& call = material.call;
  int const who = step.common.below(3);
  int const one = who == 0 && has_root(function) ? call.root : step.common.below(step.size());
  bool const is_chosen = who == 2 || step.rank() == one;
  if (function == Function::bcast || function == Function::scatter) {
    int& count = function == Function::bcast ? call.send.count : call.recv.count;
    bool const grows = is_chosen && count > 0 && !call.is_root(step.rank());
    count += grows ? 2 * step.own.below((tolerated_broadcast().max_growth / 2) + 1) : 0;
  } else if (function == Function::alltoallv) {
    // Open MPI compares the own blocks: all ranks have an error, or none has.
    bool const is_own_bent = step.common.chance(50);
    if (is_own_bent || is_chosen) {
      grow_lists(call.recv, is_own_bent, step.rank(), step.own);
    }
  } else if (is_chosen) {
    send_less(call.send.count, step.own);
  }
  perform(step, material, true);
  go_on(step, step.common.below(3));
}

/// A rank sends itself more than it expects: an error that no message shows. Not in Scatter, whose
/// root would leave while others wait for it.
void long_send(Step& step) {
  Function const function = step.any_function(
      {Function::allgather,
       Function::allgatherv,
       Function::gather,
       Function::gatherv,
       Function::alltoallv}
  );
  Material material;
  material.has_even_blocks = true;
  // Small: who sends to a root that has left the call must not wait for it.
  make_right(material, step, function, Shapes::ints, 60);
  Call& call = material.call;
  auto const own = static_cast<std::size_t>(step.rank());
  int const more = 2 * (1 + step.common.below(5));
  bool const is_from_all = function == Function::allgather || function == Function::allgatherv;
  if (function == Function::alltoallv) {
    call.send.counts[own] += more;
  } else {
    call.send.count += is_from_all || call.is_root(step.rank()) ? more : 0;
  }
  perform(step, material, false, is_from_all ? Data::undefined : Data::clean);
  go_on(step, 1 + step.common.below(3));
}

/// One rank expects less than another sends.
void truncation(Step& step) {
  Function const function = step.any_function(
      {Function::bcast,
       Function::gather,
       Function::gatherv,
       Function::scatter,
       Function::scatterv,
       Function::alltoallv,
       Function::alltoall}
  );
  Material material;
  make_right(material, step, function, Shapes::ints, 400);
  Call& call = material.call;
  int const more = 2 * (1 + step.common.below(20));
  int const victim = (call.root + 1 + step.common.below(step.size() - 1)) % step.size();
  bool const is_victim = step.rank() == victim;
  if (function == Function::gather || function == Function::gatherv) {
    call.send.count += is_victim ? more : 0;
  } else if (function == Function::alltoallv) {
    call.send.counts[static_cast<std::size_t>(victim)] += call.is_root(step.rank()) ? more : 0;
  } else if (is_victim) {
    int& count = function == Function::bcast ? call.send.count : call.recv.count;
    count = count > 2 ? std::max(2, count - more) : count;
  }
  perform(step, material, true);
  go_on(step, 1 + step.common.below(3));
}

}  // namespace bent
