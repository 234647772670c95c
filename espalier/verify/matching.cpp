// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/matching.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <string>
#include <utility>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Buffer;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

/// One end of a message, with what decides about its partner.
struct MessageEnd {
  int sender = 0;
  int tag = 0;
  int operation = 0;  ///< in the program of whoever owns this end

  /// Which message of the pair; the order among equals is program order.
  [[nodiscard]] std::pair<int, int> key() const noexcept { return {sender, tag}; }
};

void sort_by_key(std::vector<MessageEnd>& ends) {
  auto const is_less = [](MessageEnd const& a, MessageEnd const& b) { return a.key() < b.key(); };
  if (!std::ranges::is_sorted(ends, is_less)) {
    std::ranges::stable_sort(ends, is_less);
  }
}

class Matcher {
public:
  Matcher(AllOperations const& all, bool has_equal_blocks)
      : all_(all), has_equal_blocks_(has_equal_blocks) {
    matching_.partner.assign(all.size(), -1);
    sent_to_.resize(static_cast<std::size_t>(all.num_ranks()));
    for (int rank = 0; rank < all.num_ranks(); ++rank) {
      collect(rank);
    }
  }

  Matching run() {
    for (int receiver = 0; receiver < all_.num_ranks() && !matching_.violation; ++receiver) {
      match_receiver(receiver);
    }
    return std::move(matching_);
  }

private:
  void collect(int rank) {
    int index = 0;
    for (Operation const& operation : all_.program(rank).operations) {
      if (operation.kind == Kind::send) {
        sent_to_[static_cast<std::size_t>(operation.peer)].push_back(
            {.sender = rank, .tag = operation.tag, .operation = index}
        );
      }
      ++index;
    }
  }

  [[nodiscard]] std::vector<MessageEnd> receives_of(int receiver) const {
    std::vector<MessageEnd> ends;
    int index = 0;
    for (Operation const& operation : all_.program(receiver).operations) {
      if (operation.kind == Kind::recv) {
        ends.push_back({.sender = operation.peer, .tag = operation.tag, .operation = index});
      }
      ++index;
    }
    return ends;
  }

  void match_receiver(int receiver) {
    std::vector<MessageEnd>& sends = sent_to_[static_cast<std::size_t>(receiver)];
    std::vector<MessageEnd> receives = receives_of(receiver);
    sort_by_key(sends);
    sort_by_key(receives);
    for (std::size_t i = 0; !matching_.violation; ++i) {
      bool const has_send = i < sends.size();
      bool const has_receive = i < receives.size();
      if (!has_send && !has_receive) {
        return;
      }
      if (has_send && (!has_receive || sends[i].key() < receives[i].key())) {
        report_unmatched({.rank = sends[i].sender, .operation = sends[i].operation});
      } else if (!has_send || receives[i].key() < sends[i].key()) {
        report_unmatched({.rank = receiver, .operation = receives[i].operation});
      } else {
        check_order(sends, i, sends[i].sender);
        check_order(receives, i, receiver);
        join(
            {.rank = sends[i].sender, .operation = sends[i].operation},
            {.rank = receiver, .operation = receives[i].operation}
        );
      }
    }
  }

  /// Message i and the one before it, if they have the same key, must start in program order.
  void check_order(std::vector<MessageEnd> const& ends, std::size_t i, int rank) {
    if (i == 0 || ends[i].key() != ends[i - 1].key() || matching_.violation) {
      return;
    }
    OperationReference const earlier{.rank = rank, .operation = ends[i - 1].operation};
    OperationReference const later{.rank = rank, .operation = ends[i].operation};
    if (all_.program(rank).is_dataflow() || all_[later].after < all_[earlier].after ||
        all_[later].after_sends < all_[earlier].after_sends) {
      report(
          ProverRule::tag_reuse,
          later,
          formatted("has the same tag as {}, and nothing keeps their order", described(earlier))
      );
    }
  }

  void join(OperationReference send, OperationReference receive) {
    if (matching_.violation) {
      return;
    }
    matching_.partner[all_.index(send)] = receive.operation;
    matching_.partner[all_.index(receive)] = send.operation;
    size_classes(send, sent_sizes_);
    size_classes(receive, received_sizes_);
    bool const is_good = has_equal_blocks_ ? sent_sizes_.size() == received_sizes_.size()
                                           : sent_sizes_ == received_sizes_;
    if (!is_good) {
      report(
          ProverRule::size,
          receive,
          formatted(
              "expects blocks with the labels {}, but rank {} sends those with {} in {}",
              schedule::runs_to_text(received_sizes_),
              send.rank,
              schedule::runs_to_text(sent_sizes_),
              described(send)
          )
      );
    }
  }

  void size_classes(OperationReference reference, std::vector<int>& classes) const {
    RankProgram const& program = all_.program(reference.rank);
    classes.clear();
    schedule::for_each_block(
        program.frame,
        program.slots(all_[reference]),
        [&](Buffer buffer, int block) { classes.push_back(program.frame.like(buffer, block)); }
    );
  }

  void report_unmatched(OperationReference reference) {
    Operation const& operation = all_[reference];
    report(
        ProverRule::unmatched,
        reference,
        formatted(
            "rank {} has no {} for it",
            operation.peer,
            operation.kind == Kind::send ? "receive" : "send"
        )
    );
  }

  void report(ProverRule rule, OperationReference reference, std::string const& text) {
    matching_.violation = Violation{
        .rule = rule,
        .rank = reference.rank,
        .operation = reference.operation,
        .text = formatted("{}: {}", to_text(all_.program(reference.rank), all_[reference]), text),
    };
  }

  [[nodiscard]] std::string described(OperationReference reference) const {
    return formatted(
        "operation {} ({})",
        reference.operation,
        to_text(all_.program(reference.rank), all_[reference])
    );
  }

  AllOperations const& all_;
  bool has_equal_blocks_;
  Matching matching_;
  std::vector<std::vector<MessageEnd>> sent_to_;
  std::vector<int> sent_sizes_;
  std::vector<int> received_sizes_;
};

}  // namespace

Matching match_messages(AllOperations const& all, bool has_equal_blocks) {
  return Matcher(all, has_equal_blocks).run();
}

}  // namespace espalier::verify
