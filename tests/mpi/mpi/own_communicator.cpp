// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/own_communicator.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/mpi/broadcast.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using mpi::OwnCommunicator;

/// As many letters as the number of the rank, so that rank 0 has none.
std::string text_of(int rank) {
  std::string text(static_cast<std::size_t>(rank), 'a');
  return text + (rank == 3 ? "b" : "");
}

void check_values_of_one_rank(Checks& checks, OwnCommunicator const& own) {
  checks.expect(
      own.from_root(own.rank() == 0 ? "of rank 0" : std::string()) == "of rank 0", "text"
  );
  std::vector<int> const numbers{own.rank() + 4, 5};
  checks.expect(own.from_root(numbers) == std::vector{4, 5}, "numbers");
  int const last = own.size() - 1;
  std::string const text = own.rank() == last ? "of the last" : "a longer text of another rank";
  checks.expect(mpi::broadcast(own.get(), text, last) == "of the last", "text of the last rank");
}

/// Values that do not fit into the first message are sent in a second one.
void check_many_values(Checks& checks, OwnCommunicator const& own) {
  for (std::size_t const length : {0U, 1U, 253U, 254U, 255U, 1015U, 1016U, 1017U, 5000U}) {
    std::vector<int> numbers(length);
    std::iota(numbers.begin(), numbers.end(), 1);
    std::string const text(length, 'x');
    bool const is_root = own.rank() == 0;
    std::string const about = std::to_string(length);
    checks.expect(
        own.from_root(is_root ? numbers : std::vector<int>{}) == numbers, about + " numbers"
    );
    checks.expect(own.from_root(is_root ? text : "shorter") == text, about + " letters");
  }
}

void check_values_of_all_ranks(Checks& checks, OwnCommunicator const& own) {
  std::vector<int> const mine(static_cast<std::size_t>(own.rank()), own.rank());
  std::vector<int> numbers;
  std::vector<std::string> texts;
  for (int rank = 0; own.rank() == 0 && rank < own.size(); ++rank) {
    numbers.insert(numbers.end(), static_cast<std::size_t>(rank), rank);
    texts.push_back(text_of(rank));
  }
  checks.expect(own.at_root(mine) == numbers, "numbers by rank, on rank 0 only");
  checks.expect(own.at_root(text_of(own.rank())) == texts, "texts by rank, on rank 0 only");
}

void check_error_of_root(Checks& checks, OwnCommunicator const& own) {
  std::string said;
  try {
    own.run_at_root([] { throw Error(ErrorCode::argument, "rank 0 refuses"); });
  } catch (Error const& error) {
    said = error.what();
    checks.expect(error.code() == ErrorCode::argument, "the code of rank 0");
  }
  checks.expect(said == "rank 0 refuses", "what rank 0 throws is thrown on all ranks");
}

void check_split(Checks& checks, OwnCommunicator const& own) {
  int const last = own.size() - 1;
  bool const is_in = own.rank() != last || last == 0;
  OwnCommunicator const part = own.split(is_in ? last - own.rank() : MPI_UNDEFINED);
  checks.expect((part.get() != MPI_COMM_NULL) == is_in, "none for an undefined key");
  if (is_in && last > 0) {
    checks.expect(part.size() == last && part.rank() == last - 1 - own.rank(), "order of the keys");
  }
}

int run() {
  Checks checks;
  {
    OwnCommunicator const own = OwnCommunicator::duplicate(MPI_COMM_WORLD);
    check_values_of_one_rank(checks, own);
    check_many_values(checks, own);
    check_values_of_all_ranks(checks, own);
    check_error_of_root(checks, own);
    check_split(checks, own);
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
