// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_members.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/onesided/finished_requests.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/mpi/world_ranks.hpp"

namespace espalier::capi {
namespace {

using Words = std::vector<std::uint64_t>;

/// Waits for a request while everything of the conduit, if there is one, goes on.
void finish(espalier_conduit* conduit, MPI_Request& request) {
  if (conduit != nullptr) {
    finish_requests(*conduit, std::span(&request, 1));
  } else {
    mpi::require_success(PMPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
}

#ifdef ESPALIER_MPI_SIMULATED
/// SimGrid does not have MPI_Comm_idup. When all have come nobody waits for this member any more.
/// Its MPI_Ibarrier lets others go when rank 0 has come.
mpi::OwnCommunicator duplicate(espalier_conduit* conduit, MPI_Comm comm) {
  int num_members = 0;
  mpi::require_success(PMPI_Comm_size(comm, &num_members), "MPI_Comm_size");
  char const mine = 0;
  std::vector<char> all(static_cast<std::size_t>(num_members));
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::require_success(
      PMPI_Iallgather(&mine, 1, MPI_CHAR, all.data(), 1, MPI_CHAR, comm, &request), "MPI_Iallgather"
  );
  finish(conduit, request);
  return mpi::OwnCommunicator::duplicate(comm);
}
#else
mpi::OwnCommunicator duplicate(espalier_conduit* conduit, MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::require_success(PMPI_Comm_idup(comm, &made, &request), "MPI_Comm_idup");
  finish(conduit, request);
  PMPI_Comm_set_name(made, mpi::own_name);
  return mpi::OwnCommunicator(made);
}
#endif

/// What each member says, joined bit by bit. Of a number and its complement no bit is set in both
/// if all members say the same number.
struct Joined {
  enum Word : std::size_t { no_room, num_bytes, other_bytes, members, other_members, first_taken };

  Words words;

  Joined(ScratchWish const& wish, ScratchParts::Taken const& taken)
      : words{
            wish.no_room.empty() ? 0U : 1U,
            wish.num_bytes,
            ~wish.num_bytes,
            wish.members,
            ~wish.members
        } {
    words.insert(words.end(), taken.begin(), taken.end());
  }

  [[nodiscard]] bool has_no_room() const { return words[no_room] != 0; }

  [[nodiscard]] bool is_same(Word number, Word complement) const {
    return (words[number] & words[complement]) == 0;
  }

  [[nodiscard]] ScratchParts::Taken taken() const {
    return {words.begin() + first_taken, words.end()};
  }
};

void check(Joined const& all, ScratchWish const& wish) {
  if (!all.is_same(Joined::members, Joined::other_members)) {
    throw Error(
        ErrorCode::argument,
        "expected all members to name blocks of the same members, got other ones here and elsewhere"
    );
  }
  if (!all.is_same(Joined::num_bytes, Joined::other_bytes)) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected equal scratch_bytes on all members, got {} here and others elsewhere",
            wish.num_bytes
        )
    );
  }
  if (all.has_no_room()) {
    throw Error(
        ErrorCode::no_memory,
        wish.no_room.empty() ? "another member has no room for one more implicit team"
                             : wish.no_room
    );
  }
}

/// Messages between members of new implicit teams: the only ones over the communicator of a
/// conduit, so that those of a pair match in their order.
class MemberMessages {
public:
  MemberMessages(espalier_conduit& conduit, std::size_t num_words)
      : conduit_(&conduit), num_words_(static_cast<int>(num_words)) {}

  void send(Words const& words, int to) {
    mpi::require_success(
        PMPI_Isend(
            words.data(), num_words_, MPI_UINT64_T, to, 0, conduit_->handler.comm(), &next()
        ),
        "MPI_Isend"
    );
  }

  void receive(Words& words, int from) {
    mpi::require_success(
        PMPI_Irecv(
            words.data(), num_words_, MPI_UINT64_T, from, 0, conduit_->handler.comm(), &next()
        ),
        "MPI_Irecv"
    );
  }

  void finish() {
    finish_requests(*conduit_, requests_);
    requests_.clear();
  }

private:
  MPI_Request& next() { return requests_.emplace_back(MPI_REQUEST_NULL); }

  espalier_conduit* conduit_;
  int num_words_;
  std::vector<MPI_Request> requests_;
};

/// The first member joins what the others send, and sends it back.
void join_between(espalier_conduit& conduit, std::vector<int> const& ranks, Words& words) {
  MemberMessages messages(conduit, words.size());
  std::span const others = std::span(ranks).subspan(1);
  if (conduit.conduit->rank() != ranks[0]) {
    Words const mine = words;
    messages.send(mine, ranks[0]);
    messages.receive(words, ranks[0]);
    messages.finish();
    return;
  }
  std::vector<Words> theirs(others.size(), Words(words.size()));
  for (std::size_t i = 0; i < others.size(); ++i) {
    messages.receive(theirs[i], others[i]);
  }
  messages.finish();
  for (Words const& their : theirs) {
    std::ranges::transform(words, their, words.begin(), std::bit_or<>());
  }
  for (int const rank : others) {
    messages.send(words, rank);
  }
  messages.finish();
}

}  // namespace

std::vector<int> members_of(espalier_conduit const& conduit, MPI_Comm comm) {
  return mpi::world_ranks(comm, conduit.handler.comm());
}

std::string problem_with_members(espalier_conduit const& conduit, MPI_Comm comm) {
  std::vector<int> const members = members_of(conduit, comm);
  auto const stranger = std::ranges::find(members, MPI_UNDEFINED);
  if (stranger == members.end()) {
    return "";
  }
  return formatted(
      "expected a communicator whose processes are all on the conduit, but that of rank {} is not",
      stranger - members.begin()
  );
}

JoinOver::JoinOver(espalier_conduit* conduit, MPI_Comm comm)
    : conduit_(conduit), comm_(duplicate(conduit, comm)) {}

void JoinOver::check_problems(std::string const& problem) const {
  Words is_wrong{problem.empty() ? 0U : 1U};
  (*this)(is_wrong);
  if (is_wrong.front() != 0) {
    throw Error(
        ErrorCode::argument, problem.empty() ? "the arguments of another member are wrong" : problem
    );
  }
}

void JoinOver::operator()(Words& words) const {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::require_success(
      PMPI_Iallreduce(
          MPI_IN_PLACE,
          words.data(),
          static_cast<int>(words.size()),
          MPI_UINT64_T,
          MPI_BOR,
          comm_.get(),
          &request
      ),
      "MPI_Iallreduce"
  );
  finish(conduit_, request);
}

JoinWords joined_between(espalier_conduit& conduit, std::vector<int> ranks) {
  return
      [&conduit, ranks = std::move(ranks)](Words& words) { join_between(conduit, ranks, words); };
}

onesided::Region
take_scratch(espalier_conduit& conduit, JoinWords const& join, ScratchWish const& wish) {
  Joined all(wish, conduit.parts.taken());
  join(all.words);
  check(all, wish);
  return conduit.parts.take(all.taken(), wish.num_bytes);
}

}  // namespace espalier::capi
