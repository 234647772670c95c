// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/group.hpp"

#include <utility>

namespace espalier::exec::node {

Group::Group(
    Segment const& segment,
    int context,
    std::vector<Member> members,
    std::size_t own,
    bool shares_processors
)
    : segment_(&segment), context_(context), members_(std::move(members)), own_(own),
      shares_processors_(shares_processors), links_(members_.size()) {
  links_underway_.reserve(members_.size());
}

Link* Group::link(int rank) {
  auto const found = std::ranges::find(members_, rank, &Member::rank);
  auto const place = static_cast<std::size_t>(found - members_.begin());
  if (found == members_.end() || place == own_) {
    return nullptr;
  }
  if (links_[place] == nullptr) {
    links_[place] = make_link(place);
  }
  return links_[place].get();
}

std::unique_ptr<Link> Group::make_link(std::size_t other) const {
  ChannelKey out{
      .context = context_,
      .from = members_[own_].on_node,
      .to = members_[other].on_node,
      .from_member = static_cast<int>(own_),
      .to_member = static_cast<int>(other),
      .num_members = static_cast<int>(members_.size()),
  };
  ChannelKey in = out;
  std::swap(in.from, in.to);
  std::swap(in.from_member, in.to_member);
  return std::make_unique<Link>(segment_->place(out), segment_->place(in), members_[other].process);
}

void Group::progress() noexcept {
  std::erase_if(links_underway_, [](Link* link) {
    link->progress();
    return link->is_idle();
  });
}

std::size_t Group::memory_bytes() const noexcept {
  std::size_t total = sizeof(*this) + members_.capacity() * sizeof(Member) +
                      links_.capacity() * sizeof(links_[0]) +
                      links_underway_.capacity() * sizeof(Link*);
  for (auto const& link : links_) {
    total += link != nullptr ? link->memory_bytes() : 0;
  }
  return total;
}

}  // namespace espalier::exec::node
