// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/link.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "espalier/exec/node/single_copy.hpp"

namespace espalier::exec::node {
namespace {

std::size_t fragment_bytes(std::uint64_t remaining, std::size_t chunk_bytes) noexcept {
  return static_cast<std::size_t>(std::min<std::uint64_t>(remaining, chunk_bytes));
}

/// Adds a fragment to a message, as far as there is room for it.
void append(Request& request, std::byte const* from, std::size_t num_bytes) noexcept {
  std::uint64_t const room = request.num_bytes - request.moved;
  auto const kept = static_cast<std::size_t>(std::min<std::uint64_t>(num_bytes, room));
  if (kept > 0) {
    std::memcpy(request.data + request.moved, from, kept);
    request.moved += kept;
  }
}

}  // namespace

void RequestQueue::push(Request& request) noexcept {
  request.next = nullptr;
  (first_ == nullptr ? first_ : last_->next) = &request;
  last_ = &request;
}

void RequestQueue::remove(Request& request) noexcept {
  Request* before = nullptr;
  for (Request* one = first_; one != nullptr; before = one, one = one->next) {
    if (one == &request) {
      (before == nullptr ? first_ : before->next) = request.next;
      last_ = last_ == &request ? before : last_;
      request.next = nullptr;
      return;
    }
  }
}

Request* RequestQueue::find(int tag) const noexcept {
  Request* one = first_;
  while (one != nullptr && one->tag != tag) {
    one = one->next;
  }
  return one;
}

void Link::enqueue(Request& request) noexcept {
  request.moved = 0;
  request.is_offered = false;
  request.is_open = true;
  sends_.push(request);
  push_fragments();
}

void Link::post(Request& request) noexcept {
  request.moved = 0;
  request.is_open = true;
  if (take_stray(request)) {
    return;
  }
  receives_.push(request);
  pull_fragments();
}

void Link::progress() noexcept {
  if (!sends_.is_empty()) {
    push_fragments();
  }
  pull_fragments();
}

/// Sends go out one after another, each as a whole.
void Link::push_fragments() noexcept {
  while (!sends_.is_empty()) {
    Request& request = *sends_.first();
    bool const is_read = process_ > 0 && request.num_bytes > out_.copied_bytes();
    bool const is_there = is_read ? push_in_place(request) : push_fragment(request);
    if (!is_there) {
      return;
    }
    if (request.moved == request.num_bytes) {
      sends_.remove(request);
      request.is_open = false;
    }
  }
}

/// @return false if there is no room
bool Link::push_fragment(Request& request) noexcept {
  bool const is_small = request.num_bytes <= Line::data_bytes;
  if (!outflow_.has_room(is_small ? ChannelRules::lines : num_chunks)) {
    return false;
  }
  Line& line = out_.channel->lines[outflow_.line()];
  line.tag = request.tag;
  line.message_bytes = request.num_bytes;
  if (is_small) {
    copy_small(line.data.data(), request.data, request.num_bytes);
    request.moved = request.num_bytes;
  } else {
    std::size_t const now = fragment_bytes(request.num_bytes - request.moved, out_.chunk_bytes);
    std::memcpy(out_.chunk(outflow_.line()), request.data + request.moved, now);
    request.moved += now;
  }
  outflow_.publish();
  return true;
}

/// Lets the receiver read the message, and sends copies if it cannot.
/// @return false as long as the receiver is not done
bool Link::push_in_place(Request& request) noexcept {
  if (request.moved > 0) {
    return push_fragment(request);  // The receiver refused.
  }
  if (!request.is_offered) {
    if (!outflow_.has_room()) {
      return false;
    }
    Line& line = out_.channel->lines[outflow_.line()];
    line.tag = request.tag;
    line.message_bytes = request.num_bytes | in_place;
    std::memcpy(line.data.data(), static_cast<void const*>(&request.data), sizeof request.data);
    outflow_.publish();
    request.is_offered = true;
  }
  if (!outflow_.is_drained()) {
    return false;
  }
  if (out_.channel->refused.load(std::memory_order_relaxed) == outflow_.last()) {
    return push_fragment(request);
  }
  request.moved = request.num_bytes;
  return true;
}

void Link::pull_fragments() noexcept {
  while (filling_ != nullptr || !receives_.is_empty()) {
    if (!inflow_.has_fragment() || (filling_ == nullptr && !begin_message())) {
      return;
    }
    pull_fragment();
  }
}

/// Finds who gets the message whose first fragment is here. Messages that nobody asked for yet are
/// put aside, since one that somebody waits for may be behind them.
/// @return false if there is no memory for that now
bool Link::begin_message() noexcept {
  Line const& line = in_.channel->lines[inflow_.line()];
  filling_ = receives_.find(line.tag);
  if (filling_ == nullptr) {
    filling_ = make_stray(line.tag, line.message_bytes & ~in_place);
  }
  if (filling_ == nullptr) {
    return false;
  }
  remaining_ = line.message_bytes & ~in_place;
  filling_->is_truncated = remaining_ > filling_->num_bytes;
  return true;
}

void Link::pull_fragment() noexcept {
  Line const& line = in_.channel->lines[inflow_.line()];
  if ((line.message_bytes & in_place) != 0) {
    pull_in_place(line);
    return;
  }
  bool const is_small = line.message_bytes <= Line::data_bytes;
  std::size_t const now =
      is_small ? static_cast<std::size_t>(remaining_) : fragment_bytes(remaining_, in_.chunk_bytes);
  append(*filling_, is_small ? line.data.data() : in_.chunk(inflow_.line()), now);
  remaining_ -= now;
  inflow_.release(is_small ? ChannelRules::at_once : chunks_at_once);
  if (remaining_ == 0) {
    end_message();
  }
}

void Link::pull_in_place(Line const& line) noexcept {
  void* from = nullptr;
  std::memcpy(static_cast<void*>(&from), line.data.data(), sizeof from);
  auto const kept = static_cast<std::size_t>(std::min(remaining_, filling_->num_bytes));
  bool const is_read = read_memory(process_, from, filling_->data, kept);
  // Any other number says that it was read.
  std::uint32_t const number = inflow_.number();
  in_.channel->refused.store(is_read ? number + 1 : number, std::memory_order_relaxed);
  inflow_.release();
  inflow_.settle();
  if (is_read) {
    filling_->moved = kept;
    remaining_ = 0;
    end_message();
  }
}

void Link::end_message() noexcept {
  Request& done = *filling_;
  filling_ = nullptr;
  done.is_open = false;
  bool const is_stray =
      std::ranges::any_of(strays_, [&](Stray const& stray) { return &stray.request == &done; });
  if (!is_stray) {
    receives_.remove(done);
  } else if (Request* const waiting = receives_.find(done.tag)) {
    // Asked for while it came.
    receives_.remove(*waiting);
    take_stray(*waiting);
  }
}

/// The first message with this tag that was put aside, if all of it is here.
bool Link::take_stray(Request& request) noexcept {
  auto const found = std::ranges::find_if(strays_, [&](Stray const& stray) {
    return stray.request.tag == request.tag;
  });
  if (found == strays_.end() || found->request.is_open) {
    return false;
  }
  request.is_truncated = found->request.num_bytes > request.num_bytes;
  append(request, found->data.data(), found->data.size());
  request.is_open = false;
  strays_.erase(found);
  return true;
}

Request* Link::make_stray(int tag, std::uint64_t num_bytes) noexcept {
  try {
    std::vector<std::byte> data(static_cast<std::size_t>(num_bytes));
    Stray& stray = strays_.emplace_back();
    stray.data = std::move(data);
    stray.request = {
        .data = stray.data.data(), .num_bytes = num_bytes, .tag = tag, .is_open = true
    };
    return &stray.request;
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}

void Link::abandon(Request& request) noexcept {
  sends_.remove(request);
  receives_.remove(request);
  if (filling_ == &request) {
    dropped_ = {};
    filling_ = &dropped_;
  }
  request.is_open = false;
}

std::size_t Link::memory_bytes() const noexcept {
  std::size_t total = sizeof(*this);
  for (Stray const& stray : strays_) {
    total += sizeof(stray) + stray.data.capacity();
  }
  return total;
}

}  // namespace espalier::exec::node
