// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/known.hpp"

#include <algorithm>
#include <vector>

namespace bent {
namespace {

/// Without functions it means all of them; it holds from so many ranks on.
struct Exception {
  char const* name;
  std::vector<Function> functions;
  char const* reason;
  int min_ranks = 0;
};

using Exceptions = std::vector<Exception>;

#ifdef OPEN_MPI
Exceptions const& that_hang() {
  using enum Function;
  static Exceptions const exceptions = {
      {"uncommitted", {scatter, scatterv}, "types are looked at on the root only, others crash"},
      {"long_send", {allgatherv, gather}, "ranks leave early, others wait for them"},
      {"truncation", {scatter}, "a rank that leaves early does not forward", 4},
      {"null_communicator", {allgather}, "crashes"},
      {"truncation", {alltoall, alltoallv}, "the rank leaves early, others wait for it"},
      {"truncation", {bcast}, "pieces of a message that is cut have other places", 3},
      {"truncation", {gather}, "who forwards decides who gets too much", 3},
      {"same_buffer", {allreduce}, "its algorithms for some sizes fail, those for others do not"},
      {"truncation", {gatherv}, "a root that expects nothing reports what comes, ours does not look"
      },
      {"in_place_received", {alltoall}, "reports an error that no handler hears of"},
      {"short_send", {alltoallv}, "reports that some short blocks are too long"},
      {"short_send", {bcast, gather, scatter}, "who forwards decides who gets too little", 3},
      {"null_sendbuffer", {}, "crashes"},
      {"null_recvbuffer", {}, "crashes"},
      {"in_place_exscan_both", {exscan}, "crashes"},
      {"in_place_received", {exscan}, "crashes"},
      {"negative_entry", {allgatherv}, "crashes"},
  };
  return exceptions;
}

Exceptions const& that_stop() {
  using enum Function;
  static Exceptions const exceptions = {
      {"same_buffer", {reduce}, "the root finds equal buffers, messages to it are left over"},
  };
  return exceptions;
}
#else
Exceptions const& that_hang() {
  using enum Function;
  static Exceptions const exceptions = {
      {"null_lists", {allgatherv, alltoallv, alltoallw, reduce_scatter}, "crashes"},
      {"in_place_broadcast", {bcast}, "crashes"},
      {"negative_sendcount", {reduce, allreduce}, "crashes"},
      {"negative_recvcount", {reduce_scatter_block}, "crashes"},
      {"own_block", {scatter, scatterv}, "only the root finds equal buffers, others wait for it"},
      {"same_buffer", {scatter, scatterv}, "only the root finds equal buffers, others wait for it"},
      {"same_buffer", {allgather, allgatherv}, "only rank 0 finds them, others wait for it"},
      {"same_buffer", {alltoallw}, "crashes"},
      {"overlap",
       {allgather,
        allgatherv,
        gather,
        gatherv,
        allreduce,
        reduce,
        scan,
        reduce_scatter,
        reduce_scatter_block},
       "asserts that local copies do not overlap"},
      {"null_types", {alltoallv, bcast}, "crashes"},
      {"short_send", {bcast}, "an error of the longer ranks, some algorithms hang with such sizes"},
      {"short_send", {gather, scatter}, "forwarding ranks compare sizes", 3},
      {"truncation", {gather, scatter}, "who forwards decides who gets too much", 3},
      {"truncation", {bcast}, "pieces of a message that is cut have other places", 3},
      {"truncation", {alltoall}, "what is too long for its block goes on where it is forwarded"},
      {"negative_sendcount", {exscan, scan}, "crashes"},
      {"long_send", {alltoallv, gatherv}, "what it says depends on which parts are empty"},
  };
  return exceptions;
}

Exceptions const& that_stop() {
  using enum Function;
  static Exceptions const exceptions = {
      {"own_block", {gather, gatherv}, "the root finds equal buffers, messages to it are left over"
      },
      {"same_buffer",
       {gather, gatherv, reduce},
       "the root finds equal buffers, messages to it are left over"},
      {"long_send", {gather}, "the root leaves at its own block, messages to it are left over"},
  };
  return exceptions;
}
#endif

bool has(Exceptions const& exceptions, Bend const& bend) {
  return std::any_of(exceptions.begin(), exceptions.end(), [&](Exception const& exception) {
    auto const& functions = exception.functions;
    bool const is_meant =
        functions.empty() ||
        std::find(functions.begin(), functions.end(), bend.function) != functions.end();
    return is_meant && bend.name == exception.name && bend.num_ranks >= exception.min_ranks;
  });
}

}  // namespace

bool plain_ends(Bend const& bend) {
  return !has(that_hang(), bend);
}

bool plain_goes_on(Bend const& bend) {
  return !has(that_stop(), bend);
}

bool must_alias_everywhere(Function function) {
#ifdef OPEN_MPI
  return is_reduction(function);
#else
  return !has_root(function);
#endif
}

bool tolerates_other_types([[maybe_unused]] Function function) {
#ifdef OPEN_MPI
  // It chooses the algorithm by the size of the type sent.
  return function != Function::allgatherv;
#else
  return true;
#endif
}

Broadcast tolerated_broadcast() {
#ifdef OPEN_MPI
  return {.max_elements = 2, .max_growth = 2};
#else
  return {.max_elements = 100, .max_growth = 78};
#endif
}

}  // namespace bent
