// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/exec/node/group.hpp"
#include "espalier/exec/node/waiting.hpp"

namespace espalier::exec::node {

/// Messages of a run that stay inside the node, numbered as those of MPI.
class NearRun {
public:
  NearRun() = default;

  /// @param group  of the messages; null: there are none
  NearRun(Group* group, std::size_t num_requests)
      : group_(group), requests_(group != nullptr ? num_requests : 0),
        links_(requests_.size(), nullptr) {}

  NearRun(NearRun&& other) noexcept
      : group_(std::exchange(other.group_, nullptr)), requests_(std::move(other.requests_)),
        links_(std::move(other.links_)) {}

  NearRun& operator=(NearRun&&) = delete;
  NearRun(NearRun const&) = delete;
  NearRun& operator=(NearRun const&) = delete;

  ~NearRun() { abandon(); }

  [[nodiscard]] bool has_messages() const noexcept { return group_ != nullptr; }

  [[nodiscard]] bool is_open(int request) const noexcept {
    return requests_[static_cast<std::size_t>(request)].is_open;
  }

  /// Whether nothing of this node waits for this rank to go on.
  [[nodiscard]] bool is_idle() const noexcept { return group_->is_idle(); }

  struct Message {
    void* memory = nullptr;
    std::int64_t num_bytes = 0;
    int tag = 0;
    int request = 0;
  };

  [[gnu::always_inline]] void send(Link& link, Message const& message) noexcept {
    Request& request = prepare(message);
    link.send(request);
    note(link, request, message.request);
  }

  [[gnu::always_inline]] void receive(Link& link, Message const& message) noexcept {
    Request& request = prepare(message);
    link.receive(request);
    note(link, request, message.request);
  }

  /// Goes on with what is underway, without waiting.
  void progress() noexcept { group_->progress(); }

  /// Waits for a message that was started, and serves MPI meanwhile.
  /// @return MPI_SUCCESS, or MPI_ERR_TRUNCATE for a message longer than expected
  [[gnu::always_inline]] int wait(MPI_Comm comm, int request) noexcept {
    Request& waited = requests_[static_cast<std::size_t>(request)];
    if (waited.is_open) {
      wait_open(comm, request);
    }
    return result(request);
  }

  /// Of a message that is over.
  [[nodiscard]] int result(int request) const noexcept {
    bool const is_truncated = requests_[static_cast<std::size_t>(request)].is_truncated;
    return is_truncated ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  }

  /// Waits for a message of MPI, and goes on with those of the node meanwhile.
  /// @return the code of the message
  int wait_far(MPI_Comm comm, MPI_Request& request) noexcept;

  [[nodiscard]] Patience patience() const noexcept { return Patience(group_->shares_processors()); }

  /// Leaves nothing of this run in the links.
  void abandon() noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return requests_.capacity() * sizeof(Request) + links_.capacity() * sizeof(Link*);
  }

private:
  [[gnu::always_inline]] Request& prepare(Message const& message) noexcept {
    Request& request = requests_[static_cast<std::size_t>(message.request)];
    request.data = static_cast<std::byte*>(message.memory);
    request.num_bytes = static_cast<std::uint64_t>(message.num_bytes);
    request.tag = message.tag;
    request.is_truncated = false;
    return request;
  }

  [[gnu::always_inline]] void note(Link& link, Request const& request, int number) noexcept {
    if (request.is_open) {
      links_[static_cast<std::size_t>(number)] = &link;
      group_->note_underway(link);
    }
  }

  void wait_open(MPI_Comm comm, int request) noexcept;

  Group* group_ = nullptr;
  std::vector<Request> requests_;
  std::vector<Link*> links_;  ///< of requests that were open
};

}  // namespace espalier::exec::node
