// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/contest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <span>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/json_text.hpp"
#include "espalier/mpi/broadcast.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/learning/exchange.hpp"
#include "espalier/plan/neighbors/neighbor_name.hpp"
#include "espalier/plan/neighbors/neighbors.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {
namespace {

double seconds_since(Clock::time_point start) noexcept {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What rank 0 says of the candidates.
struct Proposals {
  Trials trials;          ///< with candidates; those of fresh ones are empty
  bool is_known = false;  ///< what runs from now on was found on such a communicator
  bool is_fresh = false;  ///< a model proposes the candidates, nobody has tried them
  double seconds = 0;     ///< that it took to find them

  [[nodiscard]] std::string to_bytes() const {
    return json_bytes({
        {"trials", nlohmann::json::array({to_json(trials)})},
        {"is_known", is_known},
        {"is_fresh", is_fresh},
        {"seconds", seconds},
    });
  }

  static Proposals from_bytes(std::string const& bytes) {
    nlohmann::json const document = parse_json_bytes(bytes);
    return {
        .trials = trials_from_json(document, "what rank 0 proposes").at(0),
        .is_known = document.at("is_known").get<bool>(),
        .is_fresh = document.at("is_fresh").get<bool>(),
        .seconds = document.at("seconds").get<double>(),
    };
  }
};

/// Candidates that nobody has tried, the best by the model first.
void add_fresh(
    Contest::Kind const& contest, double native_seconds, Learning& learning, Trials& trials
) {
  constexpr int most_proposals = 3;
  if (contest.neighbors != nullptr) {
    for (NeighborProposal const& proposal :
         contest.neighbors->propose(neighbor_call(contest.call), contest.bytes, learning.links())) {
      trials.add(neighborhood::full_name(*proposal.algorithm), proposal.seconds);
    }
    return;
  }
  Learning::Example const call{
      .bytes = contest.bytes,
      .world_ranks = *contest.world_ranks,
      .native_seconds = native_seconds,
  };
  for (learn::Proposal const& proposal : learning.propose(trials.kind, call, most_proposals)) {
    trials.add(proposal.choice.text(), proposal.seconds);
  }
}

/// @param native_seconds  that calls took in this run
Proposals propose(Contest::Kind const& contest, double native_seconds, Learning& learning) {
  Clock::time_point const start = Clock::now();
  KindOfCalls const kind = kind_of(contest.call, contest.shape, contest.bytes);
  Proposals proposals{.trials = {.kind = kind}};
  if (auto const lesson = learning.lesson(kind)) {
    proposals.is_known = true;
    if (lesson->algorithm != "native") {
      proposals.trials.add(lesson->algorithm, lesson->seconds);
    }
  } else if (auto const trials = learning.trials(kind);
             trials && !trials->record.candidates.empty()) {
    proposals.trials = *trials;
  } else {
    proposals.is_fresh = true;
    add_fresh(contest, native_seconds, learning, proposals.trials);
  }
  proposals.seconds = seconds_since(start);
  return proposals;
}

/// On a communicator before which the same ranks made such calls on so many others. Who makes these
/// again and again and frees them after a few calls would pay for the first exchanges of each, and
/// learn nothing. Ranks that come to two of them in different orders mostly agree, too.
std::int64_t first_call_on(int num_before) {
  constexpr unsigned few = 8;
  constexpr std::int64_t calls_for_each = 3;
  auto const number = static_cast<unsigned>(num_before);
  return number < few ? 1 : calls_for_each * static_cast<std::int64_t>(std::bit_floor(number));
}

}  // namespace

Contest::Contest(Kind const& kind, profile::Decision const& decision, Learning const& learning)
    : kind_(kind) {
  if (!decision.is_native()) {
    // Earlier runs of the user's programs checked what they learned, and no other rules.
    bool const was_checked = decision.source == profile::Source::memory;
    race_ = learn::Race::taken(was_checked ? learn::Race::later : learn::Race::soon);
    tell_kind();
    saved_ = learning.saved(kind_of_calls(), decision.algorithm_text());
    own_.push_back({.reason = "learning: the native call, to check the rule for this call"});
    decisions_ = {&own_.back(), &decision};
    race_.begin_with_call(first_call_on(kind_.num_before));
    return;
  }
  decisions_.push_back(&decision);
  Learning::Start start = learning.start(kind_of_calls());
  race_ = std::move(start.race);
  if (start.trials != nullptr) {
    base_ = *start.trials;
    add(base_.algorithms);
  }
  tell_kind();
  race_.begin_with_call(first_call_on(kind_.num_before));
  bool const takes_long = learning.are_looks_dear(kind_of_calls());
  if (takes_long) {
    kind_.exchange->note_dear_looks();
  }
  // What long calls are worth is known, if there are candidates for them.
  bool const is_known =
      base_.exchange_seconds > 0 || (takes_long && !base_.record.candidates.empty());
  may_wait_for_others_ = ranks_run_ahead(kind_.call) && !is_known;
}

/// Contests that go on at the same time in one loop are not to make their pairs in the same order.
/// Where not all ranks know the size of a call, one contest is for all sizes.
void Contest::tell_kind() {
  auto const call = static_cast<std::uint32_t>(profile::index_of(kind_.call));
  auto const size = static_cast<std::uint32_t>(size_class(kind_.bytes));
  race_.draw_by(call * static_cast<std::uint32_t>(num_size_classes) + size);
  if (!profile::has_known_size(kind_.call, kind_.shape)) {
    race_.let_sizes_vary();
  }
  if (ranks_meet(kind_.call)) {
    race_.let_ranks_meet();
  } else if (!ranks_run_ahead(kind_.call)) {
    race_.let_nobody_run_ahead();
  }
}

void Contest::note_time(Clock::time_point start, bool was_refused, Learning& learning) noexcept {
  double const seconds = seconds_since(start);
  if (is_adding_up_) {
    seconds_in_calls_[part_] += seconds;
    refused_parts_[part_] = refused_parts_[part_] || was_refused;
    return;
  }
  credit(num_calls(), learning);
  if (kind_.rank != 0 || num_calls() > num_calls_at_stake) {
    return;
  }
  native_seconds_ = native_seconds_ > 0 ? std::min(native_seconds_, seconds) : seconds;
}

learn::Race::Words
Contest::exchange(learn::Race::Words const& own, Learning const& learning) const {
  constexpr std::size_t num_words = 6;
  static_assert(num_words + learn::Race::most_parts <= Exchange::most_numbers);
  std::array<double, num_words + learn::Race::most_parts> words{
      own.trial,
      own.exchange,
      own.whole_exchange,
      own.allowance,
      own.minus_call,
      own.minus_exchange,
  };
  std::ranges::copy(own.parts, words.begin() + num_words);
  std::size_t const num_sent = race_.ends_round() ? words.size() : num_words;
  kind_.exchange->find_least(std::span(words).first(num_sent), learning.node_of_rank());
  learn::Race::Words agreed{
      .trial = words[0],
      .exchange = words[1],
      .whole_exchange = words[2],
      .allowance = words[3],
      .minus_call = words[4],
      .minus_exchange = words[5],
  };
  std::copy(words.begin() + num_words, words.end(), agreed.parts.begin());
  return agreed;
}

/// Seconds of an exchange that all ranks begin at about the same time, after another one.
double Contest::time_whole_exchange(Learning const& learning) const {
  Clock::time_point const start = Clock::now();
  static_cast<void>(exchange({}, learning));
  return seconds_since(start);
}

void Contest::conclude(Clock::time_point start, bool was_refused, Learning& learning) {
  credit(num_calls() - 1, learning);
  bool const was_settled = race_.is_settled();
  Clock::time_point const trial_start = race_.ends_stretch() ? stretch_start_ : start;
  int const before = race_.standing();
  Clock::time_point const exchange_start = Clock::now();
  double const call = std::chrono::duration<double>(exchange_start - start).count();
  double const seconds_before = race_.ends_sum() ? seconds_in_calls_[0] : 0;
  if (race_.ends_round()) {
    seconds_in_calls_[part_] += call;
    refused_parts_[part_] = refused_parts_[part_] || was_refused;
  }
  learn::Race::Words agreed = exchange(
      race_.ends_round() ? race_.words(learning.left(), call, seconds_in_calls_)
                         : race_.words(learning.left(), call),
      learning
  );
  learn::Race::Own trial{
      .trial = seconds_before + seconds_since(trial_start),
      .exchange = seconds_since(exchange_start),
      .was_refused = was_refused,
      .refused_parts = refused_parts_,
  };
  learning.note_exchange(kind_.shape.num_ranks, trial.exchange);
  if (race_.wants_whole_exchange(agreed)) {
    trial.whole_exchange = time_whole_exchange(learning);
  }
  charge(race_.conclude(agreed, trial), learning);
  if (!race_.is_of_loop()) {
    double const waited = pace_.waited(
        trial.exchange - race_.price_of_exchange(), race_.standings().middle(race_.standing())
    );
    learning.charge(std::max(0.0, waited - race_.charged()));
  }
  if (race_.wants_words()) {
    agreed = exchange(race_.words(learning.left(), call), learning);
    charge(race_.finish(agreed), learning);
  }
  note_what_calls_save();
  if (race_.wants_candidates()) {
    admit(agreed.allowance, learning);
  } else if (race_.is_settled() && (!was_settled || race_.standing() != before)) {
    note(learning);
  }
}

/// Of a trial, with what it saved.
void Contest::charge(double lost, Learning& learning) noexcept {
  learning.charge(lost);
  learning.gain(race_.collect_saved());
  has_exchanged_ = true;
  kind_.exchange->note_left(race_.left());
}

/// Of the calls since those that were looked at, up to one of this number: a trial is not among
/// them. In stretches both sides take turns.
void Contest::credit(std::int64_t last, Learning& learning) noexcept {
  std::int64_t const calls = last - num_calls_credited_;
  if (calls > 0 && !race_.ends_stretch() && !race_.ends_sum() && !race_.ends_round()) {
    learning.gain(static_cast<double>(calls) * saved_);
  }
  num_calls_credited_ = num_calls();
}

/// What comes to the end of a race before its price is known has the price of others.
void Contest::pay_rest(Learning& learning) {
  learning.charge(race_.pay_rest(learning.usual_exchange(kind_.shape.num_ranks)));
}

/// Trials of this run know it better than those of earlier ones.
void Contest::note_what_calls_save() noexcept {
  double const native = race_.seconds(learn::Race::native);
  double const standing = race_.seconds(race_.standing());
  if (race_.standing() == learn::Race::native) {
    saved_ = 0;
  } else if (native > 0 && standing > 0) {
    saved_ = std::max(0.0, native - standing);
  }
}

/// Rank 0 says what is tried, as only one machine description and one clock may decide.
void Contest::admit(double allowance, Learning& learning) {
  std::string bytes;
  if (kind_.rank == 0) {
    bytes = propose(kind_, race_.seconds(learn::Race::native), learning).to_bytes();
  }
  Proposals const proposals =
      Proposals::from_bytes(mpi::broadcast(kind_.comm, std::move(bytes), 0));
  learning.charge(proposals.seconds);
  Trials const& trials = proposals.trials;
  add(trials.algorithms);
  if (trials.algorithms.empty()) {
    race_.give_up();
  } else if (proposals.is_fresh) {
    std::vector<double> predicted;
    for (std::size_t i = 1; i < trials.record.candidates.size(); ++i) {
      predicted.push_back(trials.record.candidates[i].predicted);
    }
    race_.enter(predicted);
  } else {
    num_calls_before_ = race_.num_calls();
    base_ = trials;
    pay_rest(learning);
    race_ = proposals.is_known ? learn::Race::taken(learn::Race::later)
                               : learn::Race::resumed(
                                     trials.record,
                                     {
                                         .allowance = allowance,
                                         .ranks_meet = ranks_meet(kind_.call),
                                         .ranks_run_ahead = ranks_run_ahead(kind_.call),
                                     }
                                 );
    tell_kind();
  }
}

void Contest::add(std::vector<std::string> const& algorithms) {
  for (std::string const& text : algorithms) {
    own_.push_back(profile::decision_named(kind_.call, text, "learning: tried or taken here"));
    decisions_.push_back(&own_.back());
  }
  algorithms_ = algorithms;
}

/// For other communicators of this kind and for later runs. What is only undecided is not noted.
void Contest::note(Learning& learning) const {
  constexpr int native = learn::Race::native;
  int const standing = race_.standing();
  bool const is_undecided =
      standing == native && race_.standings().leader() != native && !race_.is_slower_in_stretches();
  if (kind_.rank != 0 || is_undecided || race_.num_pairs() == 0) {
    return;
  }
  learning.note({
      .kind = kind_of_calls(),
      .algorithm = decisions_[static_cast<std::size_t>(standing)]->algorithm_text(),
      .native_seconds = race_.seconds(native),
      .seconds = race_.seconds(standing),
      .num_pairs = race_.num_pairs(),
  });
}

void Contest::leave(Learning& learning) {
  credit(num_calls(), learning);
  pay_rest(learning);
  bool const is_of_other = race_.is_settled() && race_.record().candidates.empty();
  if (kind_.rank != 0 || is_of_other) {
    return;
  }
  double const by_trials = race_.seconds(learn::Race::native);
  double const without_trials = base_.seconds > 0 ? base_.seconds : native_seconds_;
  Trials trials{
      .kind = kind_of_calls(),
      .num_calls = num_calls(),
      .seconds = by_trials > 0 ? by_trials : without_trials,
      .exchange_seconds = race_.price_of_exchange(),
      .record = race_.record(),
  };
  if (!trials.record.candidates.empty()) {
    trials.algorithms = algorithms_;
  }
  learning.note(since(trials, base_), kind_.bytes, *kind_.world_ranks);
}

std::size_t Contest::memory_bytes() const noexcept {
  return sizeof(*this) + own_.size() * sizeof(profile::Decision) + race_.memory_bytes();
}

}  // namespace espalier::plan
