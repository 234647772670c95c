// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/remote_memory.hpp"

#include <span>
#include <string>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Buffer;
using schedule::Frame;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;
using schedule::Slot;

/// Looks at the operations of one rank.
class RemoteMemoryCheck {
public:
  RemoteMemoryCheck(AllOperations const& all, Contract const& contract, int rank)
      : all_(all), contract_(contract), program_(all.program(rank)) {}

  std::optional<Violation> run() {
    for (Operation const& operation : program_.operations) {
      if (operation.kind == Kind::send || operation.kind == Kind::recv) {
        fail(ProverRule::bounds, "messages and one-sided operations cannot be in one schedule");
      } else if (operation.kind == Kind::put || operation.kind == Kind::get) {
        look_at(operation);
      }
      if (violation_) {
        return violation_;
      }
      ++index_;
    }
    return std::nullopt;
  }

private:
  void look_at(Operation const& operation) {
    bool const is_put = operation.kind == Kind::put;
    Frame const& peer = all_.program(operation.peer).frame;
    auto const remote = is_put ? program_.slots(operation) : program_.sources(operation);
    auto const own = is_put ? program_.sources(operation) : program_.slots(operation);
    remote_labels_.clear();
    schedule::for_each_remote_block(remote, [&](Buffer buffer, int block) {
      look_at(peer, operation, buffer, block);
    });
    own_labels_.clear();
    schedule::for_each_block(program_.frame, own, [&](Buffer buffer, int block) {
      own_labels_.push_back(program_.frame.like(buffer, block));
    });
    if (!violation_ && !contract_.has_equal_blocks && own_labels_ != remote_labels_) {
      fail(
          ProverRule::size,
          formatted(
              "blocks with the labels {} stand for those with {} on rank {}",
              schedule::runs_to_text(own_labels_),
              schedule::runs_to_text(remote_labels_),
              operation.peer
          )
      );
    }
  }

  void look_at(Frame const& peer, Operation const& operation, Buffer buffer, int block) {
    bool const is_put = operation.kind == Kind::put;
    if (block < 0 || block >= peer.num_blocks(buffer) ||
        (buffer == Buffer::output && !contract_.exists(peer, operation.peer, block))) {
      fail(
          ProverRule::bounds,
          formatted("{} {} is no memory of rank {}", to_string(buffer), block, operation.peer)
      );
    } else if (is_put && buffer == Buffer::input) {
      fail(ProverRule::input_written, "the input must stay as it is");
    } else {
      remote_labels_.push_back(peer.like(buffer, block));
    }
  }

  void fail(ProverRule rule, std::string const& text) {
    Operation const& operation = program_.operations[static_cast<std::size_t>(index_)];
    if (!violation_) {
      violation_ = Violation{
          .rule = rule,
          .rank = program_.rank,
          .operation = index_,
          .text = formatted("{}: {}", to_text(program_, operation), text),
      };
    }
  }

  AllOperations const& all_;
  Contract const& contract_;
  RankProgram const& program_;
  std::vector<int> own_labels_;
  std::vector<int> remote_labels_;
  int index_ = 0;
  std::optional<Violation> violation_;
};

}  // namespace

std::optional<Violation> check_remote_memory(AllOperations const& all, Contract const& contract) {
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    if (auto violation = RemoteMemoryCheck(all, contract, rank).run()) {
      return violation;
    }
  }
  return std::nullopt;
}

}  // namespace espalier::verify
