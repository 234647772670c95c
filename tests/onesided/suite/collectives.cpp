// SPDX-License-Identifier: Apache-2.0

/// Collectives: schedules of the catalog as one-sided programs, in every form that is legal.

#include <array>

#include "espalier/onesided/team/planned_collective.hpp"
#include "espalier/onesided/team/team.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/onesided/suite/suite.hpp"
#include "tests/support/one_sided.hpp"
#include "tests/support/team_forms.hpp"

namespace espalier::onesided::suite {
namespace {

using algorithms::Choice;
using exec::Layout;
using schedule::Buffer;
using schedule::OneSidedForm;
using schedule::RankProgram;

using Element = std::int64_t;

constexpr std::uint64_t segment_size = std::uint64_t{1} << 21U;
constexpr Region scratch{.offset = 64, .num_bytes = std::uint64_t{1} << 18U};
/// User buffers of collectives that are underway at the same time.
constexpr std::uint64_t users_at = std::uint64_t{1} << 19U;
constexpr std::uint64_t user_bytes = 1U << 14U;
constexpr int num_elements = 3;  ///< of a block, unless sizes differ

/// What a rank contributes to an element of a block. Each run has other numbers.
Element contribution(int run, int rank, int label, int element) {
  return run * 65'537 + rank * 1009 + label * 31 + element * 7 + 1;
}

void add(std::byte const* source, std::byte* destination, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    Element from = 0;
    Element to = 0;
    std::byte* const at = destination + i * static_cast<std::int64_t>(sizeof to);
    std::memcpy(&from, source + i * static_cast<std::int64_t>(sizeof from), sizeof from);
    std::memcpy(&to, at, sizeof to);
    to += from;
    std::memcpy(at, &to, sizeof to);
  }
}

enum class Blocks : std::uint8_t { equal, uneven };

/// How many elements a block has: any number from none on, if sizes differ.
int elements_of(Blocks blocks, int label) {
  return blocks == Blocks::equal ? num_elements : label * 7 % 5;
}

/// The blocks of a buffer, one behind the other.
Layout layout_of(Blocks blocks, schedule::Frame const& frame, Buffer buffer) {
  std::vector<exec::Extent> extents;
  std::int64_t offset_bytes = 0;
  for (int block = 0; block < frame.num_blocks(buffer); ++block) {
    int const count = elements_of(blocks, frame.like(buffer, block));
    extents.push_back({.offset_bytes = offset_bytes, .num_elements = count});
    offset_bytes += count * static_cast<std::int64_t>(sizeof(Element));
  }
  return Layout::of(std::move(extents), sizeof(Element));
}

/// A collective of the members of a team, with everything that its result depends on.
class Tested {
public:
  Tested(
      Choice const& choice,
      Team const& team,
      OneSidedForm const& form,
      Blocks blocks = Blocks::equal
  )
      : blocks_(blocks), root_(has_root(choice.collective()) ? team.num_ranks() / 2 : 0),
        is_in_place_(test::places(choice.collective()).size() == 1),
        schedules_(test::OneSidedCase::of_team(choice, team.num_ranks(), root_)),
        contract_(verify::contract_for(choice, team.num_ranks(), root_)), rank_(team.rank()),
        name_(test::name_of(choice, team.num_ranks(), root_, is_in_place_, form)) {
    contract_.is_in_place = is_in_place_;
    contract_.synchronization = form.mode;
    auto const programs = schedules_.programs(form);
    frame_ = programs[static_cast<std::size_t>(rank_)].frame;
    std::vector<Layout> outputs;
    std::vector<Layout> inputs;
    for (RankProgram const& program : programs) {
      int const num_blocks = program.frame.num_output_blocks;
      outputs.push_back(
          blocks == Blocks::uneven
              ? layout_of(blocks, program.frame, Buffer::output)
              : Layout::uniform(num_blocks, num_blocks == 0 ? 0 : num_elements, sizeof(Element))
      );
      inputs.push_back(layout_of(blocks, program.frame, Buffer::input));
    }
    planned_ = std::make_shared<PlannedCollective const>(
        team.num_ranks(),
        rank_,
        schedules_.program_of(),
        schedules_.in_segments(form),
        [&](int rank) {
          auto const index = static_cast<std::size_t>(rank);
          return UserBlocks(outputs[index], nullptr, &inputs[index]);
        },
        add
    );
  }

  [[nodiscard]] std::shared_ptr<PlannedCollective const> const& planned() const { return planned_; }

  [[nodiscard]] std::string const& name() const { return name_; }

  void fill(UserBuffers const& buffers, int run) const {
    for_each_element(buffers, [&](Buffer buffer, int block, int element, std::byte* at) {
      bool const is_mine = contract_.holds_at_start(frame_, rank_, buffer, block);
      int const who = contract_.reduces() ? rank_ : 0;
      Element const value =
          is_mine ? contribution(run, who, frame_.like(buffer, block), element) : -7;
      std::memcpy(at, &value, sizeof value);
    });
  }

  [[nodiscard]] int num_wrong(UserBuffers const& buffers, int run) const {
    int wrong = 0;
    schedule::BlockRun const promised = contract_.promised(frame_, rank_);
    for_each_element(buffers, [&](Buffer buffer, int block, int element, std::byte const* at) {
      if (buffer == Buffer::output && promised.contains(block)) {
        Element found = 0;
        std::memcpy(&found, at, sizeof found);
        wrong += found == expected(run, frame_.like(buffer, block), element) ? 0 : 1;
      }
    });
    return wrong;
  }

private:
  [[nodiscard]] Element expected(int run, int label, int element) const {
    Element sum = 0;
    int const num_operands = contract_.reduces() ? contract_.num_ranks : 1;
    for (int rank = 0; rank < num_operands; ++rank) {
      sum += contribution(run, rank, label, element);
    }
    return sum;
  }

  template <typename Visitor>
  void for_each_element(UserBuffers const& buffers, Visitor const& visit) const {
    for (Buffer const buffer : {Buffer::input, Buffer::output}) {
      std::byte* at = buffer == Buffer::input ? buffers.output - user_bytes : buffers.output;
      for (int block = 0; block < frame_.num_blocks(buffer); ++block) {
        int const count = elements_of(blocks_, frame_.like(buffer, block));
        for (int element = 0; element < count; ++element, at += sizeof(Element)) {
          visit(buffer, block, element, at);
        }
      }
    }
  }

  Blocks blocks_;
  int root_;
  bool is_in_place_;
  test::OneSidedCase schedules_;
  verify::Contract contract_;
  int rank_;
  std::string name_;
  schedule::Frame frame_;
  std::shared_ptr<PlannedCollective const> planned_;
};

/// Input and output of the collective with this number, one behind the other.
UserPlaces places_of(int number) {
  std::uint64_t const input = users_at + static_cast<std::uint64_t>(2 * number) * user_bytes;
  return {.input = input, .output = input + user_bytes};
}

UserBuffers buffers_of(Conduit& conduit, int number) {
  UserPlaces const places = places_of(number);
  return {
      .input = conduit.segment().data() + places.input,
      .output = conduit.segment().data() + places.output,
  };
}

std::vector<int> all_ranks(Conduit const& conduit) {
  std::vector<int> ranks;
  for (int rank = 0; rank < conduit.num_ranks(); ++rank) {
    ranks.push_back(rank);
  }
  return ranks;
}

void run_one(Conduit& conduit, Checks& checks, Team& team, Tested const& tested) {
  std::vector<UserPlaces> const places(team.members().size(), places_of(0));
  UserBuffers const buffers = buffers_of(conduit, 0);
  tested.fill(buffers, 1);
  conduit.barrier();
  Ticket ticket = team.start(tested.planned(), buffers, places);
  team.wait(ticket);
  conduit.barrier();
  checks.expect(tested.num_wrong(buffers, 1) == 0, "wrong elements: " + tested.name());
}

/// Schedules of a list in every form, one after another. Few ranks run all of them. More ranks take
/// turns waiting for processors, so each form is then that of every other schedule, and of those in
/// between for another number of ranks.
template <std::size_t size> class Programs : public Work {
protected:
  explicit Programs(std::array<char const*, size> const& choices, Blocks blocks = Blocks::equal)
      : choices_(choices), blocks_(blocks) {}

private:
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override { return segment_size; }

  void run(Conduit& conduit, Checks& checks) override {
    constexpr std::size_t few_ranks = 5;
    auto const p = static_cast<std::size_t>(conduit.num_ranks());
    Team team(conduit, all_ranks(conduit), scratch);
    std::size_t number = p;
    for (OneSidedForm const& form : test::one_sided_forms()) {
      for (std::size_t i = 0; i < size; ++i) {
        if (p <= few_ranks || (number + i) % 2 == 0) {
          run_one(conduit, checks, team, Tested(Choice::parse(choices_[i]), team, form, blocks_));
        }
      }
      ++number;
    }
  }

  std::array<char const*, size> choices_;
  Blocks blocks_;
};

class Rooted final : public Programs<6> {
public:
  Rooted()
      : Programs(
            {"bcast/k_nomial[k=4]",
             "scatter/binomial",
             "scatter/k_ary[k=1]",
             "gather/k_ary[k=1]",
             "gather/k_ary[k=2]",
             "reduce/binomial"}
        ) {}
};

class Unrooted final : public Programs<4> {
public:
  Unrooted()
      : Programs({
            "allgather/bruck",
            "allreduce/ring",
            "alltoall/linear",
            "barrier/dissemination[k=2]",
        }) {}
};

/// Vectors in segments, which follow each other.
class Segmented final : public Programs<4> {
public:
  Segmented()
      : Programs(
            {"bcast/chain[segments=4]",
             "bcast/k_ary[k=2,segments=3]",
             "reduce/chain[segments=4]",
             "reduce/k_ary[k=2,segments=3]"}
        ) {}
};

/// What v-variants run: blocks of different sizes, some of which are empty.
class Uneven final : public Programs<5> {
public:
  Uneven()
      : Programs(
            {"scatter/binomial",
             "gather/k_ary[k=2]",
             "allgather/bruck",
             "alltoall/linear",
             "alltoall/pairwise"},
            Blocks::uneven
        ) {}
};

/// Puts of several runs of memory.
class Scattered final : public Programs<3> {
public:
  Scattered() : Programs({"alltoall/bruck", "alltoall/bruck[k=4]", "allgather/bruck[k=3]"}) {}
};

/// Whatever a team may be tuned to, each choice in one of the forms in which it is offered: the
/// forms take turns. Builds with sanitizers, which are slow, take one choice of eight: the code
/// that runs the programs is the same for all.
class Tuned final : public Work {
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override { return segment_size; }

  void run(Conduit& conduit, Checks& checks) override {
    int const p = conduit.num_ranks();
    Team team(conduit, all_ranks(conduit), scratch);
    std::size_t number = 0;
    for (schedule::Collective const collective : test::team_collectives()) {
      test::TeamPlace const place{collective, p, has_root(collective) ? p / 2 : 0};
      for (test::TeamOffer const& offer : test::team_offers(place)) {
        if (++number % stride == 0) {
          std::vector<OneSidedForm> const forms = test::team_forms(place, offer);
          Tested const tested(offer.choice, team, forms[number / stride % forms.size()]);
          run_one(conduit, checks, team, tested);
        }
      }
    }
  }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr std::size_t stride = 8;
#else
  static constexpr std::size_t stride = 1;
#endif
};

constexpr OneSidedForm own_buffers{
    .mode = {.in = schedule::Sync::mysync, .out = schedule::Sync::mysync},
    .addresses = schedule::AddressMode::single,
    .mechanism = schedule::Mechanism::signaling_put,
};

/// Many collectives are underway, in scratch space for a few of them. Ranks come late, and complete
/// them in other orders than they started them.
class ManyUnderway final : public Work {
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override { return segment_size; }

  void run(Conduit& conduit, Checks& checks) override {
    constexpr int num_underway = 24;
    Team team(conduit, all_ranks(conduit), {.offset = 64, .num_bytes = 8192});
    std::vector<Tested> kinds;
    for (char const* const text :
         {"bcast/binomial",
          "allreduce/ring",
          "allgather/bruck",
          "reduce/k_nomial[k=4]",
          "alltoall/bruck"}) {
      kinds.emplace_back(Choice::parse(text), team, own_buffers);
    }
    std::vector<std::vector<UserPlaces>> places;
    for (int number = 0; number < num_underway; ++number) {
      places.emplace_back(team.members().size(), places_of(number));
    }
    for (int run = 0; run < 3; ++run) {
      std::vector<Ticket> tickets;
      for (int number = 0; number < num_underway; ++number) {
        UserBuffers const buffers = buffers_of(conduit, number);
        Tested const& tested = kinds[static_cast<std::size_t>(number) % kinds.size()];
        tested.fill(buffers, run * num_underway + number);
        if ((number + conduit.rank()) % 5 == 0) {
          std::this_thread::yield();
        }
        tickets.push_back(
            team.start(tested.planned(), buffers, places[static_cast<std::size_t>(number)])
        );
      }
      for (int i = 0; i < num_underway; ++i) {
        int const number = conduit.rank() % 2 == 0 ? i : num_underway - 1 - i;
        team.wait(tickets[static_cast<std::size_t>(number)]);
        Tested const& tested = kinds[static_cast<std::size_t>(number) % kinds.size()];
        int const wrong =
            tested.num_wrong(buffers_of(conduit, number), run * num_underway + number);
        checks.expect(wrong == 0, "wrong elements: " + tested.name());
      }
    }
    conduit.barrier();
  }
};

/// Two teams of every other rank work at the same time, in the opposite order of ranks.
class TwoTeams final : public Work {
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override { return segment_size; }

  void run(Conduit& conduit, Checks& checks) override {
    std::vector<int> members;
    for (int rank = conduit.num_ranks() - 1; rank >= 0; --rank) {
      if (rank % 2 == conduit.rank() % 2) {
        members.push_back(rank);
      }
    }
    Team team(conduit, members, scratch);
    checks.expect(team.conduit_rank(team.rank()) == conduit.rank(), "ranks are translated");
    checks.expect(team.rank_of(conduit.rank()) == team.rank(), "and back");
    int const other = conduit.rank() ^ 1;
    bool const is_there = other < conduit.num_ranks();
    checks.expect(!is_there || !team.rank_of(other), "the other team is no member");
    std::vector<UserPlaces> const places(members.size(), places_of(0));
    UserBuffers const buffers = buffers_of(conduit, 0);
    Tested const tested(Choice::parse("allreduce/ring"), team, own_buffers);
    for (int run = 0; run < 20; ++run) {
      int const number = run * 2 + conduit.rank() % 2;
      tested.fill(buffers, number);
      Ticket ticket = team.start(tested.planned(), buffers, places);
      while (!team.test(ticket)) {
        std::this_thread::yield();
      }
      checks.expect(tested.num_wrong(buffers, number) == 0, "wrong elements: " + tested.name());
    }
    conduit.barrier();
  }
};

/// What teams and runners refuse; the team goes on.
class Refused final : public Work {
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override { return segment_size; }

  void run(Conduit& conduit, Checks& checks) override {
    int const p = conduit.num_ranks();
    checks.expect_error([&] { Team(conduit, {0, 0}, scratch); }, {"twice a member"});
    checks.expect_error([&] { Team(conduit, {p}, scratch); }, {"ranks of its conduit"});
    checks.expect_error(
        [&] { Team(conduit, all_ranks(conduit), {.offset = 64, .num_bytes = 100}); },
        {"scratch space of at least", "100 bytes"}
    );
    if (p > 1) {
      int const other = conduit.rank() == 0 ? 1 : 0;
      checks.expect_error([&] { Team(conduit, {other}, scratch); }, {"no member"});
      refuse_messages(conduit, checks);
    }
    Team team(conduit, all_ranks(conduit), {.offset = 64, .num_bytes = 320});
    use_wrongly(conduit, team, checks);
    conduit.barrier();
  }

  static void refuse_messages(Conduit& conduit, Checks& checks) {
    auto const messages =
        Choice::parse("bcast/binomial").generate(conduit.num_ranks(), 0, conduit.rank());
    Layout const output = Layout::uniform(messages.frame.num_output_blocks, 1, sizeof(Element));
    auto const members = all_ranks(conduit);
    checks.expect_error(
        [&] { ProgramRunner(conduit, members, exec::bind(messages, output)); }, {"has messages"}
    );
  }

  static void use_wrongly(Conduit& conduit, Team& team, Checks& checks) {
    UserBuffers const buffers = buffers_of(conduit, 0);
    std::vector<UserPlaces> const places(team.members().size(), places_of(0));
    OneSidedForm eager = own_buffers;
    eager.mechanism = schedule::Mechanism::eager;
    if (team.num_ranks() > 4) {
      Tested const large(Choice::parse("alltoall/linear"), team, eager);
      checks.expect_error(
          [&] { static_cast<void>(team.start(large.planned(), buffers, places)); },
          {"bytes for counters and", "larger region"}
      );
    }
    Tested const barrier(Choice::parse("barrier/dissemination[k=2]"), team, own_buffers);
    Ticket ticket = team.start(barrier.planned(), buffers, {});
    team.wait(ticket);
    checks.expect_error([&] { team.wait(ticket); }, {"expected a ticket"});
    checks.expect_error([&] { static_cast<void>(team.conduit_rank(-1)); }, {"has no rank -1"});
    for (int const rank : {-1, conduit.num_ranks()}) {
      checks.expect_error(
          [&] { static_cast<void>(team.rank_of(rank)); },
          {"rank of the conduit", "got " + std::to_string(rank)}
      );
    }
  }
};

}  // namespace

std::vector<Case> collective_cases() {
  return {
      {"rooted_collectives", make<Rooted>},
      {"other_collectives", make<Unrooted>},
      {"segmented_collectives", make<Segmented>},
      {"uneven_collectives", make<Uneven>},
      {"scattered_collectives", make<Scattered>},
      {"tuned_collectives", make<Tuned>},
      {"many_underway", make<ManyUnderway>},
      {"two_teams", make<TwoTeams>},
      {"refused_collectives", make<Refused>},
  };
}

}  // namespace espalier::onesided::suite
