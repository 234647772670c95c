// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <mpi.h>

namespace shim_test {

/// One array of pairs of ints: the first ones are sent, the second ones received. What is sent and
/// what is received lies between each other, and overlaps nowhere.
///
///     sent        a .  b .  c .
///     received    . d  . e  . f
class Interleaved {
public:
  Interleaved(std::vector<int> sent, std::vector<int> received)
      : sent_(std::move(sent)), received_(std::move(received)),
        pairs_(2 * static_cast<std::size_t>(std::max(sum(sent_), sum(received_))) + 2, -1) {
    constexpr auto size = static_cast<MPI_Aint>(sizeof(int));
    MPI_Type_create_resized(MPI_INT, 0, 2 * size, &first_);
    int const one = 1;
    MPI_Datatype second = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(1, &one, &size, MPI_INT, &second);
    MPI_Type_create_resized(second, 0, 2 * size, &second_);
    MPI_Type_free(&second);
    MPI_Type_commit(&first_);
    MPI_Type_commit(&second_);
  }

  Interleaved(Interleaved const&) = delete;
  Interleaved& operator=(Interleaved const&) = delete;
  Interleaved(Interleaved&&) = delete;
  Interleaved& operator=(Interleaved&&) = delete;

  ~Interleaved() {
    MPI_Type_free(&first_);
    MPI_Type_free(&second_);
  }

  [[nodiscard]] int& sent(int number) { return pairs_[2 * static_cast<std::size_t>(number)]; }

  [[nodiscard]] int received(int number) const {
    return pairs_[2 * static_cast<std::size_t>(number) + 1];
  }

  int alltoallv(MPI_Comm comm) {
    std::vector<int> const from = places(sent_);
    std::vector<int> const to = places(received_);
    return MPI_Alltoallv(
        pairs_.data(),
        sent_.data(),
        from.data(),
        first_,
        pairs_.data(),
        received_.data(),
        to.data(),
        second_,
        comm
    );
  }

private:
  static int sum(std::vector<int> const& counts) {
    return std::accumulate(counts.begin(), counts.end(), 0);
  }

  static std::vector<int> places(std::vector<int> const& counts) {
    std::vector<int> result(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), result.begin(), 0);
    return result;
  }

  std::vector<int> sent_;
  std::vector<int> received_;
  std::vector<int> pairs_;
  MPI_Datatype first_ = MPI_DATATYPE_NULL;
  MPI_Datatype second_ = MPI_DATATYPE_NULL;
};

}  // namespace shim_test
