// SPDX-License-Identifier: Apache-2.0

/// @file
/// Active messages of espalier_message.h, from C and by the view for C++.

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"
#include "include/espalier_onesided.hpp"

#include <mpi.h>

#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

constexpr std::uint64_t slot_bytes = 512;

/// What handlers of one rank have seen.
struct Seen {
  int rank = 0;
  std::uint64_t num_questions = 0;
  std::uint64_t num_answers = 0;
  bool is_right = true;
};

/// The numbers that a rank asks with.
std::array<std::uint64_t, 3> numbers(int rank) {
  auto const own = static_cast<std::uint64_t>(rank);
  return {own, own * 1000 + 7, ~own};
}

std::vector<std::uint64_t> payload(int rank, std::uint64_t use) {
  std::vector<std::uint64_t> values(32);
  std::iota(values.begin(), values.end(), static_cast<std::uint64_t>(rank) * 100'000 + use);
  return values;
}

bool has_payload(espalier_message* message, int rank, std::uint64_t use) {
  std::uint64_t num_bytes = 0;
  auto const* const begin =
      static_cast<std::uint64_t const*>(espalier_message_payload(message, &num_bytes));
  std::vector<std::uint64_t> const expected = payload(rank, use);
  return num_bytes == expected.size() * sizeof(std::uint64_t) &&
         std::equal(expected.begin(), expected.end(), begin);
}

bool has_numbers(espalier_message* message, int rank) {
  int num_arguments = 0;
  std::uint64_t const* const found = espalier_message_arguments(message, &num_arguments);
  auto const expected = numbers(rank);
  return num_arguments == 3 && std::equal(expected.begin(), expected.end(), found);
}

/// Handlers 0 .. 2: a question of each kind, answered in its kind by handlers 3 .. 5.
void take_question(espalier_message* message, void* context) {
  auto& seen = *static_cast<Seen*>(context);
  int const source = espalier_message_source(message);
  int const kind = espalier_message_handler(message);
  ++seen.num_questions;
  seen.is_right = seen.is_right && has_numbers(message, source) &&
                  (kind == 0 || has_payload(message, source, 1));
  auto const mine = numbers(seen.rank);
  std::vector<std::uint64_t> const back = payload(seen.rank, 2);
  std::uint64_t const num_bytes = back.size() * sizeof(std::uint64_t);
  int code = MPI_SUCCESS;
  if (kind == 0) {
    code = espalier_reply_short(mine.data(), 3, 3, message);
  } else if (kind == 1) {
    code = espalier_reply_medium(back.data(), num_bytes, mine.data(), 3, 4, message);
  } else {
    std::uint64_t const offset = slot_bytes * (2 * static_cast<std::uint64_t>(seen.rank) + 1);
    code = espalier_reply_long(back.data(), num_bytes, mine.data(), 3, 5, offset, message);
  }
  seen.is_right = seen.is_right && code == MPI_SUCCESS;
}

void take_answer(espalier_message* message, void* context) {
  auto& seen = *static_cast<Seen*>(context);
  int const source = espalier_message_source(message);
  ++seen.num_answers;
  seen.is_right = seen.is_right && has_numbers(message, source) &&
                  (espalier_message_handler(message) == 3 || has_payload(message, source, 2));
}

constexpr std::array<espalier_handler*, 6> handlers{
    take_question, take_question, take_question, take_answer, take_answer, take_answer
};

class Messages {
public:
  Messages(Checks& checks, char const* transport)
      : checks_(&checks), rank_(test_rank(MPI_COMM_WORLD)), p_(test_size(MPI_COMM_WORLD)) {
    seen_.rank = rank_;
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    options.transport = transport;
    options.handlers = handlers.data();
    options.num_handlers = static_cast<int>(handlers.size());
    options.context = &seen_;
    auto const num_bytes = slot_bytes * 2 * static_cast<std::uint64_t>(p_);
    int const code = espalier_conduit_attach(MPI_COMM_WORLD, num_bytes, &options, &conduit_);
    expect(code == MPI_SUCCESS, "attached with handlers");
  }

  Messages(Messages const&) = delete;
  Messages& operator=(Messages const&) = delete;
  Messages(Messages&&) = delete;
  Messages& operator=(Messages&&) = delete;

  ~Messages() { espalier_conduit_detach(&conduit_); }

  /// Every rank asks every rank, itself included, in each way.
  void ask_all() {
    auto const mine = numbers(rank_);
    std::vector<std::uint64_t> const data = payload(rank_, 1);
    std::uint64_t const num_bytes = data.size() * sizeof(std::uint64_t);
    expect(espalier_max_medium_bytes(conduit_) >= num_bytes, "room in medium messages");
    for (int to = 0; to < p_; ++to) {
      espalier_remote const place{
          .rank = to, .offset = slot_bytes * 2 * static_cast<std::uint64_t>(rank_)
      };
      int const codes[] = {
          espalier_send_short(mine.data(), 3, 0, to, conduit_),
          espalier_send_medium(data.data(), num_bytes, mine.data(), 3, 1, to, conduit_),
          espalier_send_long(data.data(), num_bytes, mine.data(), 3, 2, place, conduit_),
      };
      for (int const code : codes) {
        expect(code == MPI_SUCCESS, "sent: " + text_of(code));
      }
    }
    auto const all = 3 * static_cast<std::uint64_t>(p_);
    wanted_ = all;
    int const code = espalier_wait_until(has_all, this, conduit_);
    expect(code == MPI_SUCCESS, "waited: " + text_of(code));
    expect(seen_.is_right, "messages bring what was sent, and from whom");
    expect(espalier_conduit_barrier(conduit_) == MPI_SUCCESS, "a barrier");
    expect(seen_.num_questions == all && seen_.num_answers == all, "each message runs once");
  }

private:
  static int has_all(void* context) {
    auto const& self = *static_cast<Messages const*>(context);
    return self.seen_.num_answers == self.wanted_ && self.seen_.num_questions == self.wanted_ ? 1
                                                                                              : 0;
  }

  void expect(bool is_true, std::string const& what) { checks_->expect(is_true, what); }

  Checks* checks_;
  int rank_;
  int p_;
  Seen seen_;
  std::uint64_t wanted_ = 0;
  espalier_conduit* conduit_ = nullptr;
};

/// A lock that rank 0 has: what a runtime does with messages.
void lock_by_view(Checks& checks, char const* transport) {
  int const p = test_size(MPI_COMM_WORLD);
  std::vector<int> queue;
  bool has_lock = false;
  std::uint64_t num_held = 0;
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.transport = transport;
  std::vector<espalier::Handler> const own{
      [&](espalier::Message message) {  // 0: who asks gets the number of those before
        message.reply(1, {queue.size()});
        queue.push_back(message.source());
      },
      [&](espalier::Message message) {  // 1
        has_lock = true;
        num_held = message.arguments()[0];
      },
  };
  espalier::Conduit conduit(MPI_COMM_WORLD, 64, own, options);
  conduit.send(0, 0);
  conduit.wait_until([&] { return has_lock; });
  checks.expect(num_held < static_cast<std::uint64_t>(p), "ranks before this one");
  conduit.barrier();
  auto const expected = test_rank(MPI_COMM_WORLD) == 0 ? static_cast<std::size_t>(p) : 0;
  checks.expect(queue.size() == expected, "all asked rank 0");
}

/// Wrong calls, outside of handlers and inside.
class Refusals {
public:
  explicit Refusals(Checks& checks) : checks_(&checks) {}

  void refuse_attaching(MPI_Comm comm) {
    espalier_conduit* made = nullptr;
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    options.num_handlers = 2;
    expect(espalier_conduit_attach(comm, 64, &options, &made), "2 and no list", "no list");
    std::array<espalier_handler*, 2> const with_null{take_answer, nullptr};
    options.handlers = with_null.data();
    expect(espalier_conduit_attach(comm, 64, &options, &made), "got NULL among them", "NULL");
    options.handlers = handlers.data();
    options.num_handlers = test_rank(comm) == 0 ? 1 : 2;
    if (test_size(comm) > 1) {
      expect(espalier_conduit_attach(comm, 64, &options, &made), "equal arguments", "different");
    }
    checks_->expect(made == nullptr, "nothing is made of what is wrong");
  }

  void refuse_sending(MPI_Comm comm, char const* transport) {
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    std::array<espalier_handler*, 1> const own{misbehave};
    options.transport = transport;
    options.handlers = own.data();
    options.num_handlers = 1;
    options.context = this;
    espalier_conduit_attach(comm, 64, &options, &conduit_);
    int const self = test_rank(comm);
    std::array<std::uint64_t, 9> const many{};
    std::vector<std::byte> const large(espalier_max_medium_bytes(conduit_) + 1);
    espalier_conduit* const c = conduit_;
    expect(espalier_send_short(many.data(), 6, 0, self, c), "at most 5 arguments", "too many");
    expect(espalier_send_short(many.data(), -1, 0, self, c), "got -1 of them", "less than none");
    expect(espalier_send_short(nullptr, 1, 0, self, c), "arguments", "no arguments");
    expect(espalier_send_short(nullptr, 0, 1, self, c), "one of 1 handlers", "no such handler");
    expect(espalier_send_short(nullptr, 0, -1, self, c), "number of a handler", "below 0");
    expect(espalier_send_short(nullptr, 0, 0, -1, c), "a rank in 0 ..", "no such rank");
    expect(
        espalier_send_medium(large.data(), large.size(), nullptr, 0, 0, self, c),
        "send a long one",
        "too large"
    );
    expect(espalier_send_medium(nullptr, 8, nullptr, 0, 0, self, c), "payload", "no payload");
    expect(
        espalier_send_long(large.data(), 8, nullptr, 0, 0, {self, 60}, c), "has 64 bytes", "outside"
    );
    expect(espalier_wait_until(nullptr, nullptr, c), "a function as is_true", "no condition");
    expect(espalier_send_short(nullptr, 0, 0, self, nullptr), "", "no conduit");
    expect(espalier_reply_short(nullptr, 0, 0, nullptr), "", "no message");
    checks_->expect(espalier_message_source(nullptr) == -1, "the source of nothing");
    checks_->expect(espalier_message_arguments(nullptr, nullptr) == nullptr, "numbers of nothing");
    checks_->expect(espalier_message_payload(nullptr, nullptr) == nullptr, "payload of nothing");
    expect(espalier_send_short(nullptr, 0, 0, self, c), MPI_SUCCESS);
    espalier_wait_until(has_run, this, c);
    checks_->expect(num_messages_ == 2, "a question and the answer to it");
    espalier_conduit_barrier(c);
    expect(espalier_conduit_detach(&conduit_), MPI_SUCCESS);
  }

private:
  /// Answers a question twice, and an answer once.
  static void misbehave(espalier_message* message, void* context) {
    auto& self = *static_cast<Refusals*>(context);
    std::uint64_t number = 0;
    espalier_conduit* const conduit = self.conduit_;
    if (++self.num_messages_ == 1) {
      self.expect(espalier_put(&number, 8, {0, 0}, conduit), "nothing but a reply", "a put");
      self.expect(espalier_conduit_poll(conduit), "nothing but a reply", "a poll");
      self.expect(espalier_wait_until(has_run, context, conduit), "nothing but a reply", "a wait");
      self.expect(espalier_counter(conduit, 0, &number), MPI_SUCCESS);
      self.expect(espalier_reply_short(nullptr, 0, 7, message), "one of 1 handlers", "a reply");
      self.expect(espalier_reply_short(nullptr, 0, 0, message), MPI_SUCCESS);
    }
    self.expect(espalier_reply_short(nullptr, 0, 0, message), "expected one reply", "one more");
  }

  static int has_run(void* context) { return static_cast<Refusals*>(context)->num_messages_ == 2; }

  void expect(int code, std::string const& part, std::string const& what) {
    std::string const text = last_text();
    checks_->expect(part.empty() || text.find(part) != std::string::npos, what + ": " + text);
    expect_handled(*checks_, code, MPI_ERR_ARG, what);
  }

  void expect(int code, int expected) {
    checks_->expect(code == expected, "expected success, got " + text_of(code));
  }

  Checks* checks_;
  espalier_conduit* conduit_ = nullptr;
  int num_messages_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  for (char const* const transport : transports()) {
    Messages(checks, transport).ask_all();
    lock_by_view(checks, transport);
  }
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(count_error, &handler);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm comm = private_comm();
  PMPI_Comm_set_errhandler(comm, handler);
  Refusals(checks).refuse_attaching(comm);
  for (char const* const transport : transports()) {
    Refusals(checks).refuse_sending(comm, transport);
  }
  PMPI_Comm_free(&comm);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  PMPI_Errhandler_free(&handler);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
