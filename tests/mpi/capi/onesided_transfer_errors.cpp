// SPDX-License-Identifier: Apache-2.0

/// @file
/// What is wrong with puts, gets and counters of espalier_onesided.h, and with the use of
/// transfers, reaches the error handler of the program, and nothing is lost by it.

#include <array>
#include <cstdint>
#include <string>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/capi/onesided_error_checks.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

constexpr std::uint64_t segment_bytes = 4096;

espalier_remote at(int rank, std::uint64_t offset) {
  return {.rank = rank, .offset = offset};
}

void transfer_wrongly(Errors& errors, espalier_conduit* conduit, int p) {
  std::array<std::uint64_t, 4> data{};
  auto const put = [&](espalier_remote to, std::uint64_t num_bytes) {
    return espalier_put(data.data(), num_bytes, to, conduit);
  };
  errors.expect(put(at(p, 0), 8), MPI_ERR_ARG, "expected a rank in 0 .. ", "a rank too large");
  errors.expect(put(at(-1, 0), 8), MPI_ERR_ARG, "got -1", "a rank below 0");
  errors.expect(
      put(at(0, segment_bytes - 7), 8),
      MPI_ERR_ARG,
      "segment of rank 0, which has 4096 bytes, got 8 bytes at offset 4089",
      "beyond the end"
  );
  errors.expect(put(at(0, ~std::uint64_t{0}), 8), MPI_ERR_ARG, "offset 1844", "an offset of -1");
  errors.expect(put(at(0, 8), ~std::uint64_t{0}), MPI_ERR_ARG, "bytes at offset 8", "huge");
  errors.expect(espalier_put(nullptr, 8, at(0, 0), conduit), MPI_ERR_ARG, "null", "no source");
  errors.expect(espalier_get(nullptr, 8, at(0, 0), conduit), MPI_ERR_ARG, "null", "no target");
  errors.expect(espalier_put(data.data(), 8, at(0, 0), nullptr), MPI_ERR_ARG, "", "no conduit");
  errors.expect(
      espalier_put_signal(data.data(), 8, at(0, 0), 12, 1, conduit),
      MPI_ERR_ARG,
      "multiple of 8 bytes, got offset 12 in the segment of rank 0",
      "a misaligned counter"
  );
  errors.expect(
      espalier_signal(at(0, segment_bytes), 1, conduit), MPI_ERR_ARG, "counter inside", "outside"
  );
  std::uint64_t value = 0;
  errors.expect(espalier_counter(conduit, 4, &value), MPI_ERR_ARG, "multiple of 8", "misaligned");
  errors.expect(espalier_counter(conduit, 0, nullptr), MPI_ERR_ARG, "value", "no place");
  errors.expect(espalier_await(conduit, 8192, 1), MPI_ERR_ARG, "counter inside", "outside");
  errors.expect(espalier_post_get(data.data(), 8, at(p, 0), conduit), MPI_ERR_ARG, "rank", "rank");
}

/// The forms of a put that raises which do not wait refuse what the blocking one does, and then
/// start nothing.
void signal_wrongly(Errors& errors, Checks& checks, espalier_conduit* conduit, int p) {
  std::array<std::uint64_t, 4> data{};
  espalier_transfer transfer{};

  struct Wrong {
    std::uint64_t const* from;
    std::uint64_t num_bytes;
    espalier_remote to;
    std::uint64_t counter;
    char const* text;
  };

  std::array const wrong{
      Wrong{data.data(), 8, at(p, 0), 0, "expected a rank in 0 .. "},
      Wrong{data.data(), 8, at(-1, 0), 0, "got -1"},
      Wrong{data.data(), 8, at(0, segment_bytes - 7), 0, "got 8 bytes at offset 4089"},
      Wrong{data.data(), 8, at(0, 0), 12, "multiple of 8 bytes, got offset 12"},
      Wrong{data.data(), 8, at(0, 0), segment_bytes, "counter inside"},
      Wrong{data.data(), 8, at(0, 0), ~std::uint64_t{7}, "counter inside"},
      Wrong{nullptr, 8, at(0, 0), 0, "null"},
  };
  for (auto const& [from, num_bytes, to, counter, text] : wrong) {
    std::string const what = std::string("a signal: ") + text;
    errors.expect(
        espalier_start_put_signal(from, num_bytes, to, counter, 1, conduit, &transfer),
        MPI_ERR_ARG,
        text,
        what
    );
    errors.expect(
        espalier_post_put_signal(from, num_bytes, to, counter, 1, conduit), MPI_ERR_ARG, text, what
    );
  }
  errors.expect(
      espalier_start_put_signal(data.data(), 8, at(0, 0), 0, 1, conduit, nullptr),
      MPI_ERR_ARG,
      "transfer",
      "no place for a transfer"
  );
  errors.expect(
      espalier_start_put_signal(data.data(), 8, at(0, 0), 0, 1, nullptr, &transfer),
      MPI_ERR_ARG,
      "",
      "no conduit to start on"
  );
  errors.expect(
      espalier_post_put_signal(data.data(), 8, at(0, 0), 0, 1, nullptr),
      MPI_ERR_ARG,
      "",
      "no conduit to post on"
  );
  errors.expect(
      espalier_transfer_wait(conduit, &transfer),
      MPI_ERR_ARG,
      "began nothing here",
      "what is refused starts nothing"
  );
  std::uint64_t value = 1;
  espalier_counter(conduit, 0, &value);
  checks.expect(value == 0, "what is refused raises nothing");
}

/// Of a put that raises: its handle may be asked for local completion any number of times, until it
/// is used up.
void complete_signals_wrongly(Errors& errors, Checks& checks, espalier_conduit* conduit) {
  std::uint64_t const data = 1;
  espalier_transfer transfer{};
  int is_complete = 0;
  auto const test_local = [&](espalier_conduit* on, espalier_transfer* one, int* place) {
    return espalier_transfer_test_local(on, one, place);
  };
  errors.expect(
      test_local(conduit, &transfer, &is_complete), MPI_ERR_ARG, "began nothing here", "none"
  );
  auto const to = at(espalier_conduit_rank(conduit), 1024);
  checks.expect(
      espalier_start_put_signal(&data, 8, to, 2048, 1, conduit, &transfer) == 0, "start a signal"
  );
  errors.expect(test_local(conduit, nullptr, &is_complete), MPI_ERR_ARG, "transfer", "null");
  errors.expect(test_local(conduit, &transfer, nullptr), MPI_ERR_ARG, "is_complete", "no place");
  errors.expect(test_local(nullptr, &transfer, &is_complete), MPI_ERR_ARG, "", "no conduit");
  for (int i = 0; i < 2; ++i) {
    checks.expect(espalier_transfer_wait_local(conduit, &transfer) == 0, "wait locally");
    checks.expect(test_local(conduit, &transfer, &is_complete) == 0, "test locally");
    checks.expect(is_complete == 1, "local completion stays");
  }
  espalier_transfer copy = transfer;
  checks.expect(espalier_transfer_wait(conduit, &transfer) == MPI_SUCCESS, "wait for a signal");
  for (espalier_transfer* const used : {&transfer, &copy}) {
    errors.expect(test_local(conduit, used, &is_complete), MPI_ERR_ARG, "used up", "test again");
    errors.expect(
        espalier_transfer_wait_local(conduit, used), MPI_ERR_ARG, "used up", "wait locally again"
    );
    errors.expect(espalier_transfer_wait(conduit, used), MPI_ERR_ARG, "used up", "wait again");
  }
  checks.expect(espalier_await(conduit, 2048, 1) == MPI_SUCCESS, "the counter was raised");
}

void complete_wrongly(Errors& errors, Checks& checks, espalier_conduit* conduit) {
  std::uint64_t data = 1;
  espalier_transfer transfer{};
  int is_complete = 0;
  errors.expect(
      espalier_transfer_wait(conduit, &transfer), MPI_ERR_ARG, "began nothing here", "none"
  );
  checks.expect(
      espalier_start_put(&data, 8, at(0, 1024), conduit, &transfer) == MPI_SUCCESS, "start"
  );
  espalier_conduit* other = nullptr;
  checks.expect(espalier_conduit_attach(MPI_COMM_SELF, 64, nullptr, &other) == 0, "another one");
  errors.expect(
      espalier_transfer_wait(other, &transfer), MPI_ERR_ARG, "began nothing here", "a foreign one"
  );
  checks.expect(espalier_conduit_detach(&other) == MPI_SUCCESS, "detach");
  espalier_transfer const copy = transfer;
  checks.expect(espalier_transfer_wait(conduit, &transfer) == MPI_SUCCESS, "wait");
  errors.expect(espalier_transfer_wait(conduit, &transfer), MPI_ERR_ARG, "used up", "wait again");
  espalier_transfer stale = copy;
  errors.expect(
      espalier_transfer_test(conduit, &stale, &is_complete), MPI_ERR_ARG, "used up", "a copy"
  );
  errors.expect(espalier_transfer_wait(conduit, nullptr), MPI_ERR_ARG, "transfer", "no transfer");
  errors.expect(
      espalier_start_put(&data, 8, at(0, 0), conduit, nullptr), MPI_ERR_ARG, "transfer", "no place"
  );
}

/// After all that went wrong, data and counters arrive.
void go_on(Checks& checks, espalier_conduit* conduit) {
  checks.expect(espalier_conduit_barrier(conduit) == MPI_SUCCESS, "barrier");
  int const p = espalier_conduit_size(conduit);
  std::uint64_t const data = 17;
  espalier_transfer transfer{};
  auto const to = at((espalier_conduit_rank(conduit) + 1) % p, 512);
  checks.expect(
      espalier_start_put_signal(&data, 8, to, 520, 1, conduit, &transfer) == 0, "start after errors"
  );
  checks.expect(espalier_transfer_wait(conduit, &transfer) == MPI_SUCCESS, "wait after errors");
  checks.expect(espalier_await(conduit, 520, 1) == MPI_SUCCESS, "await after errors");
  auto const* const segment = static_cast<std::uint64_t*>(espalier_conduit_segment(conduit));
  checks.expect(segment[64] == 17, "data after errors");
}

void check_transport(
    Errors& errors, Checks& checks, char const* transport, MPI_Errhandler handler
) {
  MPI_Comm comm = private_comm();
  PMPI_Comm_set_errhandler(comm, handler);
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.transport = transport;
  espalier_conduit* conduit = nullptr;
  int const code = espalier_conduit_attach(comm, segment_bytes, &options, &conduit);
  checks.expect(code == MPI_SUCCESS, std::string(transport) + ": " + text_of(code));
  int const p = test_size(comm);
  PMPI_Comm_free(&comm);
  transfer_wrongly(errors, conduit, p);
  signal_wrongly(errors, checks, conduit, p);
  complete_wrongly(errors, checks, conduit);
  complete_signals_wrongly(errors, checks, conduit);
  go_on(checks, conduit);
  checks.expect(espalier_conduit_detach(&conduit) == MPI_SUCCESS, "detach");
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
  for (char const* const transport : transports()) {
    check_transport(errors, checks, transport, handler);
  }
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  PMPI_Errhandler_free(&handler);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
