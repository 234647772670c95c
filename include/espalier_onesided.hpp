/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * espalier_onesided.h for C++20: handles that free themselves, spans, exceptions. Header only; what
 * calls mean, and which of them are collective, is told there.
 *
 * @code
 *     espalier::Conduit conduit(MPI_COMM_WORLD, n * sizeof(double));
 *     espalier::Team team(conduit, MPI_COMM_WORLD);
 *     std::span<double> x = conduit.segment<double>();
 *     espalier::Request step = team.bcast(x.data(), {n, MPI_DOUBLE}, 0);
 *     step.start();
 *     compute_something_else();
 *     step.wait();
 * @endcode
 *
 * Errors are thrown where the error handler of the communicator returns, as MPI_ERRORS_RETURN does.
 * A destructor cannot throw: what it ends must be in a state to be ended (requests not under way,
 * teams without requests, conduits without teams), which is the case where objects are destroyed in
 * the reverse order of their construction. All must end before MPI_Finalize().
 */

#ifndef ESPALIER_ONESIDED_HPP
#define ESPALIER_ONESIDED_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "espalier_message.hpp" /* IWYU pragma: export */
#include "espalier_request.hpp"
#include <espalier_onesided.h>

#include <mpi.h>

namespace espalier {

/** What all errors are, see espalier_request.hpp. */
using OnesidedError = CallError;

/** A put or get that was started. Whoever drops it does not wait for it. */
class Transfer {
public:
  [[nodiscard]] bool test() {
    int is_complete = 0;
    require_success(espalier_transfer_test(conduit_, &transfer_, &is_complete));
    return is_complete != 0;
  }

  void wait() { require_success(espalier_transfer_wait(conduit_, &transfer_)); }

  [[nodiscard]] bool test_local() {
    int is_complete = 0;
    require_success(espalier_transfer_test_local(conduit_, &transfer_, &is_complete));
    return is_complete != 0;
  }

  void wait_local() { require_success(espalier_transfer_wait_local(conduit_, &transfer_)); }

private:
  friend class Conduit;

  espalier_conduit* conduit_ = nullptr;
  espalier_transfer transfer_{};
};

/** A place in the segment of a rank. */
using Remote = espalier_remote;

class Conduit : private KeptHandlers, public Owned<espalier_conduit, espalier_conduit_detach> {
public:
  Conduit(
      MPI_Comm comm, std::uint64_t segment_bytes, espalier_conduit_options const* options = nullptr
  )
      : KeptHandlers({}) {
    require_success(espalier_conduit_attach(comm, segment_bytes, options, place()));
  }

  /** @param options  without handlers */
  Conduit(
      MPI_Comm comm,
      std::uint64_t segment_bytes,
      std::vector<Handler> handlers,
      espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT
  )
      : KeptHandlers(std::move(handlers)) {
    add_to(options);
    require_success(espalier_conduit_attach(comm, segment_bytes, &options, place()));
  }

  [[nodiscard]] int rank() const noexcept { return espalier_conduit_rank(get()); }

  [[nodiscard]] int size() const noexcept { return espalier_conduit_size(get()); }

  [[nodiscard]] std::string transport() const { return espalier_conduit_transport(get()); }

  [[nodiscard]] std::uint64_t segment_bytes(int rank) const {
    std::uint64_t num_bytes = 0;
    require_success(espalier_conduit_segment_bytes(get(), rank, &num_bytes));
    return num_bytes;
  }

  /** The segment of this process; bytes at its end that are no whole element are left out. */
  template <typename Element = std::byte> [[nodiscard]] std::span<Element> segment() const {
    auto* const begin = static_cast<Element*>(espalier_conduit_segment(get()));
    return {begin, static_cast<std::size_t>(segment_bytes(rank())) / sizeof(Element)};
  }

  template <typename Element, std::size_t size> void put(std::span<Element, size> from, Remote to) {
    require_success(espalier_put(from.data(), from.size_bytes(), to, get()));
  }

  template <typename Element, std::size_t size> void get(std::span<Element, size> to, Remote from) {
    require_success(espalier_get(to.data(), to.size_bytes(), from, get()));
  }

  template <typename Element, std::size_t size>
  void put_signal(
      std::span<Element, size> from, Remote to, std::uint64_t counter, std::uint64_t amount = 1
  ) {
    require_success(espalier_put_signal(from.data(), from.size_bytes(), to, counter, amount, get())
    );
  }

  template <typename Element, std::size_t size>
  [[nodiscard]] Transfer start_put(std::span<Element, size> from, Remote to) {
    Transfer started = transfer();
    require_success(
        espalier_start_put(from.data(), from.size_bytes(), to, get(), &started.transfer_)
    );
    return started;
  }

  template <typename Element, std::size_t size>
  [[nodiscard]] Transfer start_get(std::span<Element, size> to, Remote from) {
    Transfer started = transfer();
    require_success(espalier_start_get(to.data(), to.size_bytes(), from, get(), &started.transfer_)
    );
    return started;
  }

  template <typename Element, std::size_t size>
  [[nodiscard]] Transfer start_put_signal(
      std::span<Element, size> from, Remote to, std::uint64_t counter, std::uint64_t amount = 1
  ) {
    Transfer started = transfer();
    require_success(espalier_start_put_signal(
        from.data(), from.size_bytes(), to, counter, amount, get(), &started.transfer_
    ));
    return started;
  }

  template <typename Element, std::size_t size>
  void post_put(std::span<Element, size> from, Remote to) {
    require_success(espalier_post_put(from.data(), from.size_bytes(), to, get()));
  }

  template <typename Element, std::size_t size>
  void post_get(std::span<Element, size> to, Remote from) {
    require_success(espalier_post_get(to.data(), to.size_bytes(), from, get()));
  }

  template <typename Element, std::size_t size>
  void post_put_signal(
      std::span<Element, size> from, Remote to, std::uint64_t counter, std::uint64_t amount = 1
  ) {
    require_success(
        espalier_post_put_signal(from.data(), from.size_bytes(), to, counter, amount, get())
    );
  }

  void fence() { require_success(espalier_fence(get())); }

  void signal(Remote counter, std::uint64_t amount = 1) {
    require_success(espalier_signal(counter, amount, get()));
  }

  [[nodiscard]] std::uint64_t counter(std::uint64_t offset) const {
    std::uint64_t value = 0;
    require_success(espalier_counter(get(), offset, &value));
    return value;
  }

  void await(std::uint64_t offset, std::uint64_t at_least) {
    require_success(espalier_await(get(), offset, at_least));
  }

  [[nodiscard]] std::uint64_t max_medium_bytes() const noexcept {
    return espalier_max_medium_bytes(get());
  }

  void send(int rank, int handler, Arguments const& arguments = {}) {
    require_success(espalier_send_short(arguments.begin(), arguments.count(), handler, rank, get())
    );
  }

  template <typename Element, std::size_t size>
  void
  send(int rank, int handler, std::span<Element, size> payload, Arguments const& arguments = {}) {
    require_success(espalier_send_medium(
        payload.data(),
        payload.size_bytes(),
        arguments.begin(),
        arguments.count(),
        handler,
        rank,
        get()
    ));
  }

  template <typename Element, std::size_t size>
  void
  send(Remote to, int handler, std::span<Element, size> payload, Arguments const& arguments = {}) {
    require_success(espalier_send_long(
        payload.data(),
        payload.size_bytes(),
        arguments.begin(),
        arguments.count(),
        handler,
        to,
        get()
    ));
  }

  /** Waits for what messages or counters make true. What the condition throws ends it. */
  template <typename Condition> void wait_until(Condition&& is_true) {
    struct Asked {
      std::remove_reference_t<Condition>* condition;
      std::exception_ptr error;
    };

    Asked asked{std::addressof(is_true), nullptr};
    auto const ask = [](void* context) noexcept {
      auto& own = *static_cast<Asked*>(context);
      try {
        return (*own.condition)() ? 1 : 0;
      } catch (...) {
        own.error = std::current_exception();
        return 1;
      }
    };
    int const code = espalier_wait_until(ask, &asked, get());
    if (asked.error) {
      std::rethrow_exception(asked.error);
    }
    require_success(code);
  }

  void poll() { require_success(espalier_conduit_poll(get())); }

  void notify() { require_success(espalier_conduit_notify(get())); }

  [[nodiscard]] bool try_barrier() {
    int is_complete = 0;
    require_success(espalier_conduit_try_barrier(get(), &is_complete));
    return is_complete != 0;
  }

  void barrier() { require_success(espalier_conduit_barrier(get())); }

  using Owned::get;

private:
  [[nodiscard]] Transfer transfer() const noexcept {
    Transfer result;
    result.conduit_ = get();
    return result;
  }
};

/** NULL: strict, symmetric, chosen. */
using TeamOptions = espalier_onesided_options const*;

/** With ESPALIER_ADDRESSES_SINGLE, members tell each other where their buffers are when they plan.
 */
inline espalier_onesided_options team_options(
    espalier_sync in, espalier_sync out, espalier_addresses addresses = ESPALIER_ADDRESSES_SYMMETRIC
) {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.in = in;
  options.out = out;
  options.addresses = addresses;
  return options;
}

/** What a block consists of. */
struct Elements {
  int count;
  MPI_Datatype type;
};

/** Blocks of different sizes, with an entry for each member. */
struct Parts {
  std::span<int const> counts;
  std::span<int const> displacements = {}; /**< empty: one block behind the other */
};

class Team : public Owned<espalier_team, espalier_team_free> {
public:
  Team(Conduit& conduit, MPI_Comm comm, std::uint64_t scratch_bytes = 0) {
    require_success(espalier_team_create(conduit.get(), comm, scratch_bytes, place()));
  }

  [[nodiscard]] int rank() const noexcept { return espalier_team_rank(get()); }

  [[nodiscard]] int size() const noexcept { return espalier_team_size(get()); }

  [[nodiscard]] int conduit_rank(int rank) const {
    int found = -1;
    require_success(espalier_team_conduit_rank(get(), rank, &found));
    return found;
  }

  /** MPI_UNDEFINED if that process is no member. */
  [[nodiscard]] int rank_of(int conduit_rank) const {
    int found = MPI_UNDEFINED;
    require_success(espalier_team_rank_of(get(), conduit_rank, &found));
    return found;
  }

  [[nodiscard]] Request
  bcast(void* buffer, Elements each, int root, TeamOptions options = nullptr) {
    return plan(espalier_team_bcast_init, options, buffer, each.count, each.type, root);
  }

  [[nodiscard]] Request
  scatter(void const* from, void* to, Elements each, int root, TeamOptions options = nullptr) {
    return plan(espalier_team_scatter_init, options, from, to, each.count, each.type, root);
  }

  [[nodiscard]] Request
  gather(void const* from, void* to, Elements each, int root, TeamOptions options = nullptr) {
    return plan(espalier_team_gather_init, options, from, to, each.count, each.type, root);
  }

  [[nodiscard]] Request reduce(
      void const* from, void* to, Elements each, MPI_Op op, int root, TeamOptions options = nullptr
  ) {
    return plan(espalier_team_reduce_init, options, from, to, each.count, each.type, op, root);
  }

  [[nodiscard]] Request
  allreduce(void const* from, void* to, Elements each, MPI_Op op, TeamOptions options = nullptr) {
    return plan(espalier_team_allreduce_init, options, from, to, each.count, each.type, op);
  }

  [[nodiscard]] Request
  allgather(void const* from, void* to, Elements each, TeamOptions options = nullptr) {
    return plan(espalier_team_allgather_init, options, from, to, each.count, each.type);
  }

  [[nodiscard]] Request
  alltoall(void const* from, void* to, Elements each, TeamOptions options = nullptr) {
    return plan(espalier_team_alltoall_init, options, from, to, each.count, each.type);
  }

  [[nodiscard]] Request scatterv(
      void const* from,
      Parts parts,
      void* to,
      MPI_Datatype type,
      int root,
      TeamOptions options = nullptr
  ) {
    auto const [counts, displs] = lists(parts);
    return plan(espalier_team_scatterv_init, options, from, counts, displs, to, type, root);
  }

  [[nodiscard]] Request gatherv(
      void const* from,
      void* to,
      Parts parts,
      MPI_Datatype type,
      int root,
      TeamOptions options = nullptr
  ) {
    auto const [counts, displs] = lists(parts);
    return plan(espalier_team_gatherv_init, options, from, to, counts, displs, type, root);
  }

  [[nodiscard]] Request allgatherv(
      void const* from, void* to, Parts parts, MPI_Datatype type, TeamOptions options = nullptr
  ) {
    auto const [counts, displs] = lists(parts);
    return plan(espalier_team_allgatherv_init, options, from, to, counts, displs, type);
  }

  [[nodiscard]] Request alltoallv(
      void const* from,
      Parts sent,
      void* to,
      Parts received,
      MPI_Datatype type,
      TeamOptions options = nullptr
  ) {
    auto const [counts, displs] = lists(sent);
    auto const [to_counts, to_displs] = lists(received);
    return plan(
        espalier_team_alltoallv_init, options, from, counts, displs, to, to_counts, to_displs, type
    );
  }

  [[nodiscard]] Request barrier(TeamOptions options = nullptr) {
    return plan(espalier_team_barrier_init, options);
  }

  void fence() { require_success(espalier_team_fence(get())); }

private:
  struct Lists {
    int const* counts;
    int const* displs;
  };

  [[nodiscard]] Lists lists(Parts const& parts) const {
    auto const num_members = static_cast<std::size_t>(size());
    bool const are_packed = parts.displacements.empty();
    if (parts.counts.size() != num_members ||
        (!are_packed && parts.displacements.size() != num_members)) {
      throw std::invalid_argument("expected an entry for each member of the team");
    }
    return {parts.counts.data(), are_packed ? nullptr : parts.displacements.data()};
  }

  template <typename Init, typename... Arguments>
  [[nodiscard]] Request plan(Init init, TeamOptions options, Arguments... arguments) {
    return Request::planned(init, arguments..., get(), options);
  }
};

}  // namespace espalier

#endif
