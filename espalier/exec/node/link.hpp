// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <sys/types.h>
#include <vector>

#include "espalier/exec/node/channel.hpp"

namespace espalier::exec::node {

/// A message underway, at one of its ends. Its owner keeps it where it is while it is open.
struct Request {
  std::byte* data = nullptr;
  std::uint64_t num_bytes = 0;  ///< of a receive: room for as many
  std::uint64_t moved = 0;
  bool is_offered = false;  ///< a send whose receiver may read it in place now
  int tag = 0;
  bool is_open = false;       ///< not over
  bool is_truncated = false;  ///< the message was longer than its receiver expected
  Request* next = nullptr;    ///< of the queue that it is in
};

/// Requests in the order in which they were made; does not own them.
class RequestQueue {
public:
  [[nodiscard]] bool is_empty() const noexcept { return first_ == nullptr; }

  [[nodiscard]] Request* first() const noexcept { return first_; }

  void push(Request& request) noexcept;
  void remove(Request& request) noexcept;
  /// The first with this tag; null if there is none.
  [[nodiscard]] Request* find(int tag) const noexcept;

private:
  Request* first_ = nullptr;
  Request* last_ = nullptr;
};

/// Messages of one rank to and from another one of its node and communicator. Like those of MPI
/// they match by tag and then in order, and a send is over when its memory may be written again.
/// Used by one thread at a time.
class Link {
public:
  /// @param process  of the other rank, if both may read each other's memory; otherwise 0
  Link(ChannelPlace out, ChannelPlace in, pid_t process) noexcept
      : out_(out), in_(in), outflow_(out.channel->flags()), inflow_(in.channel->flags()),
        process_(process) {}

  Link(Link const&) = delete;
  Link& operator=(Link const&) = delete;
  Link(Link&&) = delete;
  Link& operator=(Link&&) = delete;

  /// The next link of this channel goes on where this one ends.
  ~Link() { inflow_.settle(); }

  /// Starts a message. Those of one fragment are over at once if there is room.
  [[gnu::always_inline]] void send(Request& request) noexcept {
    if (!sends_.is_empty() || !put_whole(request)) [[unlikely]] {
      enqueue(request);
    }
  }

  /// Starts to receive a message. What is here already is over at once.
  [[gnu::always_inline]] void receive(Request& request) noexcept {
    if (!receives_.is_empty() || !strays_.empty() || !take_whole(request)) [[unlikely]] {
      post(request);
    }
  }

  /// Goes on with what is underway, without waiting.
  void progress() noexcept;

  /// progress(), with a short way for a receive that is the only thing underway.
  [[gnu::always_inline]] void poll(Request& request) noexcept {
    if (receives_.first() == &request && request.next == nullptr && strays_.empty() &&
        filling_ == nullptr && sends_.is_empty() && take_whole(request)) [[likely]] {
      receives_.remove(request);
      request.is_open = false;
      return;
    }
    progress();
  }

  [[nodiscard]] bool is_idle() const noexcept { return sends_.is_empty() && receives_.is_empty(); }

  /// Forgets a request that is not over: its owner goes. What others sent is still received.
  void abandon(Request& request) noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  /// A message that came before its receive was started, and before one that was.
  struct Stray {
    std::vector<std::byte> data;
    Request request{};
  };

  static void copy_small(std::byte* to, std::byte const* from, std::size_t num_bytes) noexcept {
    if (num_bytes == sizeof(std::uint64_t)) {
      std::memcpy(to, from, sizeof(std::uint64_t));
    } else if (num_bytes > 0) {
      std::memcpy(to, from, num_bytes);
    }
  }

  /// Sends the message as one fragment, if it is none that the receiver reads in place.
  [[gnu::always_inline]] bool put_whole(Request const& request) noexcept {
    bool const is_small = request.num_bytes <= Line::data_bytes;
    bool const is_fragment = is_small || request.num_bytes <= out_.whole_bytes();
    if (!is_fragment || !outflow_.has_room(is_small ? ChannelRules::lines : num_chunks)) {
      return false;
    }
    Line& line = out_.channel->lines[outflow_.line()];
    line.tag = request.tag;
    line.message_bytes = request.num_bytes;
    if (is_small) [[likely]] {
      copy_small(line.data.data(), request.data, request.num_bytes);
    } else {
      std::memcpy(out_.chunk(outflow_.line()), request.data, request.num_bytes);
    }
    outflow_.publish();
    return true;
  }

  /// Receives the message in the next line, if it is one fragment, and the one that is asked for.
  [[gnu::always_inline]] bool take_whole(Request& request) noexcept {
    if (filling_ != nullptr || !inflow_.has_fragment()) {
      return false;
    }
    Line const& line = in_.channel->lines[inflow_.line()];
    std::uint64_t const num_bytes = line.message_bytes;
    bool const is_small = num_bytes <= Line::data_bytes;
    bool const is_fragment = is_small || num_bytes <= in_.whole_bytes();
    if (line.tag != request.tag || !is_fragment || num_bytes > request.num_bytes) {
      return false;
    }
    if (is_small) [[likely]] {
      copy_small(request.data, line.data.data(), num_bytes);
      inflow_.release();
    } else {
      std::memcpy(request.data, in_.chunk(inflow_.line()), num_bytes);
      inflow_.release(chunks_at_once);
    }
    return true;
  }

  void enqueue(Request& request) noexcept;
  void post(Request& request) noexcept;
  void push_fragments() noexcept;
  bool push_fragment(Request& request) noexcept;
  bool push_in_place(Request& request) noexcept;
  void pull_fragments() noexcept;
  bool begin_message() noexcept;
  void pull_fragment() noexcept;
  void pull_in_place(Line const& line) noexcept;
  void end_message() noexcept;
  bool take_stray(Request& request) noexcept;
  Request* make_stray(int tag, std::uint64_t num_bytes) noexcept;

  ChannelPlace out_;
  ChannelPlace in_;
  Outflow<Flag, ChannelRules> outflow_;
  Inflow<Flag, ChannelRules> inflow_;
  pid_t process_;
  RequestQueue sends_;
  RequestQueue receives_;
  Request* filling_ = nullptr;   ///< gets the fragments of the message that comes now
  std::uint64_t remaining_ = 0;  ///< bytes of that message
  std::list<Stray> strays_;
  Request dropped_{};  ///< gets what nobody waits for any more
};

}  // namespace espalier::exec::node
