// SPDX-License-Identifier: Apache-2.0

/// Collectives: schedules of the catalog as one-sided programs, in every form that is legal.

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "espalier/onesided/program/program_runner.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/onesided/suite/suite.hpp"
#include "tests/support/one_sided.hpp"

namespace espalier::onesided::suite {
namespace {

using algorithms::Choice;
using exec::Layout;
using exec::Places;
using schedule::Buffer;
using schedule::OneSidedForm;
using schedule::RankProgram;

using Element = std::int64_t;

constexpr std::uint64_t segment_size = std::uint64_t{1} << 21U;
constexpr std::uint64_t input_at = 64;
constexpr std::uint64_t output_at = 1U << 17U;
constexpr std::uint64_t scratch_at = 1U << 18U;
/// Each program has counters of its own from here on.
constexpr std::uint64_t counters_at = std::uint64_t{1} << 20U;
constexpr int num_elements = 3;  ///< of a block
/// Every so many programs run twice, as their counters are not reset.
constexpr int programs_per_second_run = 4;

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

/// The user buffers of a rank, in its segment.
class RankBuffers {
public:
  RankBuffers(Conduit& conduit, RankProgram const& program, verify::Contract const& contract)
      : segment_(conduit.segment()), rank_(conduit.rank()), frame_(program.frame),
        contract_(contract) {}

  [[nodiscard]] UserBuffers pointers() const {
    return {.input = segment_.data() + input_at, .output = segment_.data() + output_at};
  }

  void fill(int run) {
    for_each_element([&](Buffer buffer, int block, int element, std::byte* at) {
      bool const is_mine = contract_.holds_at_start(frame_, rank_, buffer, block);
      int const who = contract_.reduces() ? rank_ : 0;
      Element const value =
          is_mine ? contribution(run, who, frame_.like(buffer, block), element) : -7;
      std::memcpy(at, &value, sizeof value);
    });
  }

  [[nodiscard]] int num_wrong(int run) {
    int wrong = 0;
    schedule::BlockRun const promised = contract_.promised(frame_, rank_);
    for_each_element([&](Buffer buffer, int block, int element, std::byte const* at) {
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

  template <typename Visitor> void for_each_element(Visitor const& visit) {
    for (Buffer const buffer : {Buffer::input, Buffer::output}) {
      std::byte* at = segment_.data() + (buffer == Buffer::input ? input_at : output_at);
      for (int block = 0; block < frame_.num_blocks(buffer); ++block) {
        for (int element = 0; element < num_elements; ++element, at += sizeof(Element)) {
          visit(buffer, block, element, at);
        }
      }
    }
  }

  std::span<std::byte> segment_;
  int rank_;
  schedule::Frame const& frame_;
  verify::Contract const& contract_;
};

/// A program bound to the segments of all ranks, which lie alike.
exec::BoundProgram bound(std::vector<RankProgram> const& programs, int rank) {
  std::vector<Layout> layouts;
  std::vector<Places> places;
  layouts.reserve(programs.size());
  for (RankProgram const& program : programs) {
    int const blocks = program.frame.num_output_blocks;
    layouts.push_back(Layout::uniform(blocks, blocks == 0 ? 0 : num_elements, sizeof(Element)));
    places.emplace_back(program.frame, program.rank, layouts.back());
  }
  return exec::bind_one_sided(
      programs[static_cast<std::size_t>(rank)],
      [&](int of) -> Places const& { return places[static_cast<std::size_t>(of)]; }
  );
}

/// Every schedule of a list, in every form.
template <std::size_t size> class Programs : public Work {
protected:
  explicit Programs(std::array<char const*, size> const& choices) : choices_(choices) {}

private:
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override { return segment_size; }

  void run(Conduit& conduit, Checks& checks) override {
    for (char const* const text : choices_) {
      auto const choice = Choice::parse(text);
      int const p = conduit.num_ranks();
      int const root = has_root(choice.collective()) ? p / 2 : 0;
      if (choice.refuses(p, root).empty()) {
        run_choice(conduit, checks, choice, root);
      }
    }
  }

  void run_choice(Conduit& conduit, Checks& checks, Choice const& choice, int root) {
    bool const is_in_place = test::places(choice.collective()).size() == 1;
    test::OneSidedCase const the(choice, conduit.num_ranks(), root, is_in_place);
    verify::Contract contract = verify::contract_for(choice, conduit.num_ranks(), root);
    contract.is_in_place = is_in_place;
    for (OneSidedForm const& form : test::one_sided_forms()) {
      contract.synchronization = form.mode;
      int const num_wrong = run_programs(conduit, the.programs(form), contract);
      checks.expect(
          num_wrong == 0,
          std::to_string(num_wrong) + " wrong elements: " +
              test::name_of(choice, conduit.num_ranks(), root, is_in_place, form)
      );
    }
  }

  /// The number of wrong elements of this rank. A barrier keeps runs apart, as programs without
  /// synchronization need it.
  int run_programs(
      Conduit& conduit, std::vector<RankProgram> const& programs, verify::Contract const& contract
  ) {
    RankProgram const& own = programs[static_cast<std::size_t>(conduit.rank())];
    RankBuffers buffers(conduit, own, contract);
    ProgramRunner runner(conduit, bound(programs, conduit.rank()), next_places(programs), add);
    int const num_runs = ++num_programs_ % programs_per_second_run == 0 ? 2 : 1;
    int num_wrong = 0;
    for (int run = 0; run < num_runs; ++run) {
      buffers.fill(run);
      conduit.barrier();
      runner.run(buffers.pointers());
      conduit.barrier();
      num_wrong += buffers.num_wrong(run);
    }
    return num_wrong;
  }

  /// Counters that no program has used.
  std::vector<SharedPlaces> next_places(std::vector<RankProgram> const& programs) {
    SharedPlaces const all{
        .input = input_at,
        .output = output_at,
        .scratch = scratch_at,
        .counters = counters_at + num_counters_ * counter_bytes,
    };
    int most = 0;
    for (RankProgram const& program : programs) {
      most = std::max(most, program.num_counters());
    }
    num_counters_ += static_cast<std::uint64_t>(most);
    return std::vector<SharedPlaces>(programs.size(), all);
  }

  std::array<char const*, size> choices_;
  std::uint64_t num_counters_ = 0;
  int num_programs_ = 0;
};

class Rooted final : public Programs<4> {
public:
  Rooted()
      : Programs({
            "bcast/k_nomial[k=4]",
            "scatter/binomial",
            "gather/k_ary[k=2]",
            "reduce/binomial",
        }) {}
};

class Unrooted final : public Programs<4> {
public:
  Unrooted()
      : Programs({
            "allgather/bruck",
            "allreduce/recursive_doubling",
            "alltoall/linear",
            "barrier/dissemination[k=2]",
        }) {}
};

/// What the runner refuses.
class Refused final : public Work {
  void run(Conduit& conduit, Checks& checks) override {
    int const p = conduit.num_ranks();
    auto const messages = Choice::parse("bcast/binomial").generate(p, 0, conduit.rank());
    Layout const output = Layout::uniform(messages.frame.num_output_blocks, 1, sizeof(Element));
    auto const make = [&](std::size_t num_places) {
      std::vector<SharedPlaces> places(num_places);
      ProgramRunner runner(conduit, exec::bind(messages, output), std::move(places));
    };
    auto const all = static_cast<std::size_t>(p);
    checks.expect_error([&] { make(all + 1); }, {"places of all", std::to_string(all + 1)});
    if (p > 1) {
      checks.expect_error([&] { make(all); }, {"has messages"});
    }
    conduit.barrier();
  }
};

}  // namespace

std::vector<Case> collective_cases() {
  return {
      {"rooted_collectives", make<Rooted>},
      {"other_collectives", make<Unrooted>},
      {"refused_programs", make<Refused>},
  };
}

}  // namespace espalier::onesided::suite
