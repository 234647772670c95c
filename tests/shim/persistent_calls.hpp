// SPDX-License-Identifier: Apache-2.0

/// @file
/// Persistent collectives whose results are known, and persistent messages beside them.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <vector>

#include <mpi.h>

#include "tests/shim/persistent_names.h"
#include "tests/shim/support.hpp"

namespace shim_test {

using Numbers = std::vector<unsigned>;

inline std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

inline unsigned value(int run, int rank, std::size_t position) {
  return static_cast<unsigned>(run) * 1000003U + static_cast<unsigned>(rank) * 8191U +
         static_cast<unsigned>(position);
}

/// Requests of one communicator that are served.
inline constexpr std::size_t most_of_ours = 128;

enum class Kind : std::uint8_t {
  allreduce,
  neighbor_alltoall,
  bcast,
  allgather,
  neighbor_allgather,
  alltoall,
  neighbor_alltoallw,
  scan,
  num_kinds
};

/// The ranks of a communicator in a circle, where every kind can be called.
inline MPI_Comm ring_of(MPI_Comm comm) {
  int const num_ranks = size_of(comm);
  int const is_periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(comm, 1, &num_ranks, &is_periodic, 0, &ring);
  return ring;
}

/// A persistent collective with its memory.
class Collective {
public:
  /// @param comm  of ring_of(), for kinds of neighborhoods
  Collective(MPI_Comm comm, Kind kind, int count)
      : kind_(kind), count_(count), p_(size_of(comm)), rank_(rank_of(comm)), root_(count % p_),
        input_(at(count) * at(p_ + 1)), output_(at(count) * at(p_ + 1)), counts_{count, count},
        places_{0, static_cast<MPI_Aint>(at(count) * sizeof(unsigned))} {
    initialise(comm);
  }

  Collective(Collective const&) = delete;
  Collective& operator=(Collective const&) = delete;
  Collective(Collective&&) = delete;
  Collective& operator=(Collective&&) = delete;
  ~Collective() = default;

  [[nodiscard]] MPI_Request request() const { return request_; }

  /// On one rank nothing is served.
  [[nodiscard]] bool is_native() const { return p_ == 1; }

  void free() {
    MPI_Request_free(&request_);
    require(request_ == MPI_REQUEST_NULL, "a request that was freed is null");
  }

  void fill(int run) {
    for (std::size_t i = 0; i < input_.size(); ++i) {
      input_[i] = value(run, rank_, is_exchange() ? position(i) : i);
      output_[i] = 77;
    }
    if (kind_ == Kind::bcast && rank_ == root_) {
      output_ = input_;
    }
  }

  void check(int run) const {
    for (std::size_t i = 0; i < at(num_blocks()) * at(count_); ++i) {
      require(output_[i] == expected(run, i), "wrong result of a persistent collective");
    }
  }

private:
  /// Of the result.
  [[nodiscard]] int num_blocks() const {
    switch (kind_) {
    case Kind::allgather:
    case Kind::alltoall:
      return p_;
    case Kind::neighbor_allgather:
    case Kind::neighbor_alltoall:
    case Kind::neighbor_alltoallw:
      return 2;
    default:
      return 1;
    }
  }

  void initialise(MPI_Comm comm) {
    MPI_Info const info = MPI_INFO_NULL;
    MPI_Datatype const type = MPI_UNSIGNED;
    unsigned const* const in = input_.data();
    unsigned* const out = output_.data();
    switch (kind_) {
    case Kind::allreduce:
      ESPALIER_PERSISTENT(Allreduce)(in, out, count_, type, MPI_SUM, comm, info, &request_);
      break;
    case Kind::bcast:
      ESPALIER_PERSISTENT(Bcast)(out, count_, type, root_, comm, info, &request_);
      break;
    case Kind::allgather:
      ESPALIER_PERSISTENT(Allgather)(in, count_, type, out, count_, type, comm, info, &request_);
      break;
    case Kind::alltoall:
      ESPALIER_PERSISTENT(Alltoall)(in, count_, type, out, count_, type, comm, info, &request_);
      break;
    case Kind::neighbor_allgather:
      ESPALIER_PERSISTENT(Neighbor_allgather)
      (in, count_, type, out, count_, type, comm, info, &request_);
      break;
    case Kind::neighbor_alltoall:
      ESPALIER_PERSISTENT(Neighbor_alltoall)
      (in, count_, type, out, count_, type, comm, info, &request_);
      break;
    case Kind::neighbor_alltoallw:
      ESPALIER_PERSISTENT(Neighbor_alltoallw)
      (in,
       counts_.data(),
       places_.data(),
       types_.data(),
       out,
       counts_.data(),
       places_.data(),
       types_.data(),
       comm,
       info,
       &request_);
      break;
    default:
      ESPALIER_PERSISTENT(Scan)(in, out, count_, type, MPI_SUM, comm, info, &request_);
    }
  }

  /// With neighbours on both sides.
  [[nodiscard]] bool is_exchange() const {
    return kind_ == Kind::neighbor_alltoall || kind_ == Kind::neighbor_alltoallw;
  }

  /// Where both neighbours are one rank, both blocks are equal: MPI libraries do not agree on which
  /// is which.
  [[nodiscard]] std::size_t position(std::size_t i) const { return p_ > 2 ? i : i % at(count_); }

  /// From the rank before the block that it sends behind, and the other way round.
  [[nodiscard]] unsigned exchanged(int run, std::size_t block, std::size_t i) const {
    std::size_t const sent = is_exchange() && block == 0 ? i + at(count_) : i % at(count_);
    int const from = (rank_ + (block == 0 ? p_ - 1 : 1)) % p_;
    return value(run, from, position(sent));
  }

  [[nodiscard]] unsigned sum(int run, int num_ranks, std::size_t position) const {
    unsigned total = 0;
    for (int r = 0; r < num_ranks; ++r) {
      total += value(run, r, position);
    }
    return total;
  }

  [[nodiscard]] unsigned expected(int run, std::size_t i) const {
    std::size_t const block = i / at(count_);
    switch (kind_) {
    case Kind::allreduce:
      return sum(run, p_, i);
    case Kind::bcast:
      return value(run, root_, i);
    case Kind::allgather:
      return value(run, static_cast<int>(block), i % at(count_));
    case Kind::alltoall:
      return value(run, static_cast<int>(block), i % at(count_) + at(rank_) * at(count_));
    case Kind::neighbor_allgather:
    case Kind::neighbor_alltoall:
    case Kind::neighbor_alltoallw:
      return exchanged(run, block, i);
    default:
      return sum(run, rank_ + 1, i);
    }
  }

  Kind kind_;
  int count_;
  int p_;
  int rank_;
  int root_;
  Numbers input_;
  Numbers output_;
  std::array<int, 2> counts_;
  std::array<MPI_Aint, 2> places_;
  std::array<MPI_Datatype, 2> types_{MPI_UNSIGNED, MPI_UNSIGNED};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

using Collectives = std::vector<std::unique_ptr<Collective>>;

inline Collectives make(MPI_Comm comm, int num_calls) {
  Collectives made;
  for (int i = 0; i < num_calls; ++i) {
    auto const kind = static_cast<Kind>(i % static_cast<int>(Kind::num_kinds));
    made.push_back(std::make_unique<Collective>(comm, kind, 1 + i * 37 % 500));
  }
  return made;
}

/// Persistent messages to the next rank and from the one before.
class Messages {
public:
  explicit Messages(MPI_Comm comm) : rank_(rank_of(comm)), p_(size_of(comm)) {
    int const next = (rank_ + 1) % p_;
    MPI_Send_init(sent_.data(), 4000, MPI_UNSIGNED, next, 1, comm, &requests[0]);
    MPI_Recv_init(
        received_.data(), 4000, MPI_UNSIGNED, (rank_ + p_ - 1) % p_, 1, comm, &requests[1]
    );
  }

  Messages(Messages const&) = delete;
  Messages& operator=(Messages const&) = delete;
  Messages(Messages&&) = delete;
  Messages& operator=(Messages&&) = delete;
  ~Messages() = default;

  void fill(int run) { sent_.assign(sent_.size(), value(run, rank_, 0)); }

  void check(int run) const {
    require(received_.back() == value(run, (rank_ + p_ - 1) % p_, 0), "wrong message");
  }

  void free() {
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }

  MPI_Request requests[2]{};

private:
  int rank_;
  int p_;
  Numbers sent_ = Numbers(4000);
  Numbers received_ = Numbers(4000);
};

/// Results of MPICH 4.0 itself are wrong with 2 and with 8 ranks.
#ifdef MPICH
inline constexpr bool is_native_right = false;
#else
inline constexpr bool is_native_right = true;
#endif

/// What completes persistent collectives of the MPI library: other functions of MPICH 4.0 fail or
/// hang, of which complete() knows the numbers.
inline unsigned native_way(unsigned way) {
#ifdef MPICH
  unsigned const ways[] = {0, 5, 6};
  return ways[way % std::size(ways)];
#else
  return way;
#endif
}

/// Completes all requests, which are inactive afterwards, by some function.
inline void complete(std::vector<MPI_Request>& requests, unsigned way) {
  auto const n = static_cast<int>(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  std::vector<int> indices(requests.size());
  int number = 0;
  int flag = 0;
  switch (way % 7) {
  case 0:
    MPI_Waitall(n, requests.data(), statuses.data());
    break;
  case 1:
    while (flag == 0) {
      MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE);
    }
    break;
  case 2:
    while (number != MPI_UNDEFINED) {
      MPI_Waitany(n, requests.data(), &number, statuses.data());
    }
    break;
  case 3:
    while (number != MPI_UNDEFINED) {
      MPI_Waitsome(n, requests.data(), &number, indices.data(), statuses.data());
    }
    break;
  case 4:
    while (number != MPI_UNDEFINED) {
      MPI_Testsome(n, requests.data(), &number, indices.data(), MPI_STATUSES_IGNORE);
    }
    break;
  case 5:
    for (MPI_Request const request : requests) {
      for (flag = 0; flag == 0;) {
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
      }
    }
    [[fallthrough]];
  default:
    for (MPI_Request& request : requests) {
      MPI_Wait(&request, statuses.data());
    }
  }
}

/// Runs the collectives and messages once, started in an order of this rank.
inline void run(Collectives& calls, Messages& messages, std::mt19937& random, int number) {
  std::vector<MPI_Request> requests{messages.requests[0], messages.requests[1]};
  messages.fill(number);
  for (auto const& call : calls) {
    call->fill(number);
    requests.push_back(call->request());
  }
  std::vector<MPI_Request> const before = requests;
  std::ranges::shuffle(requests, random);
  if (random() % 2 == 0) {
    MPI_Startall(static_cast<int>(requests.size()), requests.data());
  } else {
    for (MPI_Request& request : requests) {
      MPI_Start(&request);
    }
  }
  std::ranges::shuffle(requests, random);
  bool const has_native =
      calls.size() > most_of_ours ||
      std::ranges::any_of(calls, [](auto const& call) { return call->is_native(); });
  auto const way = static_cast<unsigned>(random());
  complete(requests, has_native ? native_way(way) : way);
  require(
      std::ranges::is_permutation(before, requests), "handles of persistent requests do not change"
  );
  messages.check(number);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i < most_of_ours || is_native_right) {
      calls[i]->check(number);
    }
  }
}

}  // namespace shim_test
