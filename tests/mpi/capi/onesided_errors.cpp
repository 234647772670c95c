// SPDX-License-Identifier: Apache-2.0

/// @file
/// What is wrong with calls of espalier_onesided.h, but for transfers, reaches the error handler of
/// the program, with the class of MPI and a text that says it, and nothing is lost by it.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/capi/onesided_error_checks.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

constexpr std::uint64_t segment_bytes = 4096;

void attach_wrongly(Errors& errors, Checks& checks, MPI_Comm comm) {
  espalier_conduit* made = nullptr;
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  auto const attach = [&](MPI_Comm on, std::uint64_t num_bytes) {
    return espalier_conduit_attach(on, num_bytes, &options, &made);
  };
  options.transport = "telepathy";
  errors.expect(attach(comm, 64), MPI_ERR_ARG, "a transport of node, rma", "a transport");
  options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.flags = 1;
  errors.expect(attach(comm, 64), MPI_ERR_ARG, "flags 0", "flags");
  options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.size = 1;
  errors.expect(attach(comm, 64), MPI_ERR_ARG, "ESPALIER_CONDUIT_OPTIONS_INIT", "a size");
  options = ESPALIER_CONDUIT_OPTIONS_INIT;
  errors.expect(attach(comm, ~std::uint64_t{0}), MPI_ERR_ARG, "segment_bytes", "a huge segment");
  options.scratch_bytes = ~std::uint64_t{0};
  errors.expect(attach(comm, 64), MPI_ERR_ARG, "scratch_bytes", "huge scratch space");
  options = ESPALIER_CONDUIT_OPTIONS_INIT;
  errors.expect(
      espalier_conduit_attach(comm, 64, &options, nullptr), MPI_ERR_ARG, "conduit", "no place"
  );
  int const p = test_size(comm);
  if (p > 1) {
    options.scratch_bytes = test_rank(comm) == 0 ? 1U << 16U : 1U << 17U;
    errors.expect(attach(comm, 64), MPI_ERR_ARG, "equal arguments", "different options");
    options = ESPALIER_CONDUIT_OPTIONS_INIT;
    options.flags = test_rank(comm) == 0 ? 1 : 0;
    errors.expect(attach(comm, 64), MPI_ERR_ARG, "", "one wrong rank is heard of by all");
  }
  checks.expect(made == nullptr, "nothing is made of what is wrong");
}

void meet_wrongly(Errors& errors, Checks& checks, espalier_conduit* conduit) {
  int is_complete = 0;
  errors.expect(
      espalier_conduit_try_barrier(conduit, &is_complete), MPI_ERR_ARG, "notify()", "try first"
  );
  checks.expect(espalier_conduit_notify(conduit) == MPI_SUCCESS, "notify");
  errors.expect(espalier_conduit_notify(conduit), MPI_ERR_ARG, "try_barrier()", "notify twice");
  while (is_complete == 0) {
    checks.expect(espalier_conduit_try_barrier(conduit, &is_complete) == MPI_SUCCESS, "try");
  }
}

/// Whoever is wrong, all members are told.
void disagree_on_teams(Errors& errors, Checks& checks, espalier_conduit* conduit, MPI_Comm comm) {
  bool const is_last = test_rank(comm) == test_size(comm) - 1;
  char const* const others = "arguments of another member";
  espalier_team* team = nullptr;
  errors.expect(
      espalier_team_create(is_last ? nullptr : conduit, comm, 0, &team),
      MPI_ERR_ARG,
      is_last ? "expected conduit" : others,
      "no conduit on one member"
  );
  errors.expect(
      espalier_team_create(conduit, comm, 0, is_last ? nullptr : &team),
      MPI_ERR_ARG,
      is_last ? "a place for the team" : others,
      "no place on one member"
  );
  errors.expect(
      espalier_team_create(conduit, comm, is_last ? 8192 : 4096, &team),
      MPI_ERR_ARG,
      "equal scratch_bytes",
      "different sizes"
  );
  espalier_conduit* few = nullptr;
  checks.expect(espalier_conduit_attach(MPI_COMM_SELF, 64, nullptr, &few) == 0, "a small one");
  errors.expect(
      espalier_team_create(few, comm, 0, &team), MPI_ERR_ARG, "all on the conduit", "strangers"
  );
  errors.expect(
      espalier_team_create(is_last ? nullptr : few, comm, 0, &team),
      MPI_ERR_ARG,
      is_last ? "expected conduit" : "all on the conduit",
      "strangers, and no conduit on one member"
  );
  checks.expect(espalier_conduit_detach(&few) == MPI_SUCCESS, "detach");
  checks.expect(team == nullptr, "nothing is made where members disagree");
}

void make_wrong_teams(Errors& errors, Checks& checks, espalier_conduit* conduit, MPI_Comm comm) {
  espalier_team* team = nullptr;
  errors.expect(
      espalier_team_create(nullptr, comm, 0, &team), MPI_ERR_ARG, "conduit", "no conduit"
  );
  errors.expect(
      espalier_team_create(conduit, comm, 0, nullptr), MPI_ERR_ARG, "null pointer", "no place"
  );
  errors.expect(
      espalier_team_create(conduit, comm, 1U << 30U, &team),
      MPI_ERR_NO_MEM,
      "scratch_bytes",
      "too much scratch"
  );
  if (test_size(comm) > 1) {
    disagree_on_teams(errors, checks, conduit, comm);
  }
  checks.expect(team == nullptr, "nothing is made of what is wrong");
  checks.expect(espalier_team_rank(nullptr) == -1, "rank of no team");
  checks.expect(espalier_team_size(nullptr) == 0, "size of no team");
}

/// A team, and where its buffers are.
struct Users {
  espalier_team* team;
  std::int32_t* in;
  std::int32_t* out;
};

void plan_wrongly(Errors& errors, Checks& checks, Users const& users) {
  espalier_request* request = nullptr;
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  PMPI_Type_vector(2, 1, 2, MPI_INT32_T, &vector);
  PMPI_Type_commit(&vector);
  auto const bcast = [&](void* buffer, int count, MPI_Datatype type, int root) {
    return espalier_team_bcast_init(buffer, count, type, root, users.team, &options, &request);
  };
  auto const reduce = [&](MPI_Datatype type, MPI_Op op) {
    return espalier_team_allreduce_init(
        users.in, users.out, 2, type, op, users.team, &options, &request
    );
  };
  int const p = espalier_team_size(users.team);
  errors.expect(bcast(users.in, -1, MPI_INT, 0), MPI_ERR_COUNT, "got -1", "a count below 0");
  errors.expect(bcast(users.in, 1, MPI_INT, p), MPI_ERR_ROOT, "expected a root", "a root");
  errors.expect(bcast(users.in, 1, MPI_DATATYPE_NULL, 0), MPI_ERR_TYPE, "datatype", "no type");
  errors.expect(bcast(users.in, 1, vector, 0), MPI_ERR_TYPE, "contiguous", "a type with gaps");
  errors.expect(bcast(nullptr, 1, MPI_INT, 0), MPI_ERR_BUFFER, "null pointer", "no buffer");
  errors.expect(bcast(MPI_IN_PLACE, 1, MPI_INT, 0), MPI_ERR_BUFFER, "IN_PLACE", "in place");
  errors.expect(reduce(MPI_INT, MPI_OP_NULL), MPI_ERR_OP, "operator", "no operator");
  errors.expect(reduce(MPI_FLOAT, MPI_BAND), MPI_ERR_OP, "MPI defines", "bits of floats");
  std::int32_t elsewhere[4] = {};
  errors.expect(
      bcast(elsewhere, 4, MPI_INT, 0), MPI_ERR_ARG, "buffer of 16 bytes inside", "elsewhere"
  );
  errors.expect(
      bcast(users.in, static_cast<int>(segment_bytes), MPI_INT, 0),
      MPI_ERR_ARG,
      "has 4096 bytes, got offset 64",
      "too long for the segment"
  );
  errors.expect(
      espalier_team_allgather_init(users.in, users.in, 1, MPI_INT, users.team, &options, &request),
      MPI_ERR_BUFFER,
      "one address",
      "one buffer for two"
  );
  errors.expect(
      espalier_team_bcast_init(users.in, 1, MPI_INT, 0, nullptr, &options, &request),
      MPI_ERR_ARG,
      "",
      "no team"
  );
  errors.expect(
      espalier_team_bcast_init(users.in, 1, MPI_INT, 0, users.team, &options, nullptr),
      MPI_ERR_ARG,
      "request",
      "no place for the request"
  );
  PMPI_Type_free(&vector);
  checks.expect(request == nullptr, "nothing is planned of what is wrong");
}

/// What a program in C may store there.
void store(int number, void* enumeration) {
  std::memcpy(enumeration, &number, sizeof number);
}

void choose_wrongly(Errors& errors, Users const& users) {
  espalier_request* request = nullptr;
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  auto const bcast = [&] {
    return espalier_team_bcast_init(users.in, 1, MPI_INT, 0, users.team, &options, &request);
  };
  options.algorithm = "bcast/telepathy";
  errors.expect(bcast(), MPI_ERR_ARG, "binomial", "no such algorithm");
  options.algorithm = "reduce/binomial";
  errors.expect(bcast(), MPI_ERR_ARG, "these can serve: ", "of another collective");
  options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.mechanism = "telepathy";
  errors.expect(bcast(), MPI_ERR_ARG, "signaling_put, eager, rendezvous", "no such mechanism");
  options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.addresses = ESPALIER_ADDRESSES_LOCAL;
  options.mechanism = "signaling_put";
  errors.expect(bcast(), MPI_ERR_ARG, "eager or counting_put", "puts to where nobody knows");
  options.mechanism = "rendezvous";
  errors.expect(bcast(), MPI_ERR_ARG, "eager or counting_put", "gets from where nobody knows");
  options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.flags = 4;
  errors.expect(bcast(), MPI_ERR_ARG, "ESPALIER_LEARN_IN_STARTS, got 0x4", "flags");
  options = ESPALIER_ONESIDED_OPTIONS_INIT;
  store(3, &options.in);
  errors.expect(bcast(), MPI_ERR_ARG, "expected in to be", "a mode");
  options = ESPALIER_ONESIDED_OPTIONS_INIT;
  store(3, &options.addresses);
  errors.expect(bcast(), MPI_ERR_ARG, "expected addresses to be", "addresses");
}

/// Data of local addresses pass through scratch space, of which there is too little. If nothing is
/// named, the MPI library serves, which needs none.
void exhaust_scratch(Errors& errors, Checks& checks, Users const& users) {
  int const p = espalier_team_size(users.team);
  if (p == 1) {
    return;
  }
  std::vector<char> large(1U << 16U);
  espalier_request* request = nullptr;
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.addresses = ESPALIER_ADDRESSES_LOCAL;
  auto const plan = [&] {
    return espalier_team_bcast_init(
        large.data(), 1 << 16, MPI_CHAR, 0, users.team, &options, &request
    );
  };
  options.mechanism = "eager";
  errors.expect(plan(), MPI_ERR_NO_MEM, "larger region", "too little scratch space");
  options.mechanism = nullptr;
  checks.expect(plan() == MPI_SUCCESS, "plan a long vector: " + last_text());
  std::string const algorithm = espalier_request_algorithm(request);
  checks.expect(algorithm == "bcast/native", "what needs no scratch space, not " + algorithm);
  large.back() = espalier_team_rank(users.team) == 0 ? 'x' : 'y';
  espalier_request_start(request);
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "a long vector: " + last_text());
  checks.expect(large.back() == 'x', "the end of a long vector");
  espalier_request_free(&request);
}

/// Afterwards everything works.
void use_requests(Errors& errors, Checks& checks, Users const& users, espalier_conduit* conduit) {
  espalier_request* request = nullptr;
  espalier_team* team = users.team;
  int code = espalier_team_allreduce_init(
      users.in, users.out, 1, MPI_INT32_T, MPI_SUM, team, nullptr, &request
  );
  checks.expect(code == MPI_SUCCESS, "plan: " + text_of(code));
  errors.expect(espalier_team_free(&team), MPI_ERR_ARG, "1 of them", "a team with a request");
  errors.expect(espalier_conduit_detach(&conduit), MPI_ERR_ARG, "1 of them", "with a team");
  users.in[0] = 1;
  for (int round = 0; round < 2; ++round) {
    users.out[0] = 0;
    checks.expect(espalier_conduit_barrier(conduit) == MPI_SUCCESS, "barrier");
    checks.expect(espalier_request_start(request) == MPI_SUCCESS, "start");
    errors.expect(espalier_request_start(request), MPI_ERR_REQUEST, "not under way", "again");
    errors.expect(espalier_request_free(&request), MPI_ERR_REQUEST, "under way", "free");
    code = espalier_request_wait(request);
    checks.expect(code == MPI_SUCCESS, "wait: " + text_of(code));
    checks.expect(users.out[0] == espalier_team_size(team), "data after what went wrong");
    checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait for what is complete");
  }
  checks.expect(espalier_request_free(&request) == MPI_SUCCESS, "free");
  int rank = 0;
  errors.expect(
      espalier_team_conduit_rank(team, -1, &rank), MPI_ERR_ARG, "no rank -1", "a rank of a team"
  );
  int const p = espalier_conduit_size(conduit);
  for (int const wrong : {-1, p, MPI_UNDEFINED}) {
    errors.expect(
        espalier_team_rank_of(team, wrong, &rank),
        MPI_ERR_ARG,
        "rank of the conduit in 0 .. " + std::to_string(p - 1) + ", got " + std::to_string(wrong),
        "a rank of a conduit"
    );
  }
  errors.expect(espalier_team_rank_of(team, 0, nullptr), MPI_ERR_ARG, "rank", "no place");
  errors.expect(espalier_team_rank_of(nullptr, 0, &rank), MPI_ERR_ARG, "", "no team");
}

void check_transport(
    Errors& errors, Checks& checks, char const* transport, MPI_Errhandler handler
) {
  // The conduit remembers the handler of a communicator that is gone.
  MPI_Comm comm = private_comm();
  PMPI_Comm_set_errhandler(comm, handler);
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.transport = transport;
  espalier_conduit* conduit = nullptr;
  int const code = espalier_conduit_attach(comm, segment_bytes, &options, &conduit);
  checks.expect(code == MPI_SUCCESS, std::string(transport) + ": " + text_of(code));
  MPI_Comm members = private_comm();
  PMPI_Comm_set_errhandler(members, handler);
  PMPI_Comm_free(&comm);
  meet_wrongly(errors, checks, conduit);
  make_wrong_teams(errors, checks, conduit, members);
  espalier_team* team = nullptr;
  checks.expect(espalier_team_create(conduit, members, 1U << 15U, &team) == 0, "a team");
  auto* const segment = static_cast<std::byte*>(espalier_conduit_segment(conduit));
  Users const users{
      .team = team,
      .in = reinterpret_cast<std::int32_t*>(segment + 64),
      .out = reinterpret_cast<std::int32_t*>(segment + 2048),
  };
  plan_wrongly(errors, checks, users);
  choose_wrongly(errors, users);
  exhaust_scratch(errors, checks, users);
  use_requests(errors, checks, users, conduit);
  checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free the team");
  checks.expect(espalier_conduit_detach(&conduit) == MPI_SUCCESS, "detach");
  errors.expect(espalier_conduit_detach(&conduit), MPI_ERR_ARG, "", "detach again");
  errors.expect(espalier_team_free(&team), MPI_ERR_ARG, "", "free again");
  PMPI_Comm_free(&members);
  checks.expect(num_handled == 0, "no error without one");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  Errors errors(checks);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(count_error, &handler);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm comm = private_comm();
  PMPI_Comm_set_errhandler(comm, handler);
  attach_wrongly(errors, checks, comm);
  PMPI_Comm_free(&comm);
  for (char const* const transport : transports()) {
    check_transport(errors, checks, transport, handler);
  }
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  PMPI_Errhandler_free(&handler);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
