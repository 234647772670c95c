// SPDX-License-Identifier: Apache-2.0

/// @file
/// Conduits of espalier_onesided.h: what they say of themselves, puts, gets, counters, barriers.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

using Numbers = std::vector<std::uint64_t>;

constexpr std::size_t num_numbers = 3000;
constexpr std::uint64_t data_at = 128;
constexpr std::uint64_t counter_at = 8;
constexpr std::uint64_t data_bytes = num_numbers * sizeof(std::uint64_t);

std::uint64_t segment_bytes(int rank) {
  return data_at + data_bytes + 1000 + static_cast<std::uint64_t>(rank) * 72;
}

/// Numbers that only this rank has, other ones for each use.
Numbers numbers_of(int rank, std::uint64_t use) {
  Numbers numbers(num_numbers);
  std::iota(numbers.begin(), numbers.end(), static_cast<std::uint64_t>(rank) * 1'000'000 + use);
  return numbers;
}

/// One conduit, seen from one process of a ring.
class Ring {
public:
  Ring(Checks& checks, World const& world)
      : checks_(&checks), conduit_(world.conduit), rank_(test_rank(MPI_COMM_WORLD)),
        p_(test_size(MPI_COMM_WORLD)), right_((rank_ + 1) % p_), left_((rank_ + p_ - 1) % p_) {}

  void describe(std::string const& transport) {
    expect(espalier_conduit_rank(conduit_) == rank_, "rank");
    expect(espalier_conduit_size(conduit_) == p_, "size");
    expect(espalier_conduit_transport(conduit_) == transport, "transport");
    for (int rank = 0; rank < p_; ++rank) {
      std::uint64_t found = 0;
      expect(espalier_conduit_segment_bytes(conduit_, rank, &found), "bytes of a segment");
      expect(found == segment_bytes(rank), "segments have the sizes that were asked for");
    }
    expect(reinterpret_cast<std::uintptr_t>(segment()) % 64 == 0, "aligned to lines");
    bool is_zero = true;
    for (std::uint64_t i = 0; i < segment_bytes(rank_); ++i) {
      is_zero = is_zero && segment()[i] == std::byte{0};
    }
    expect(is_zero, "zero at first");
    barrier();
  }

  void put_and_get() {
    Numbers const own = numbers_of(rank_, 1);
    expect(espalier_put(own.data(), data_bytes, at(right_, data_at), conduit_), "put");
    barrier();
    expect(here() == numbers_of(left_, 1), "what the left one has put");
    Numbers fetched(num_numbers);
    expect(espalier_get(fetched.data(), data_bytes, at(right_, data_at), conduit_), "get");
    expect(fetched == own, "what was put to the right one");
    expect(espalier_put(nullptr, 0, at(right_, segment_bytes(right_)), conduit_), "put nothing");
    barrier();
  }

  void transfer() {
    Numbers const own = numbers_of(rank_, 2);
    espalier_transfer put{};
    expect(
        espalier_start_put(own.data(), data_bytes, at(right_, data_at), conduit_, &put), "start"
    );
    expect(espalier_transfer_wait_local(conduit_, &put), "wait for the source");
    expect(espalier_transfer_wait(conduit_, &put), "wait for the target");
    barrier();
    Numbers fetched(num_numbers);
    espalier_transfer get{};
    expect(
        espalier_start_get(fetched.data(), data_bytes, at(left_, data_at), conduit_, &get), "start"
    );
    int is_complete = 0;
    while (is_complete == 0) {
      expect(espalier_transfer_test(conduit_, &get, &is_complete), "test");
    }
    expect(fetched == numbers_of((left_ + p_ - 1) % p_, 2), "what the next but one has put");
    barrier();
  }

  /// Many at the same time, waited for in reverse.
  void transfer_many() {
    Numbers const own = numbers_of(rank_, 3);
    std::vector<espalier_transfer> puts(num_numbers / 100);
    for (std::size_t i = 0; i < puts.size(); ++i) {
      std::uint64_t const part = i * 800;
      expect(
          espalier_start_put(&own[i * 100], 800, at(right_, data_at + part), conduit_, &puts[i]),
          "start one of many"
      );
    }
    for (std::size_t i = puts.size(); i-- > 0;) {
      expect(espalier_transfer_wait(conduit_, &puts[i]), "wait for one of many");
    }
    barrier();
    expect(here() == numbers_of(left_, 3), "all parts");
    barrier();
  }

  void post() {
    Numbers const own = numbers_of(rank_, 4);
    expect(espalier_post_put(own.data(), data_bytes, at(right_, data_at), conduit_), "post put");
    expect(espalier_fence(conduit_), "fence");
    barrier();
    expect(here() == numbers_of(left_, 4), "what was posted");
    Numbers fetched(num_numbers);
    expect(espalier_post_get(fetched.data(), data_bytes, at(right_, data_at), conduit_), "post");
    expect(espalier_fence(conduit_), "fence");
    expect(fetched == own, "what was fetched");
    barrier();
  }

  /// Data small and large, each with a counter that says when they are there.
  void signal_data() {
    std::uint64_t const before = counter();
    barrier();
    std::uint64_t awaited = before;
    for (std::size_t const size : {std::size_t{1}, num_numbers}) {
      Numbers const own = numbers_of(rank_, 5 + size);
      auto const to = at(right_, data_at);
      expect(
          espalier_put_signal(own.data(), size * 8, to, counter_at, 7, conduit_), "put and signal"
      );
      awaited += 7;
      expect(espalier_await(conduit_, counter_at, awaited), "await");
      expect(here()[size - 1] == numbers_of(left_, 5 + size)[size - 1], "data before the counter");
      barrier();
    }
    expect(counter() == before + 14, "the counter counts");
  }

  /// The same without waiting; what was sent is replaced as soon as it may be.
  void start_signals() {
    std::uint64_t awaited = counter();
    barrier();
    for (std::size_t const size : {std::size_t{0}, std::size_t{1}, num_numbers}) {
      for (bool const is_tested : {false, true}) {
        awaited += 5;
        start_signal(size, is_tested, awaited);
      }
    }
    expect(counter() == awaited, "started signals count once");
    barrier();
  }

  /// Many writers count at one counter, with handles that are tested, waited for in reverse, or
  /// posted.
  void count_puts() {
    constexpr int num_rounds = 10;
    std::uint64_t const before = counter();
    barrier();
    Numbers const own = numbers_of(rank_, 30);
    std::uint64_t const mine = data_at + static_cast<std::uint64_t>(rank_) * 8;
    std::vector<espalier_transfer> puts(static_cast<std::size_t>(num_rounds * p_));
    for (std::size_t i = 0; i < puts.size(); ++i) {
      auto const to = at(static_cast<int>(i) % p_, mine);
      expect(
          espalier_start_put_signal(own.data(), 8, to, counter_at, 2, conduit_, &puts[i]),
          "start one of many signals"
      );
      expect(espalier_post_put_signal(own.data(), 8, to, counter_at, 1, conduit_), "post one");
    }
    for (std::size_t i = puts.size(); i-- > 0;) {
      if (i % 2 == 0) {
        expect(espalier_transfer_wait(conduit_, &puts[i]), "wait for one of many");
      } else {
        test_until_over(puts[i]);
      }
    }
    expect(espalier_fence(conduit_), "fence");
    std::uint64_t const all = before + static_cast<std::uint64_t>(3 * num_rounds * p_);
    expect(espalier_await(conduit_, counter_at, all), "await all");
    for (int from = 0; from < p_; ++from) {
      bool const is_there = here()[static_cast<std::size_t>(from)] == numbers_of(from, 30)[0];
      expect(is_there, "data of each writer");
    }
    barrier();
    expect(counter() == all, "no more than all");
    barrier();
  }

  /// Posted ones of all sizes: the counter says that they are there, the fence that they may be
  /// written again.
  void post_signals() {
    std::uint64_t const before = counter();
    barrier();
    Numbers own = numbers_of(rank_, 40);
    auto const to = at(right_, data_at);
    expect(
        espalier_post_put_signal(own.data(), data_bytes, to, counter_at, 1, conduit_), "post a put"
    );
    expect(
        espalier_post_put_signal(nullptr, 0, to, counter_at, 1, conduit_),
        "post nothing but a signal"
    );
    expect(espalier_fence(conduit_), "fence");
    own.assign(num_numbers, 0);
    expect(espalier_await(conduit_, counter_at, before + 2), "await what was posted");
    expect(here() == numbers_of(left_, 40), "what was posted before the counter");
    barrier();
  }

  /// Of puts and gets without counters.
  void test_locally() {
    Numbers own = numbers_of(rank_, 50);
    espalier_transfer put{};
    expect(
        espalier_start_put(own.data(), data_bytes, at(right_, data_at), conduit_, &put), "start"
    );
    end_locally(put, true);
    own.assign(num_numbers, 0);
    end_locally(put, true);
    test_until_over(put);
    barrier();
    expect(here() == numbers_of(left_, 50), "what was replaced after local completion");
    espalier_transfer get{};
    expect(
        espalier_start_get(own.data(), data_bytes, at(right_, data_at), conduit_, &get), "start"
    );
    end_locally(get, true);
    expect(own == numbers_of(rank_, 50), "a get is over where it is over locally");
    expect(espalier_transfer_wait(conduit_, &get), "wait");
    barrier();
  }

  /// Everybody counts at rank 0.
  void count() {
    barrier();
    std::uint64_t const before = counter();
    barrier();
    expect(espalier_signal(at(0, counter_at), 3, conduit_), "signal");
    if (rank_ == 0) {
      std::uint64_t const all = before + 3 * static_cast<std::uint64_t>(p_);
      expect(espalier_await(conduit_, counter_at, all), "await all");
      expect(counter() == all, "no more than all");
    }
    barrier();
  }

  void split_barrier() {
    for (int i = 0; i < 20; ++i) {
      expect(espalier_conduit_notify(conduit_), "notify");
      int is_complete = 0;
      while (is_complete == 0) {
        expect(espalier_conduit_poll(conduit_), "poll");
        expect(espalier_conduit_try_barrier(conduit_, &is_complete), "try");
      }
    }
  }

private:
  void expect(bool is_true, std::string const& what) {
    checks_->expect(is_true, std::string(espalier_conduit_transport(conduit_)) + ": " + what);
  }

  void expect(int code, std::string const& what) {
    expect(code == MPI_SUCCESS, what + ": " + text_of(code));
  }

  static espalier_remote at(int rank, std::uint64_t offset) {
    return {.rank = rank, .offset = offset};
  }

  void start_signal(std::size_t size, bool is_tested, std::uint64_t awaited) {
    Numbers own = numbers_of(rank_, awaited);
    auto const to = at(right_, data_at);
    espalier_transfer put{};
    expect(
        espalier_start_put_signal(own.data(), size * 8, to, counter_at, 5, conduit_, &put),
        "start a signaling put"
    );
    end_locally(put, is_tested);
    own.assign(num_numbers, 0);
    expect(espalier_transfer_wait(conduit_, &put), "wait for what is over locally");
    expect(espalier_await(conduit_, counter_at, awaited), "await what was started");
    Numbers const expected = numbers_of(left_, awaited);
    bool const is_there = size == 0 || here()[size - 1] == expected[size - 1];
    expect(is_there, "data before the counter, " + std::to_string(size));
    barrier();
  }

  /// Until the source may be written again; the transfer goes on.
  void end_locally(espalier_transfer& transfer, bool is_tested) {
    int is_complete = is_tested ? 0 : 1;
    if (!is_tested) {
      expect(espalier_transfer_wait_local(conduit_, &transfer), "wait locally");
    }
    while (is_complete == 0) {
      int const code = espalier_transfer_test_local(conduit_, &transfer, &is_complete);
      expect(code, "test locally");
      is_complete = code == MPI_SUCCESS ? is_complete : 1;
    }
  }

  void test_until_over(espalier_transfer& transfer) {
    int is_complete = 0;
    while (is_complete == 0) {
      int const code = espalier_transfer_test(conduit_, &transfer, &is_complete);
      expect(code, "test");
      is_complete = code == MPI_SUCCESS ? is_complete : 1;
    }
  }

  [[nodiscard]] std::byte* segment() const {
    return static_cast<std::byte*>(espalier_conduit_segment(conduit_));
  }

  [[nodiscard]] Numbers here() const {
    auto const* const begin = reinterpret_cast<std::uint64_t const*>(segment() + data_at);
    return {begin, begin + num_numbers};
  }

  std::uint64_t counter() {
    std::uint64_t value = 0;
    expect(espalier_counter(conduit_, counter_at, &value), "read a counter");
    return value;
  }

  void barrier() { expect(espalier_conduit_barrier(conduit_), "barrier"); }

  Checks* checks_;
  espalier_conduit* conduit_;
  int rank_;
  int p_;
  int right_;
  int left_;
};

void use(Checks& checks, char const* transport) {
  World const world(checks, segment_bytes(test_rank(MPI_COMM_WORLD)), transport);
  Ring ring(checks, world);
  ring.describe(transport);
  ring.put_and_get();
  ring.transfer();
  ring.transfer_many();
  ring.post();
  ring.signal_data();
  ring.start_signals();
  ring.count_puts();
  ring.post_signals();
  ring.test_locally();
  ring.count();
  ring.split_barrier();
}

/// On one node, memory of the node is chosen, where there is any; two conduits do not meet.
void use_two(Checks& checks) {
  espalier_conduit* first = nullptr;
  espalier_conduit* second = nullptr;
  int code = espalier_conduit_attach(MPI_COMM_WORLD, 64, nullptr, &first);
  checks.expect(code == MPI_SUCCESS, "attach by default: " + text_of(code));
  std::string const usual = transports().front();
  checks.expect(espalier_conduit_transport(first) == usual, "a node is seen");
  code = espalier_conduit_attach(MPI_COMM_WORLD, 0, nullptr, &second);
  checks.expect(code == MPI_SUCCESS, "attach another one: " + text_of(code));
  checks.expect(espalier_signal({.rank = 0, .offset = 0}, 1, first) == MPI_SUCCESS, "signal");
  espalier_conduit_barrier(second);
  espalier_conduit_barrier(first);
  if (test_rank(MPI_COMM_WORLD) == 0) {
    auto const p = static_cast<std::uint64_t>(test_size(MPI_COMM_WORLD));
    checks.expect(espalier_await(first, 0, p) == MPI_SUCCESS, "all have signalled");
  }
  checks.expect(espalier_conduit_detach(&second) == MPI_SUCCESS, "detach the second one");
  checks.expect(espalier_conduit_detach(&first) == MPI_SUCCESS, "detach the first one");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    use(checks, transport);
  }
  use_two(checks);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
