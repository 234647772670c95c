// SPDX-License-Identifier: Apache-2.0

/// @file
/// One-sided programs are executed by threads in every form. The threads use the buffers before and
/// after exactly as the synchronization mode permits, so that an access too early or too late is a
/// wrong value, or a data race that the thread sanitizer sees.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/exec/threads/one_sided_executor.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/support/choice_name.hpp"
#include "tests/support/one_sided.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::OneSidedForm;
using schedule::RankProgram;
using schedule::Sync;
using test::one_sided_choices;
using verify::Contract;

using Element = std::int64_t;

constexpr Element poison = -7;

/// What a rank contributes to an element of a block.
Element contribution(int rank, int label, int element) {
  return 1 + rank * 1009 + label * 31 + element * 7;
}

/// The user buffers of all ranks. A block has an element for each rank.
class UserBuffers {
public:
  UserBuffers(std::vector<RankProgram> const& programs, Contract const& contract)
      : programs_(programs), contract_(contract), num_elements_(contract.num_ranks) {
    for (RankProgram const& program : programs) {
      inputs.emplace_back(num_elements(program.frame.num_blocks(Buffer::input)), poison);
      outputs.emplace_back(num_elements(program.frame.num_output_blocks), poison);
    }
  }

  /// Puts the contribution of a rank into elements [begin, end) of its blocks.
  void fill(int rank, int begin, int end) {
    for_each_element(rank, begin, end, [&](Buffer buffer, int block, int element, Element& at) {
      if (contract_.holds_at_start(frame(rank), rank, buffer, block)) {
        int const label = frame(rank).like(buffer, block);
        at = contribution(contract_.reduces() ? rank : 0, label, element);
      }
    });
  }

  /// The number of results in elements [begin, end) of the blocks of a rank that are not there.
  [[nodiscard]] int num_wrong(int rank, int begin, int end) {
    int wrong = 0;
    schedule::BlockRun const promised = contract_.promised(frame(rank), rank);
    for_each_element(rank, begin, end, [&](Buffer buffer, int block, int element, Element& at) {
      if (buffer == Buffer::output && promised.contains(block)) {
        wrong += at != expected(frame(rank).like(buffer, block), element) ? 1 : 0;
      } else if (buffer == Buffer::output && !contract_.exists(frame(rank), rank, block)) {
        wrong += at != poison ? 1 : 0;
      }
    });
    return wrong;
  }

  /// Uses elements [begin, end) for something else.
  void overwrite(int rank, int begin, int end) {
    for_each_element(rank, begin, end, [](Buffer, int, int, Element& at) { at = poison; });
  }

  std::vector<std::vector<Element>> inputs;
  std::vector<std::vector<Element>> outputs;

private:
  [[nodiscard]] std::size_t num_elements(int num_blocks) const {
    return static_cast<std::size_t>(num_blocks) * static_cast<std::size_t>(num_elements_);
  }

  [[nodiscard]] schedule::Frame const& frame(int rank) const {
    return programs_[static_cast<std::size_t>(rank)].frame;
  }

  [[nodiscard]] Element expected(int label, int element) const {
    if (!contract_.reduces()) {
      return contribution(0, label, element);
    }
    Element sum = 0;
    for (int rank = 0; rank < contract_.num_ranks; ++rank) {
      sum += contribution(rank, label, element);
    }
    return sum;
  }

  template <typename Visitor>
  void for_each_element(int rank, int begin, int end, Visitor const& visit) {
    auto const index = static_cast<std::size_t>(rank);
    for (Buffer const buffer : {Buffer::input, Buffer::output}) {
      auto& memory = buffer == Buffer::input ? inputs[index] : outputs[index];
      for (int block = 0; block < frame(rank).num_blocks(buffer); ++block) {
        for (int element = begin; element < end; ++element) {
          auto const at = static_cast<std::size_t>(block * num_elements_ + element);
          visit(buffer, block, element, memory[at]);
        }
      }
    }
  }

  std::vector<RankProgram> const& programs_;
  Contract const& contract_;
  int num_elements_;
};

/// One run.
class Use {
public:
  Use(std::vector<RankProgram> const& programs, Contract const& contract)
      : programs_(programs), contract_(contract), buffers_(programs, contract) {}

  /// The number of wrong elements.
  int run(Delivery delivery, ThreadCrew& crew) {
    if (contract_.synchronization.in == Sync::nosync) {
      for_all_ranks([&](int rank) { buffers_.fill(rank, 0, p()); });
    }
    run_one_sided(
        bound(),
        {.delivery = delivery,
         .combine = add,
         .enter = [this](int rank) { enter(rank); },
         .leave = [this](int rank) { leave(rank); },
         .crew = &crew}
    );
    if (contract_.synchronization.out == Sync::nosync) {
      for_all_ranks([&](int rank) { num_wrong_ += buffers_.num_wrong(rank, 0, p()); });
    }
    return num_wrong_;
  }

private:
  [[nodiscard]] int p() const noexcept { return contract_.num_ranks; }

  template <typename Visitor> void for_all_ranks(Visitor const& visit) const {
    for (int rank = 0; rank < p(); ++rank) {
      visit(rank);
    }
  }

  static void add(std::byte const* source, std::byte* destination, std::int64_t num_elements) {
    auto const* from = reinterpret_cast<Element const*>(source);
    auto* to = reinterpret_cast<Element*>(destination);
    std::transform(from, from + num_elements, to, to, std::plus<>());
  }

  /// Ranks come at different times. With IN_ALLSYNC each fills one element of all blocks of all
  /// ranks.
  void enter(int rank) {
    for (int i = 0; i < rank * 5 % 7; ++i) {
      std::this_thread::yield();
    }
    if (contract_.synchronization.in == Sync::mysync) {
      buffers_.fill(rank, 0, p());
    } else if (contract_.synchronization.in == Sync::allsync) {
      for_all_ranks([&](int other) { buffers_.fill(other, rank, rank + 1); });
    }
  }

  /// What is said to be finished is looked at, and then used again.
  void leave(int rank) {
    if (contract_.synchronization.out == Sync::mysync) {
      num_wrong_ += buffers_.num_wrong(rank, 0, p());
      buffers_.overwrite(rank, 0, p());
    } else if (contract_.synchronization.out == Sync::allsync) {
      for_all_ranks([&](int other) {
        num_wrong_ += buffers_.num_wrong(other, rank, rank + 1);
        buffers_.overwrite(other, rank, rank + 1);
      });
    }
  }

  std::vector<ThreadRank> bound() {
    layouts_.clear();
    places_.clear();
    layouts_.reserve(programs_.size());
    for (RankProgram const& program : programs_) {
      bool const is_empty = program.frame.num_output_blocks == 0;
      layouts_.push_back(
          Layout::uniform(program.frame.num_output_blocks, is_empty ? 0 : p(), sizeof(Element))
      );
      places_.emplace_back(program.frame, program.rank, layouts_.back());
    }
    std::vector<ThreadRank> ranks;
    for (RankProgram const& program : programs_) {
      auto const index = static_cast<std::size_t>(program.rank);
      ranks.push_back({
          .program = bind_one_sided(
              program,
              [&](int rank) -> Places const& { return places_[static_cast<std::size_t>(rank)]; }
          ),
          .input = reinterpret_cast<std::byte const*>(buffers_.inputs[index].data()),
          .output = reinterpret_cast<std::byte*>(buffers_.outputs[index].data()),
      });
    }
    return ranks;
  }

  std::vector<RankProgram> const& programs_;
  Contract const& contract_;
  UserBuffers buffers_;
  std::vector<Layout> layouts_;
  std::vector<Places> places_;
  std::atomic<int> num_wrong_ = 0;
};

std::vector<int> numbers_of_ranks() {
#ifdef ESPALIER_FEW_RANKS
  return {1, 2, 3, 5, 8};
#else
  return {1, 2, 3, 4, 5, 7, 8, 9};
#endif
}

class OneSidedThreads : public testing::TestWithParam<char const*> {
protected:
  /// Both ways of delivery, in all forms.
  void run_all(
      algorithms::Choice const& choice,
      int p,
      int root,
      bool is_in_place,
      std::vector<OneSidedForm> const& forms = test::one_sided_forms()
  ) {
    test::OneSidedCase const the(choice, p, root, is_in_place);
    for (OneSidedForm const& form : forms) {
      auto const programs = the.programs(form);
      Contract contract = verify::contract_for(choice, p, root);
      contract.is_in_place = is_in_place;
      contract.synchronization = form.mode;
      for (Delivery const delivery : {Delivery::at_once, Delivery::late}) {
        ASSERT_EQ(Use(programs, contract).run(delivery, crew_), 0)
            << test::name_of(choice, p, root, is_in_place, form)
            << (delivery == Delivery::late ? ", late" : ", at once");
      }
    }
  }

private:
  ThreadCrew crew_;
};

TEST_P(OneSidedThreads, GiveTheResultInEveryForm) {
  auto const choice = algorithms::Choice::parse(GetParam());
  for (int const p : numbers_of_ranks()) {
    int const root = has_root(choice.collective()) ? p / 2 : 0;
    if (!choice.refuses(p, root).empty()) {
      continue;
    }
    for (bool const is_in_place : test::places(choice.collective())) {
      run_all(choice, p, root, is_in_place);
    }
  }
}

TEST_P(OneSidedThreads, GiveTheResultWhereRanksOfNodesMeet) {
  auto const choice = algorithms::Choice::parse(GetParam());
  for (int const p : {3, 5, 8}) {
    if (choice.refuses(p, 0).empty()) {
      run_all(choice, p, 0, true, test::meeting_forms(p));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , OneSidedThreads, testing::ValuesIn(one_sided_choices()), test::name_of_choice
);

}  // namespace
}  // namespace espalier::exec
