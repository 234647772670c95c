// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/own_communicator.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mpi/broadcast.hpp"
#include "espalier/mpi/same_ranks.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::mpi {
namespace {

/// What an action threw, if it did.
std::optional<Error> failure_of(std::function<void()> const& action) {
  try {
    action();
  } catch (Error const& error) {
    return error;
  } catch (std::bad_alloc const&) {
    return Error(ErrorCode::no_memory, "rank 0 has no memory left");
  } catch (std::exception const& error) {
    return Error(ErrorCode::unsupported, std::string("rank 0: ") + error.what());
  }
  return std::nullopt;
}

void check_total(std::vector<int> const& lengths) {
  auto const total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  if (total > std::numeric_limits<int>::max()) {
    throw Error(
        ErrorCode::unsupported,
        "expected less than 2^31 numbers from all ranks, got " + std::to_string(total)
    );
  }
}

/// How many values each rank has; on rank 0.
std::vector<int> lengths_at_root(OwnCommunicator const& own, std::size_t num_values) {
  auto const length = static_cast<int>(num_values);
  std::vector<int> lengths(own.rank() == 0 ? static_cast<std::size_t>(own.size()) : 0);
  require_success(
      PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, own.get()), "MPI_Gather"
  );
  return lengths;
}

/// Values of all ranks, one after another, on rank 0, which has their lengths.
template <typename Value>
std::vector<Value> gather(
    OwnCommunicator const& own,
    std::span<Value const> values,
    MPI_Datatype type,
    std::vector<int> const& lengths
) {
  std::vector<int> starts(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::vector<Value> all(
      lengths.empty() ? 0 : static_cast<std::size_t>(starts.back() + lengths.back())
  );
  auto const length = static_cast<int>(values.size());
  require_success(
      PMPI_Gatherv(
          values.data(), length, type, all.data(), lengths.data(), starts.data(), type, 0, own.get()
      ),
      "MPI_Gatherv"
  );
  return all;
}

}  // namespace

OwnCommunicator::OwnCommunicator(MPI_Comm comm) noexcept : comm_(comm) {
  if (comm_ != MPI_COMM_NULL) {
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
}

OwnCommunicator OwnCommunicator::duplicate(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  require_success(make_same_ranks(comm, made), "MPI_Comm_create");
  PMPI_Comm_set_name(made, own_name);
  return OwnCommunicator(made);
}

OwnCommunicator OwnCommunicator::split(int key) const {
  bool const is_in = key != MPI_UNDEFINED;
  MPI_Comm made = MPI_COMM_NULL;
  require_success(
      PMPI_Comm_split(comm_, is_in ? 0 : MPI_UNDEFINED, is_in ? key : 0, &made), "MPI_Comm_split"
  );
  return OwnCommunicator(made);
}

OwnCommunicator::OwnCommunicator(OwnCommunicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}

OwnCommunicator& OwnCommunicator::operator=(OwnCommunicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  return *this;
}

OwnCommunicator::~OwnCommunicator() {
  if (comm_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&comm_);
  }
}

MPI_Comm OwnCommunicator::release(MPI_Comm like) {
  if (comm_ != MPI_COMM_NULL) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    require_success(PMPI_Comm_get_errhandler(like, &handler), "MPI_Comm_get_errhandler");
    int const code = PMPI_Comm_set_errhandler(comm_, handler);
    PMPI_Errhandler_free(&handler);
    PMPI_Comm_set_name(comm_, "");
    require_success(code, "MPI_Comm_set_errhandler");
  }
  return std::exchange(comm_, MPI_COMM_NULL);
}

int OwnCommunicator::rank() const {
  int rank = 0;
  require_success(PMPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  return rank;
}

int OwnCommunicator::size() const {
  int size = 0;
  require_success(PMPI_Comm_size(comm_, &size), "MPI_Comm_size");
  return size;
}

std::string OwnCommunicator::from_root(std::string text) const {
  return broadcast(comm_, std::move(text), 0);
}

std::vector<int> OwnCommunicator::from_root(std::vector<int> values) const {
  return broadcast(comm_, std::move(values), 0);
}

std::vector<int> OwnCommunicator::at_root(std::span<int const> values) const {
  std::vector<int> const lengths = lengths_at_root(*this, values.size());
  run_at_root([&] { check_total(lengths); });
  return gather(*this, values, MPI_INT, lengths);
}

std::vector<std::string> OwnCommunicator::at_root(std::string const& text) const {
  std::vector<int> const lengths = lengths_at_root(*this, text.size());
  std::vector<char> const all = gather(*this, std::span<char const>(text), MPI_CHAR, lengths);
  std::vector<std::string> texts;
  auto begin = all.begin();
  for (int const length : lengths) {
    texts.emplace_back(begin, begin + length);
    begin += length;
  }
  return texts;
}

void OwnCommunicator::run_at_root(std::function<void()> const& action) const {
  std::optional<Error> failure;
  if (rank() == 0) {
    failure = failure_of(action);
  }
  std::vector<int> const code =
      from_root(failure ? std::vector{static_cast<int>(failure->code())} : std::vector<int>{});
  if (!code.empty()) {
    std::string const text = from_root(failure ? failure->what() : std::string());
    throw Error(static_cast<ErrorCode>(code.front()), text);
  }
}

}  // namespace espalier::mpi
