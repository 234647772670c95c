// SPDX-License-Identifier: Apache-2.0

/// What calls refuse, and that the conduit goes on after it.

#include <array>

#include "tests/onesided/suite/suite.hpp"

namespace espalier::onesided::suite {
namespace {

/// A transfer between all ranks that still has to work.
void expect_usable(Conduit& conduit, Checks& checks) {
  std::uint64_t const value = 77 + static_cast<std::uint64_t>(conduit.rank());
  conduit.put({right(conduit), 256}, &value, sizeof value);
  conduit.barrier();
  std::uint64_t found = 0;
  conduit.get(&found, {conduit.rank(), 256}, sizeof found);
  checks.expect(found == 77 + static_cast<std::uint64_t>(left(conduit)), "used after an error");
  conduit.barrier();
}

class Places final : public Work {
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override { return 1000; }

  void run(Conduit& conduit, Checks& checks) override {
    std::array<std::byte, 16> memory{};
    int const to = right(conduit);
    std::string const rank = "rank " + std::to_string(to);
    auto* const data = memory.data();
    using Words = std::vector<std::string>;
    Words const outside{"put inside the segment of " + rank, "1000", "16 bytes", "offset 985"};
    checks.expect_error([&] { conduit.put({to, 985}, data, 16); }, outside);
    checks.expect_error([&] { conduit.post_put({to, 985}, data, 16); }, outside);
    checks.expect_error([&] { (void)conduit.start_put({to, 985}, data, 16); }, outside);
    checks.expect_error(
        [&] { conduit.get(data, {to, ~std::uint64_t{0} - 7}, 16); }, Words{"get inside", rank}
    );
    checks.expect_error([&] { conduit.put({to, 1001}, data, 0); }, Words{"offset 1001"});
    checks.expect_error([&] { conduit.put({to, 0}, nullptr, 1); }, Words{"null"});
    for (int const wrong : {-1, conduit.num_ranks()}) {
      Words const words{"rank in 0 .. ", "got " + std::to_string(wrong)};
      checks.expect_error([&] { conduit.put({wrong, 0}, data, 1); }, words);
      checks.expect_error([&] { conduit.get(data, {wrong, 0}, 0); }, words);
      checks.expect_error([&] { conduit.signal({wrong, 0}); }, words);
      checks.expect_error([&] { conduit.send_short(wrong, 0); }, words);
      checks.expect_error([&] { (void)conduit.segment_bytes(wrong); }, words);
    }
    expect_usable(conduit, checks);
  }
};

class Counters final : public Work {
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override { return 1004; }

  void run(Conduit& conduit, Checks& checks) override {
    int const to = right(conduit);
    std::byte const data{};
    using Words = std::vector<std::string>;
    Words const misaligned{"counter at a multiple of 8", "offset 12"};
    Words const outside{"counter inside the segment", "1004", "offset 1000"};
    checks.expect_error([&] { conduit.signal({to, 12}); }, misaligned);
    checks.expect_error([&] { conduit.put_raising({to, 0}, &data, 1, {12, 1}); }, misaligned);
    checks.expect_error([&] { (void)conduit.counter(12); }, misaligned);
    checks.expect_error([&] { conduit.await(12, 1); }, misaligned);
    checks.expect_error([&] { conduit.signal({to, 1000}); }, outside);
    checks.expect_error([&] { conduit.put_raising({to, 0}, &data, 1, {1000, 1}); }, outside);
    checks.expect_error([&] { (void)conduit.counter(1000); }, outside);
    conduit.signal({to, 992}, 4);
    conduit.await(992, 4);
    expect_usable(conduit, checks);
  }
};

class Handles final : public Work {
  void run(Conduit& conduit, Checks& checks) override {
    std::uint64_t const value = 1;
    std::uint64_t back = 0;
    using Words = std::vector<std::string>;
    Words const over{"open handle", "waited for already"};
    for (int way = 0; way < 3; ++way) {
      Handle handle = way == 0 ? conduit.start_put({right(conduit), 0}, &value, sizeof value)
                      : way == 1
                          ? conduit.start_get(&back, {left(conduit), 512}, sizeof back)
                          : conduit.start_put_raising({right(conduit), 64}, &value, 8, {128, 1});
      conduit.wait(handle);
      checks.expect_error([&] { conduit.wait(handle); }, over);
      checks.expect_error([&] { (void)conduit.test(handle); }, over);
      checks.expect_error([&] { conduit.wait_local(handle); }, over);
      Handle moved = conduit.start_put({right(conduit), 1024}, &value, 0);
      Handle target = std::move(moved);
      // NOLINTNEXTLINE(bugprone-use-after-move): this is what is tested.
      checks.expect_error([&] { conduit.wait(moved); }, Words{"began nothing"});
      conduit.wait(target);
    }
    Handle none;
    checks.expect_error([&] { conduit.wait(none); }, Words{"open handle", "began nothing"});
    conduit.await(128, 1);
    expect_usable(conduit, checks);
  }
};

class Messages final : public Work {
  [[nodiscard]] std::vector<Handler> handlers() override {
    return {
        [](Message& message) {
          message.reply_short(1);
          message.reply_short(1);  // Refused: comes out of the call that polls.
        },
        [this](Message& message) {
          ++num_replies_;
          message.reply_short(1);
        },
        [this](Message& message) { conduit_->send_short(message.source(), 1); },
    };
  }

  void run(Conduit& conduit, Checks& checks) override {
    conduit_ = &conduit;
    std::vector<std::byte> const payload(conduit.max_medium_bytes() + 1);
    using Words = std::vector<std::string>;
    checks.expect_error(
        [&] { conduit.send_short(right(conduit), 3); }, Words{"one of 3 handlers", "number 3"}
    );
    checks.expect_error(
        [&] { conduit.send_medium(right(conduit), 0, payload); },
        Words{"at most " + std::to_string(payload.size() - 1), "long"}
    );
    checks.expect_error(
        [&] { conduit.send_long({right(conduit), 1U << 16U}, 0, {payload.data(), 1}); },
        Words{"long message inside"}
    );
    checks.expect_error(
        [&] { conduit.send_short(right(conduit), 0, {1, 2, 3, 4, 5, 6}); },
        Words{"at most 5 arguments", "got 6"}
    );
    int const own = conduit.rank();
    conduit.send_short(own, 0);
    checks.expect_error([&] { wait_for_reply(); }, Words{"one reply"});
    checks.expect_error([&] { wait_for_reply(); }, Words{"one reply"});
    conduit.send_short(own, 2);
    checks.expect_error([&] { wait_for_reply(); }, Words{"nothing but a reply"});
    checks.expect(num_replies_ == 1, "the first reply came");
    expect_usable(conduit, checks);
  }

  /// Until something is thrown.
  void wait_for_reply() {
    for (;;) {
      conduit_->poll();
      std::this_thread::yield();
    }
  }

  Conduit* conduit_ = nullptr;
  int num_replies_ = 0;
};

class Halves final : public Work {
  void run(Conduit& conduit, Checks& checks) override {
    using Words = std::vector<std::string>;
    checks.expect_error([&] { (void)conduit.try_barrier(); }, Words{"notify() before"});
    conduit.notify();
    checks.expect_error([&] { conduit.notify(); }, Words{"try_barrier() after"});
    poll_until(conduit, [&] { return conduit.try_barrier(); });
    expect_usable(conduit, checks);
  }
};

}  // namespace

std::vector<Case> error_cases() {
  return {
      {"wrong_places", make<Places>},
      {"wrong_counters", make<Counters>},
      {"wrong_handles", make<Handles>},
      {"wrong_messages", make<Messages>},
      {"wrong_barriers", make<Halves>},
  };
}

}  // namespace espalier::onesided::suite
