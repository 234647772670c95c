// SPDX-License-Identifier: Apache-2.0

/// Random operations of all kinds beside each other, against a model that each rank computes.

#include <algorithm>
#include <cstdlib>
#include <random>

#include "tests/onesided/suite/suite.hpp"

namespace espalier::onesided::suite {
namespace {

enum class Kind : std::uint8_t {
  put,
  posted_put,
  dropped_put,
  get,
  posted_get,
  raising_put,
  signal,
  medium,
  long_message,
  num_kinds
};

/// One operation of one rank. Each has bytes of its own in the part of the segment that belongs to
/// the pair of ranks, so that all operations of a round may be underway together.
struct Operation {
  Kind kind = Kind::put;
  int from = 0;
  int to = 0;
  std::uint64_t offset = 0;
  std::size_t num_bytes = 0;
  std::uint64_t seed = 0;
};

constexpr int num_rounds = 12;
constexpr int num_operations = 25;  ///< of each rank in a round
constexpr std::uint64_t counter_at = 0;
constexpr std::uint64_t parts_at = 64;
constexpr std::uint64_t slot_bytes = 2'111;

std::uint64_t first_seed() {
  char const* const text = std::getenv("ESPALIER_TEST_SEED");
  return text == nullptr ? 20'261'125 : std::strtoull(text, nullptr, 10);
}

class Random final : public Work {
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override {
    return parts_at + std::uint64_t{8} * num_operations * slot_bytes;
  }

  [[nodiscard]] std::vector<Handler> handlers() override {
    return {
        [this](Message& message) {
          auto const sent = message.arguments();
          bool const is_right =
              message.payload().size() == sent[1] && has_pattern(message.payload(), sent[0]);
          num_wrong_ += is_right ? 0 : 1;
          message.reply_short(1);
        },
        [this](Message& /*message*/) { ++num_replies_; },
    };
  }

  void run(Conduit& conduit, Checks& checks) override {
    std::mt19937_64 random(first_seed());  // The same on all ranks.
    model_.assign(segment_bytes(0) * static_cast<std::size_t>(conduit.num_ranks()), std::byte{0});
    for (int round = 0; round < num_rounds; ++round) {
      auto const operations = draw(conduit, random);
      perform(conduit, operations);
      complete(conduit, operations);
      std::string const where =
          "round " + std::to_string(round) + " of seed " + std::to_string(first_seed());
      checks.expect(num_wrong_ == 0, where + ": gets and messages");
      apply(operations);
      auto const size = segment_bytes(0);
      auto const begin =
          model_.begin() +
          static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(conduit.rank()) * size);
      checks.expect(
          std::ranges::equal(
              conduit.segment().subspan(parts_at),
              std::span(begin, begin + static_cast<std::ptrdiff_t>(size)).subspan(parts_at)
          ),
          where + ": own segment"
      );
      conduit.barrier();
    }
  }

  static std::vector<Operation> draw(Conduit const& conduit, std::mt19937_64& random) {
    std::vector<Operation> operations;
    auto const below = [&random](std::uint64_t n) { return random() % n; };
    auto const num_kinds = static_cast<std::uint64_t>(Kind::num_kinds);
    for (int from = 0; from < conduit.num_ranks(); ++from) {
      for (int i = 0; i < num_operations; ++i) {
        auto const slot = static_cast<std::uint64_t>(from * num_operations + i);
        Operation operation{
            .kind = static_cast<Kind>(below(num_kinds)),
            .from = from,
            .to = static_cast<int>(below(static_cast<std::uint64_t>(conduit.num_ranks()))),
            .offset = parts_at + slot * slot_bytes + below(100),
            .num_bytes = static_cast<std::size_t>(below(4) == 0 ? below(2'000) : below(50)),
            .seed = random(),
        };
        if (operation.kind == Kind::medium) {
          operation.num_bytes = std::min(operation.num_bytes, conduit.max_medium_bytes());
        }
        operations.push_back(operation);
      }
    }
    return operations;
  }

  void perform(Conduit& conduit, std::vector<Operation> const& operations) {
    num_sent_ = num_replies_ = 0;
    memory_.clear();
    for (Operation const& operation : operations) {
      if (operation.from == conduit.rank()) {
        start(conduit, operation);
      }
    }
  }

  void start(Conduit& conduit, Operation const& operation) {
    Remote const remote{operation.to, operation.offset};
    auto& data = memory_.emplace_back(patterned(operation.seed, operation.num_bytes));
    std::size_t const size = data.size();
    switch (operation.kind) {
    case Kind::put:
      handles_.push_back(conduit.start_put(remote, data.data(), size));
      break;
    case Kind::posted_put:
      conduit.post_put(remote, data.data(), size);
      break;
    case Kind::dropped_put:
      (void)conduit.start_put(remote, data.data(), size);
      break;
    case Kind::get:
      std::ranges::fill(data, std::byte{1});
      handles_.push_back(conduit.start_get(data.data(), remote, size));
      break;
    case Kind::posted_get:
      std::ranges::fill(data, std::byte{1});
      conduit.post_get(data.data(), remote, size);
      break;
    case Kind::raising_put:
      handles_.push_back(
          conduit.start_put_raising(remote, data.data(), size, {.offset = counter_at})
      );
      break;
    case Kind::signal:
      conduit.signal({operation.to, counter_at});
      break;
    case Kind::medium:
      conduit.send_medium(operation.to, 0, data, {operation.seed, size});
      ++num_sent_;
      break;
    case Kind::long_message:
      conduit.send_long(remote, 0, data, {operation.seed, size});
      ++num_sent_;
      break;
    case Kind::num_kinds:
      break;
    }
  }

  /// Everything of this rank, and then of all.
  void complete(Conduit& conduit, std::vector<Operation> const& operations) {
    std::ranges::reverse(handles_);
    for (Handle& handle : handles_) {
      conduit.wait(handle);
    }
    handles_.clear();
    conduit.fence();
    for (Operation const& operation : operations) {
      bool const raises = operation.kind == Kind::raising_put || operation.kind == Kind::signal;
      num_raised_ += raises && operation.to == conduit.rank() ? 1U : 0U;
    }
    conduit.await(counter_at, num_raised_);
    num_wrong_ += conduit.counter(counter_at) == num_raised_ ? 0 : 1;
    poll_until(conduit, [&] { return num_replies_ == num_sent_; });
    conduit.barrier();
    check_gets(conduit, operations);
  }

  /// Gets bring what was there before the round.
  void check_gets(Conduit const& conduit, std::vector<Operation> const& operations) {
    std::size_t next = 0;
    for (Operation const& operation : operations) {
      if (operation.from != conduit.rank()) {
        continue;
      }
      auto const& data = memory_[next++];
      if (operation.kind == Kind::get || operation.kind == Kind::posted_get) {
        num_wrong_ += std::ranges::equal(data, in_model(operation)) ? 0 : 1;
      }
    }
  }

  void apply(std::vector<Operation> const& operations) {
    for (Operation const& operation : operations) {
      bool const writes = operation.kind != Kind::get && operation.kind != Kind::posted_get &&
                          operation.kind != Kind::signal && operation.kind != Kind::medium;
      if (writes) {
        std::ranges::copy(
            patterned(operation.seed, operation.num_bytes), in_model(operation).begin()
        );
      }
    }
  }

  std::span<std::byte> in_model(Operation const& operation) {
    std::uint64_t const begin = static_cast<std::uint64_t>(operation.to) * segment_bytes(0);
    return std::span(model_).subspan(begin + operation.offset, operation.num_bytes);
  }

  std::vector<std::byte> model_;  ///< of all segments
  std::vector<Handle> handles_;
  std::vector<std::vector<std::byte>> memory_;
  std::uint64_t num_raised_ = 0;
  std::uint64_t num_sent_ = 0;
  std::uint64_t num_replies_ = 0;
  int num_wrong_ = 0;
};

}  // namespace

std::vector<Case> random_cases() {
  return {{"random", make<Random>}};
}

}  // namespace espalier::onesided::suite
