// SPDX-License-Identifier: Apache-2.0

/// Active messages: what handlers get, replies, and many of them.

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tests/onesided/suite/suite.hpp"

namespace espalier::onesided::suite {
namespace {

using Payload = std::vector<std::byte>;

std::uint64_t number(int rank) {
  return static_cast<std::uint64_t>(rank);
}

/// Each rank asks all ranks; the replies bring the arguments back.
class Short final : public Work {
  [[nodiscard]] std::vector<Handler> handlers() override {
    return {
        [](Message& message) {
          auto const sent = message.arguments();
          message.reply_short(1, {sent[0] + 1, number(message.source()), sent[2]});
        },
        [this](Message& message) {
          auto const sent = message.arguments();
          sum_ += sent[0];
          num_wrong_ += sent.size() == 3 && sent[1] == own_ && sent[2] == 7 ? 0 : 1;
          ++num_replies_;
        },
        [this](Message& message) {
          bool const is_empty = message.arguments().empty() && message.payload().empty();
          num_empty_ += is_empty ? 1U : 0U;
        },
    };
  }

  void run(Conduit& conduit, Checks& checks) override {
    own_ = number(conduit.rank());
    auto const all = number(conduit.num_ranks());
    for (int to = 0; to < conduit.num_ranks(); ++to) {
      conduit.send_short(to, 0, {number(to) * 100, 0, 7});
      conduit.send_short(to, 2);
    }
    poll_until(conduit, [&] { return num_replies_ == all && num_empty_ == all; });
    checks.expect(sum_ == 100 * all * (all - 1) / 2 + all, "what replies brought");
    checks.expect(num_wrong_ == 0, "arguments of replies");
    conduit.barrier();
  }

  std::uint64_t own_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t num_replies_ = 0;
  std::uint64_t num_empty_ = 0;
  int num_wrong_ = 0;
};

/// Payloads of all sizes, there and back.
class Payloads : public Work {
public:
  [[nodiscard]] std::vector<Handler> handlers() override {
    return {
        [this](Message& message) { answer(message); },
        [this](Message& message) {
          auto const seed = message.arguments()[0];
          bool const is_right = message.payload().size() == message.arguments()[1] &&
                                has_pattern(message.payload(), seed);
          num_wrong_ += is_right && is_in_place(message) ? 0 : 1;
          ++num_replies_;
        },
    };
  }

  void run(Conduit& conduit, Checks& checks) override {
    conduit_ = &conduit;
    std::uint64_t num_sent = 0;
    for (std::size_t const num_bytes : sizes()) {
      for (int distance = 0; distance < conduit.num_ranks(); ++distance) {
        int const to = right(conduit, distance);
        auto const seed = number(conduit.rank()) * 64 + number(to);
        ask(to, patterned(seed, num_bytes), seed);
        ++num_sent;
      }
      poll_until(conduit, [&] { return num_replies_ == num_sent; });
      conduit.barrier();
    }
    checks.expect(num_wrong_ == 0, std::to_string(num_wrong_) + " payloads were wrong");
  }

protected:
  /// Where the message of a rank, and the reply of one, lie in a segment.
  static constexpr std::uint64_t part_bytes = 20'003;

  static std::uint64_t request_at(int rank) { return number(rank) * 2 * part_bytes; }

  static std::uint64_t reply_at(int rank) { return request_at(rank) + part_bytes; }

  [[nodiscard]] Conduit& conduit() const { return *conduit_; }

  void check(Message const& message, std::uint64_t seed) {
    num_wrong_ += has_pattern(message.payload(), seed) ? 0 : 1;
  }

  [[nodiscard]] virtual std::vector<std::size_t> sizes() const = 0;
  virtual void ask(int to, Payload const& data, std::uint64_t seed) = 0;
  virtual void answer(Message& message) = 0;
  [[nodiscard]] virtual bool is_in_place(Message const& message) const = 0;

private:
  Conduit* conduit_ = nullptr;
  std::uint64_t num_replies_ = 0;
  int num_wrong_ = 0;
};

class Medium final : public Payloads {
  [[nodiscard]] std::vector<std::size_t> sizes() const override {
    return {0, 1, 8, 57, 64, conduit().max_medium_bytes() - 1, conduit().max_medium_bytes()};
  }

  void ask(int to, Payload const& data, std::uint64_t seed) override {
    conduit().send_medium(to, 0, data, {seed, data.size()});
  }

  void answer(Message& message) override {
    check(message, message.arguments()[0]);
    Payload const back = patterned(message.arguments()[0] + 1, message.payload().size());
    message.reply_medium(1, back, {message.arguments()[0] + 1, back.size()});
  }

  [[nodiscard]] bool is_in_place(Message const& message) const override {
    return message.payload().size() <= conduit().max_medium_bytes();
  }
};

class Long final : public Payloads {
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override {
    return 8 * 2 * part_bytes;
  }

  [[nodiscard]] std::vector<std::size_t> sizes() const override {
    return {0, 1, 100, conduit().max_medium_bytes() + 1, part_bytes};
  }

  void ask(int to, Payload const& data, std::uint64_t seed) override {
    conduit().send_long({to, request_at(conduit().rank())}, 0, data, {seed, data.size()});
  }

  void answer(Message& message) override {
    check(message, message.arguments()[0]);
    bool const is_there =
        message.payload().data() == conduit().segment().data() + request_at(message.source());
    Payload const back =
        patterned(message.arguments()[0] + (is_there ? 1 : 2), message.payload().size());
    message.reply_long(
        1, reply_at(conduit().rank()), back, {message.arguments()[0] + 1, back.size()}
    );
  }

  [[nodiscard]] bool is_in_place(Message const& message) const override {
    return message.payload().data() == conduit().segment().data() + reply_at(message.source());
  }
};

/// One message goes around, often; who has it sends it on.
class Ring final : public Work {
  [[nodiscard]] std::vector<Handler> handlers() override {
    return {[this](Message& message) { token_ = message.arguments()[0]; }};
  }

  void run(Conduit& conduit, Checks& checks) override {
    constexpr std::uint64_t num_turns = 30;
    auto const all = number(conduit.num_ranks());
    std::uint64_t num_seen = 0;
    if (conduit.rank() == 0) {
      conduit.send_short(right(conduit), 0, {1});
    }
    for (std::uint64_t turn = 0; turn < num_turns; ++turn) {
      poll_until(conduit, [&] { return token_ != 0; });
      std::uint64_t const place = (number(conduit.rank()) + all - 1) % all + 1;
      num_seen += token_ == turn * all + place ? 1U : 0U;
      std::uint64_t const token = std::exchange(token_, 0);
      if (token < num_turns * all) {
        conduit.send_short(right(conduit), 0, {token + 1});
      }
    }
    checks.expect(num_seen == num_turns, "the message comes around in order");
    conduit.barrier();
  }

  std::uint64_t token_ = 0;
};

/// More messages than any buffer holds, from all to all, each with a reply.
class Storm final : public Work {
  [[nodiscard]] std::vector<Handler> handlers() override {
    return {
        [this](Message& message) {
          ++num_requests_;
          message.reply_medium(1, message.payload(), {message.arguments()[0]});
        },
        [this](Message& message) {
          num_wrong_ += has_pattern(message.payload(), message.arguments()[0]) ? 0 : 1;
          ++num_replies_;
        },
    };
  }

  void run(Conduit& conduit, Checks& checks) override {
    constexpr std::uint64_t num_each = 150;
    for (std::uint64_t i = 0; i < num_each; ++i) {
      for (int distance = 0; distance < conduit.num_ranks(); ++distance) {
        std::size_t const num_bytes = i % 5 == 0 ? conduit.max_medium_bytes() : 24;
        conduit.send_medium(right(conduit, distance), 0, patterned(i, num_bytes), {i});
      }
    }
    std::uint64_t const all = num_each * number(conduit.num_ranks());
    poll_until(conduit, [&] { return num_replies_ == all && num_requests_ == all; });
    checks.expect(num_wrong_ == 0, std::to_string(num_wrong_) + " replies were wrong");
    conduit.barrier();
    checks.expect(num_replies_ == all && num_requests_ == all, "nothing comes twice");
  }

  std::uint64_t num_requests_ = 0;
  std::uint64_t num_replies_ = 0;
  int num_wrong_ = 0;
};

/// A rank that waits for a counter, and calls nothing else, serves all others.
class Attentive final : public Work {
  [[nodiscard]] std::vector<Handler> handlers() override {
    return {
        [](Message& message) { message.reply_short(1, {message.arguments()[0]}); },
        [this](Message& /*message*/) { ++num_replies_; },
    };
  }

  void run(Conduit& conduit, Checks& checks) override {
    constexpr std::uint64_t num_each = 40;
    auto const others = number(conduit.num_ranks() - 1);
    for (int waiting = 0; waiting < conduit.num_ranks(); ++waiting) {
      num_replies_ = 0;
      if (conduit.rank() == waiting) {
        num_expected_ += others;
        conduit.await(0, num_expected_);
      } else {
        for (std::uint64_t i = 0; i < num_each; ++i) {
          conduit.send_short(waiting, 0, {i});
        }
        poll_until(conduit, [&] { return num_replies_ == num_each; });
        conduit.signal({waiting, 0});
      }
      conduit.barrier();
    }
    checks.expect(conduit.counter(0) == others, "all others were served");
  }

  std::uint64_t num_replies_ = 0;
  std::uint64_t num_expected_ = 0;
};

/// What a handler throws comes out of the call that ran it; what came behind it is not lost.
class Throwing final : public Work {
  [[nodiscard]] std::vector<Handler> handlers() override {
    return {
        [](Message& /*message*/) { throw std::runtime_error("thrown by a handler"); },
        [this](Message& /*message*/) { ++num_taken_; },
    };
  }

  void run(Conduit& conduit, Checks& checks) override {
    conduit.send_short(conduit.rank(), 0);
    conduit.send_short(conduit.rank(), 1);
    int num_thrown = 0;
    while (num_taken_ == 0 || num_thrown == 0) {
      try {
        conduit.poll();
      } catch (std::runtime_error const&) {
        ++num_thrown;
      }
      std::this_thread::yield();
    }
    checks.expect(num_thrown == 1, "an exception of a handler comes out once");
    conduit.barrier();
  }

  int num_taken_ = 0;
};

}  // namespace

std::vector<Case> message_cases() {
  return {
      {"short_messages", make<Short>},
      {"medium_messages", make<Medium>},
      {"long_messages", make<Long>},
      {"ring_of_messages", make<Ring>},
      {"storm_of_messages", make<Storm>},
      {"progress_in_waits", make<Attentive>},
      {"throwing_handlers", make<Throwing>},
  };
}

}  // namespace espalier::onesided::suite
