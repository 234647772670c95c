// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "espalier/exec/node/link.hpp"
#include "espalier/exec/node/segment.hpp"

namespace espalier::exec::node {

/// The ranks of one communicator on one node, as one of them sees them. Used by one thread at a
/// time.
class Group {
public:
  struct Member {
    int rank = 0;       ///< in the numbering that whoever asks for links uses
    int on_node = 0;    ///< its number among the ranks of the node
    pid_t process = 0;  ///< 0: its memory cannot be read from here

    friend bool operator==(Member const&, Member const&) = default;
  };

  /// @param members  by their number on the node; more than one
  /// @param own  place of this rank among them
  /// @param segment  must outlive the object
  Group(
      Segment const& segment,
      int context,
      std::vector<Member> members,
      std::size_t own,
      bool shares_processors
  );

  [[nodiscard]] std::vector<Member> const& members() const noexcept { return members_; }

  /// The link to a member, made on first use; null for this rank and for ranks of other nodes.
  [[nodiscard]] Link* link(int rank);

  /// Messages of this link are underway. Allocates nothing.
  void note_underway(Link& link) noexcept {
    if (std::find(links_underway_.begin(), links_underway_.end(), &link) == links_underway_.end()) {
      links_underway_.push_back(&link);
    }
  }

  /// Goes on with all links that have messages underway, without waiting.
  void progress() noexcept;

  [[nodiscard]] bool is_idle() const noexcept { return links_underway_.empty(); }

  [[nodiscard]] bool is_only_underway(Link const& link) const noexcept {
    return links_underway_.size() == 1 && links_underway_.front() == &link;
  }

  [[nodiscard]] bool shares_processors() const noexcept { return shares_processors_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  [[nodiscard]] std::unique_ptr<Link> make_link(std::size_t other) const;

  Segment const* segment_;
  int context_;
  std::vector<Member> members_;
  std::size_t own_;
  bool shares_processors_;
  std::vector<std::unique_ptr<Link>> links_;  ///< by member
  std::vector<Link*> links_underway_;
};

}  // namespace espalier::exec::node
