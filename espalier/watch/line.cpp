// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/line.hpp"

#include <algorithm>
#include <string>

#include "espalier/watch/duration.hpp"

namespace espalier::watch {
namespace {

std::string rank_text(int rank) {
  return "rank " + std::to_string(rank);
}

/// `8 ranks of MPI_COMM_WORLD`, `its rank 1 of 4 in rows`.
std::string members_text(Description const& call) {
  std::string name = call.communicator.data();
  // Whatever a program writes into a name, what is told stays one line.
  std::ranges::replace_if(name, [](unsigned char one) { return one < ' ' || one == 0x7F; }, '?');
  name = name.empty() ? "a communicator without a name" : name;
  std::string const count = std::to_string(call.num_ranks);
  return call.has_world_ranks != 0
             ? count + (call.num_ranks == 1 ? " rank of " : " ranks of ") + name
             : "its " + rank_text(call.rank) + " of " + count + " in " + name;
}

std::string bytes_text(std::int64_t bytes) {
  return bytes > 0 ? ", " + std::to_string(bytes) + " bytes" : "";
}

bool is_message(Stage stage) noexcept {
  return stage == Stage::sending || stage == Stage::receiving;
}

std::string round_text(Activity const& activity) {
  if (!is_message(activity.wait.stage) || activity.num_rounds <= 0) {
    return "";
  }
  return ", round " + std::to_string(activity.wait.round + 1) + " of " +
         std::to_string(activity.num_rounds);
}

/// The peer by its number in the communicator, and in MPI_COMM_WORLD if that is another one.
std::string partner_text(Activity const& activity) {
  std::string const peer = rank_text(activity.wait.peer);
  if (activity.description.has_world_ranks != 0) {
    return peer;
  }
  return activity.world_peer < 0 ? "its " + peer
                                 : "its " + peer + ", which is " + rank_text(activity.world_peer) +
                                       " of MPI_COMM_WORLD";
}

/// What the call waits for: goes behind `waits for 30 s in ..` and `is in .. for 30 s`.
std::string reason_text(Activity const& activity) {
  int const num_others = activity.wait.num_others;
  std::string const any =
      num_others == 0 ? "" : " (or one of " + std::to_string(num_others) + " other messages)";
  switch (activity.wait.stage) {
  case Stage::native:
    return "";
  case Stage::starting:
    return " before its first message";
  case Stage::sending:
    return " for its message to be taken by " + partner_text(activity) + any;
  case Stage::receiving:
    return " for a message from " + partner_text(activity) + any;
  }
  return "";
}

std::string activity_text(Activity const& activity, Time now) {
  std::string const reason = reason_text(activity);
  return call_text(activity) + " for " + duration_text(now - activity.since) +
         (reason.empty() ? "" : ", waiting" + reason);
}

std::string no_call_text(Findings const& findings, Time now) {
  if (findings.is_moving) {
    return " goes from one collective to the next";
  }
  if (!findings.last) {
    return " is in no collective, and was in none before";
  }
  return " is in no collective, its last one was " + findings.last->function + " " +
         duration_text(now - findings.last->end) + " ago";
}

std::string findings_text(Findings const& findings, Time now) {
  if (findings.finished_since > 0) {
    return " came to MPI_Finalize, or its end, " + duration_text(now - findings.finished_since) +
           " ago";
  }
  if (!findings.is_in_call()) {
    return no_call_text(findings, now);
  }
  std::string text = " is in ";
  std::string between;
  for (auto const& call : findings.calls) {
    if (call) {
      text += between + activity_text(*call, now);
      between = ", and in ";
    }
  }
  return text;
}

}  // namespace

std::string call_text(Activity const& activity) {
  Description const& call = activity.description;
  bool const is_native = activity.wait.stage == Stage::native;
  std::string text = call.function.data();
  text += (is_native ? " of the MPI library (" : " (") + members_text(call);
  text += bytes_text(call.bytes);
  if (!is_native && call.algorithm[0] != 0) {
    text += std::string(", ") + call.algorithm.data();
  }
  text += round_text(activity);
  return text + ")";
}

std::string peer_text(Peer const& peer, Time now) {
  std::string const who = rank_text(peer.world_rank);
  if (peer.findings) {
    return who + findings_text(*peer.findings, now);
  }
  return peer.could_ask ? who + " is on another node and reports for itself"
                        : who + " cannot be asked, there is no shared memory";
}

std::string
line(int world_rank, Activity const& activity, std::optional<Peer> const& peer, Time now) {
  std::string const text = rank_text(world_rank) + " waits for " +
                           duration_text(now - activity.since) + " in " + call_text(activity) +
                           reason_text(activity);
  return peer ? text + "; " + peer_text(*peer, now) : text;
}

}  // namespace espalier::watch
