// SPDX-License-Identifier: Apache-2.0

/// @file
/// Active messages of espalier_message.h, from C and by the view for C++.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
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
  return reinterpret_cast<std::uintptr_t>(begin) % 16 == 0 &&
         num_bytes == expected.size() * sizeof(std::uint64_t) &&
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

/// A lock that rank 0 has, and its queue (MCS): a message takes the last place in it, and its
/// answer says who had that before. Whoever unlocks signals the next one.
class Lock {
public:
  static constexpr std::uint64_t granted = 0;  ///< counters of each rank
  static constexpr std::uint64_t followed = 8;
  static constexpr std::uint64_t next = 16;  ///< who follows
  static constexpr std::uint64_t num_bytes = 24;

  [[nodiscard]] std::vector<espalier::Handler> handlers() {
    return {
        [this](espalier::Message message) {  // enters the queue
          message.reply(1, {std::exchange(last_, message.source())});
        },
        [this](espalier::Message message) {  // has entered it
          before_ = static_cast<int>(static_cast<std::int64_t>(message.arguments()[0]));
          is_answered_ = true;
        },
        [this](espalier::Message message) {  // leaves it, if nobody follows
          bool const is_last = last_ == message.source();
          last_ = is_last ? -1 : last_;
          message.reply(3, {is_last});
        },
        [this](espalier::Message message) {
          is_alone_ = message.arguments()[0] != 0;
          is_answered_ = true;
        },
    };
  }

  void lock(espalier::Conduit& conduit) {
    ask(conduit, 0);
    if (before_ < 0) {
      return;
    }
    std::uint64_t const own[] = {static_cast<std::uint64_t>(conduit.rank())};
    conduit.put_signal(std::span(own), {before_, next}, followed);
    conduit.await(granted, ++num_granted_);
  }

  void unlock(espalier::Conduit& conduit) {
    ask(conduit, 2);
    if (!is_alone_) {
      conduit.await(followed, ++num_followed_);
      conduit.signal({static_cast<int>(conduit.segment<std::uint64_t>()[next / 8]), granted});
    }
  }

private:
  void ask(espalier::Conduit& conduit, int handler) {
    is_answered_ = false;
    conduit.send(0, handler);
    conduit.wait_until([this] { return is_answered_; });
  }

  int last_ = -1;    ///< in the queue, on rank 0
  int before_ = -1;  ///< -1: nobody
  bool is_answered_ = false;
  bool is_alone_ = false;
  std::uint64_t num_granted_ = 0;
  std::uint64_t num_followed_ = 0;
};

/// Each rank raises a number of rank 0 under the lock, by a get and a put.
void lock_by_view(Checks& checks, char const* transport) {
  constexpr std::uint64_t num_turns = 4;
  constexpr std::uint64_t number_at = Lock::num_bytes;
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.transport = transport;
  Lock lock;
  espalier::Conduit conduit(MPI_COMM_WORLD, number_at + 8, lock.handlers(), options);
  for (std::uint64_t turn = 0; turn < num_turns; ++turn) {
    std::array<std::uint64_t, 1> number{};
    lock.lock(conduit);
    conduit.get(std::span(number), {0, number_at});
    ++number[0];
    conduit.put(std::span(number), {0, number_at});
    lock.unlock(conduit);
  }
  conduit.barrier();
  std::array<std::uint64_t, 1> number{};
  conduit.get(std::span(number), {0, number_at});
  auto const all = num_turns * static_cast<std::uint64_t>(test_size(MPI_COMM_WORLD));
  checks.expect(number[0] == all, "nobody has the lock at the same time as another one");
  conduit.barrier();
}

/// What the view for C++ makes of messages and of conduits that move.
class View {
public:
  View(Checks& checks, char const* transport)
      : checks_(&checks), rank_(test_rank(MPI_COMM_WORLD)), conduit_(attached(transport, 64)) {
    espalier::Conduit other = attached(transport, 32);
    std::swap(conduit_, other);
    conduit_ = std::move(other);
  }

  /// Each is as many numbers and bytes as it says, whatever comes first.
  void send_all_kinds() {
    std::array<std::uint64_t, 2> const data{1, 2};
    checks_->expect(conduit_.max_medium_bytes() >= sizeof data, "room in a message");
    conduit_.send(rank_, hearing, {rank_, 2, 3});
    conduit_.send(rank_, hearing, std::span(data), {1});
    conduit_.send({rank_, 0}, hearing, std::span(data));
    conduit_.send(rank_, asking, {1, 2, 3, 4, 5});
    conduit_.send(rank_, asking_medium);
    conduit_.send(rank_, asking_long);
    auto const has_all = [this] { return heard_.size() == 6; };
    conduit_.wait_until(has_all);
    std::ranges::sort(heard_);
    std::vector<Heard> const expected{{0, 16}, {1, 16}, {1, 16}, {2, 16}, {3, 0}, {5, 0}};
    checks_->expect(heard_ == expected, "messages of all kinds, and answers");
  }

  void throw_from_a_condition() {
    bool is_thrown = false;
    try {
      conduit_.wait_until([]() -> bool { throw std::runtime_error("by a condition"); });
    } catch (std::runtime_error const&) {
      is_thrown = true;
    }
    checks_->expect(is_thrown, "what a condition throws comes out");
    conduit_.barrier();
  }

private:
  using Heard = std::pair<std::size_t, std::size_t>;  ///< numbers, and bytes of the payload

  enum Number : int { hearing, asking, asking_medium, asking_long };

  espalier::Conduit attached(char const* transport, std::uint64_t num_bytes) {
    static constexpr std::array<std::uint64_t, 2> data{1, 2};
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    options.transport = transport;
    std::vector<espalier::Handler> handlers{
        [this](espalier::Message message) {
          bool const is_here = espalier_conduit_rank(message.conduit()) == rank_;
          checks_->expect(is_here, "a message knows its conduit");
          heard_.emplace_back(message.arguments().size(), message.payload().size());
        },
        [](espalier::Message message) {
          message.reply(hearing, espalier::Arguments(message.arguments()));
        },
        [this](espalier::Message message) { message.reply(hearing, std::span(data), {rank_}); },
        [this](espalier::Message message) {
          message.reply_long(hearing, std::span(data), 16, {rank_, 7});
        },
    };
    return {MPI_COMM_WORLD, num_bytes, std::move(handlers), options};
  }

  Checks* checks_;
  int rank_;
  std::vector<Heard> heard_;
  espalier::Conduit conduit_;
};

/// Wrong calls, outside of handlers and inside.
class Refusals {
public:
  explicit Refusals(Checks& checks) : checks_(&checks) {}

  void refuse_attaching(MPI_Comm comm) {
    espalier_conduit* made = nullptr;
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    options.num_handlers = 2;
    expect(espalier_conduit_attach(comm, 64, &options, &made), "got no list", "no list");
    options.num_handlers = -1;
    expect(espalier_conduit_attach(comm, 64, &options, &made), "at least 0, got -1", "below 0");
    options.num_handlers = 2;
    std::array<espalier_handler*, 2> const with_null{take_answer, nullptr};
    options.handlers = with_null.data();
    expect(espalier_conduit_attach(comm, 64, &options, &made), "got NULL among them", "NULL");
    options.handlers = handlers.data();
    options.num_handlers = test_rank(comm) == 0 ? 1 : 2;
    if (test_size(comm) > 1) {
      expect(espalier_conduit_attach(comm, 64, &options, &made), "equal arguments", "different");
    }
    options = ESPALIER_CONDUIT_OPTIONS_INIT;
    for (std::size_t const size : {std::size_t{40}, sizeof options - 8, sizeof options + 8}) {
      options.size = size;
      expect(espalier_conduit_attach(comm, 64, &options, &made), "OPTIONS_INIT", "a size");
    }
    checks_->expect(made == nullptr, "nothing is made of what is wrong");
  }

  /// As a program has them that was compiled before there were handlers.
  void take_shorter_options(MPI_Comm comm) {
    constexpr std::size_t size = offsetof(espalier_conduit_options, handlers);
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    options.size = size;
    std::vector<std::uint64_t> memory(size / sizeof(std::uint64_t));
    std::memcpy(memory.data(), &options, size);
    auto const* const shorter = reinterpret_cast<espalier_conduit_options const*>(memory.data());
    espalier_conduit* made = nullptr;
    expect(espalier_conduit_attach(comm, 64, shorter, &made), MPI_SUCCESS);
    expect(espalier_conduit_detach(&made), MPI_SUCCESS);
  }

  void refuse_sending(MPI_Comm comm, char const* transport) {
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    std::array<espalier_handler*, 1> const own{misbehave};
    options.transport = transport;
    options.handlers = own.data();
    options.num_handlers = 1;
    options.context = this;
    espalier_conduit_attach(comm, 64, &options, &conduit_);
    espalier_team_create(conduit_, comm, 0, &team_);
    espalier_team_barrier_init(team_, nullptr, &request_);
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
        espalier_send_long(large.data(), 8, nullptr, 0, 0, {self, 60}, c),
        "a long message inside",
        "outside"
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
    expect(espalier_request_start(request_), MPI_SUCCESS);
    expect(espalier_request_wait(request_), MPI_SUCCESS);
    expect(espalier_request_free(&request_), MPI_SUCCESS);
    expect(espalier_team_free(&team_), MPI_SUCCESS);
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
      self.expect(espalier_await(conduit, 0, 0), "nothing but a reply", "waiting for a counter");
      self.expect(espalier_await(conduit, 0, 1), "nothing but a reply", "the same for ever");
      self.expect(espalier_fence(conduit), "nothing but a reply", "a fence");
      self.expect(espalier_conduit_notify(conduit), "nothing but a reply", "a barrier");
      int is_over = 0;
      self.expect(
          espalier_conduit_try_barrier(conduit, &is_over), "nothing but a reply", "its end"
      );
      self.expect(espalier_conduit_detach(&self.conduit_), "nothing but a reply", "the end");
      self.expect(espalier_request_start(self.request_), "nothing but a reply", "a start");
      self.expect(espalier_request_test(self.request_, &is_over), "nothing but a reply", "a test");
      self.expect(espalier_request_wait(self.request_), "nothing but a reply", "its wait");
      self.expect(espalier_team_fence(self.team_), "nothing but a reply", "a fence of a team");
      self.expect(espalier_team_free(&self.team_), "nothing but a reply", "the end of a team");
      self.checks_->expect(espalier_message_conduit(message) == conduit, "its conduit");
      self.expect(espalier_counter(conduit, 0, &number), MPI_SUCCESS);
      self.expect(espalier_conduit_segment_bytes(conduit, 0, &number), MPI_SUCCESS);
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
  espalier_team* team_ = nullptr;
  espalier_request* request_ = nullptr;
  int num_messages_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  for (char const* const transport : transports()) {
    Messages(checks, transport).ask_all();
    lock_by_view(checks, transport);
    View view(checks, transport);
    view.send_all_kinds();
    view.throw_from_a_condition();
  }
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(count_error, &handler);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm comm = private_comm();
  PMPI_Comm_set_errhandler(comm, handler);
  Refusals(checks).refuse_attaching(comm);
  Refusals(checks).take_shorter_options(comm);
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
