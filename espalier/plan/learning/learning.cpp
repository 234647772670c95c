// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/learning.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>

#include "espalier/learn/memory_trials.hpp"
#include "espalier/learn/standings.hpp"
#include "espalier/machine/sources/interconnect.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/plan/learning/contest_key.hpp"
#include "espalier/plan/learning/coverage.hpp"
#include "espalier/plan/world.hpp"

namespace espalier::plan {
namespace {

using Candidate = learn::Record::Candidate;

/// The model may take so long to find candidates for one kind of calls, and longer if one such call
/// takes much longer than that.
constexpr auto usual_search = search_limit(std::chrono::milliseconds{5});
constexpr auto longest_search = search_limit(std::chrono::milliseconds{20});
constexpr double share_of_call = 0.1;

std::chrono::steady_clock::duration longest_search_for(double native_seconds) {
  std::chrono::duration<double> const share(share_of_call * native_seconds);
  return std::clamp(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(share),
      std::chrono::steady_clock::duration(usual_search),
      std::chrono::steady_clock::duration(longest_search)
  );
}

/// Of the kinds that were seen in earlier runs, those that do not get a turn early begin here.
constexpr std::int64_t late_call = 1000;
/// A kind that was never seen begins with the first of these calls if they carry much data. Most
/// programs make calls with little data that do not matter, and trials of them cost most.
constexpr std::int64_t first_call_with_much_data = 3;
constexpr std::int64_t first_call_with_little_data = 24;
/// Of the seconds of an exchange, where nobody measured one.
constexpr double usual_exchange = 1e-4;

/// Of what the calls of a kind take that an earlier run has tried candidates for, so much may be
/// lost, or as much as somebody allows the whole program. The first run of a kind looks for what
/// gains much; later ones are not to be slower for it.
constexpr double least_share_of_later_runs = 0.05;

/// With fewer, a check of a winner by stretches comes to no end, and calls are hardly those of a
/// loop.
constexpr std::int64_t calls_of_a_check = 64;

/// Rounds until most races are decided.
constexpr int usual_rounds = 8;

double seconds_of_exchange(Trials const& trials) {
  return trials.exchange_seconds > 0 ? trials.exchange_seconds : usual_exchange;
}

/// What trials of a kind cost in a run that makes as many calls as the last one.
/// @param share  of later runs
double cost_of_trials(Trials const& trials, double share) {
  constexpr std::int64_t candidates_at_first = 4;
  std::int64_t const num_candidates =
      trials.record.candidates.empty() ? candidates_at_first : std::ssize(trials.record.candidates);
  std::int64_t const most = num_candidates * std::max(1, usual_rounds - trials.record.num_rounds);
  double const cost =
      static_cast<double>(std::min(trials.num_calls, most)) * seconds_of_exchange(trials);
  bool const is_first = trials.record.candidates.empty();
  return is_first ? cost : std::min(cost, share * trials.stake());
}

/// A kind that nothing was tried for is left alone unless a run spends twice as much time in its
/// calls as a race costs: already the looks at the native call may lose more than there is to gain.
bool is_worth_a_race(Trials const& trials) {
  double const cost =
      learn::Race::usual_exchanges(ranks_meet(trials.kind.call)) * seconds_of_exchange(trials);
  return !trials.record.candidates.empty() || trials.stake() >= 2 * cost;
}

learn::ErrorOfModel error_of_model_in(Trials const& trials) {
  learn::Standings standings;
  standings.resume(trials.record);
  return standings.least_error_of_model();
}

/// What a run saves that makes as many calls as the last one, by a candidate that is taken.
double seconds_saved(Trials const& trials) {
  if (trials.record.candidates.empty()) {
    return 0;
  }
  learn::Standings standings;
  standings.resume(trials.record);
  auto const leader = static_cast<std::size_t>(standings.leader());
  std::vector<Candidate> const& known = trials.record.candidates;
  return static_cast<double>(trials.num_calls) *
         std::max(0.0, known.front().seconds - known[leader].seconds);
}

/// From the sizes of one kind to those of the other.
double num_doublings(KindOfCalls const& from, KindOfCalls const& to) {
  return std::log2(static_cast<double>(to.min_bytes + 1)) -
         std::log2(static_cast<double>(from.min_bytes + 1));
}

/// As if each rank had a processor of its own.
machine::Occupancy of_fullest_node(std::span<int const> node_of_rank) {
  std::map<int, int> num_ranks;
  int most = 1;
  for (int const node : node_of_rank) {
    most = std::max(most, ++num_ranks[node]);
  }
  return {.num_ranks = most, .num_processors = most};
}

}  // namespace

Learning::Learning(
    Settings const& settings, std::span<int const> node_of_rank, machine::Occupancy const& occupancy
)
    : allowance_(settings.learning->seconds, settings.learning->share),
      seconds_at_least_(allowance_.bound(0)),
      share_of_later_runs_(std::max(settings.learning->share, least_share_of_later_runs)),
      node_of_rank_(node_of_rank), machine_(settings.machine), node_memory_(settings.node_memory),
      occupancy_(occupancy.num_processors > 0 ? occupancy : of_fullest_node(node_of_rank)) {
  for (Trials const& trials : settings.trials) {
    earlier_[trials.kind] = trials;
  }
  constexpr double share_of_started = 0.5;
  started_ = StartedKinds(
      earlier_,
      settings,
      {.seconds = share_of_started * allowance_.bound(0), .share = share_of_later_runs_}
  );
  allowance_.reserve(started_.cost());
  plan_turns(settings);
}

/// What is most at stake comes first, as far as the allowance goes, with what it gains by kinds
/// that have a rule: they are decided.
void Learning::plan_turns(Settings const& settings) {
  std::vector<Trials const*> sorted;
  double left = allowance_.left(0);
  for (auto const& known : earlier_) {
    KindOfCalls const& kind = known.first;
    Trials const& trials = known.second;
    if (kind.is_started()) {
      continue;
    }
    turns_[kind] = {.first_call = late_call};
    auto const has_rule = [&](std::optional<profile::Profile> const& rules) {
      return rules && covers(*rules, kind);
    };
    if (has_rule(settings.profile) || has_rule(settings.memory) || has_rule(settings.site)) {
      left += learn::Allowance::share_of_gains * seconds_saved(trials);
    } else if (is_worth_a_race(trials)) {
      sorted.push_back(&trials);
    }
  }
  std::ranges::stable_sort(sorted, std::greater<>(), [](Trials const* one) {
    return one->stake();
  });
  for (Trials const* const trials : sorted) {
    left -= cost_of_trials(*trials, share_of_later_runs_);
    bool const is_early = left > 0 || trials == sorted.front();  // one kind goes on in each run
    turns_[trials->kind] = {
        .allowance = std::max(left, 0.0), .first_call = is_early ? 1 : late_call
    };
  }
}

std::vector<double> Learning::end_started() {
  charge(started_.lost());
  return started_.seconds();
}

void Learning::note_started(std::span<double const> seconds) {
  StartedKinds::Found const found = started_.found(seconds);
  for (Trials const& trials : found.trials) {
    note(trials, trials.kind.min_bytes, {});
  }
  for (Lesson const& lesson : found.lessons) {
    note(lesson);
  }
}

Learning::Start Learning::start(KindOfCalls const& kind) const {
  Start start;
  auto const found = earlier_.find(kind);
  bool const is_known = found != earlier_.end();
  if (!is_known || found->second.record.candidates.empty()) {
    start.race.begin_with_call(
        carries_much_data(kind) ? first_call_with_much_data : first_call_with_little_data
    );
    start.race.wait_until_worth_it();
  }
  if (!is_known) {
    return start;
  }
  start.trials = &found->second;
  Turn const& turn = turns_.at(kind);
  if (!found->second.record.candidates.empty()) {
    start.race = learn::Race::resumed(
        found->second.record,
        {
            .allowance = turn.allowance,
            .error_of_model = error_of_model(kind),
            .ranks_meet = ranks_meet(kind.call),
            .ranks_run_ahead = ranks_run_ahead(kind.call),
            .checks_winner = found->second.num_calls >= calls_of_a_check,
            .price_of_exchange = seconds_of_exchange(found->second),
            .share = share_of_later_runs_,
        }
    );
  }
  start.race.begin_with_call(turn.first_call);
  return start;
}

double Learning::saved(KindOfCalls const& kind, std::string const& algorithm) const {
  auto const found = earlier_.find(kind);
  if (found == earlier_.end()) {
    return 0;
  }
  Trials const& trials = found->second;
  auto const place = std::ranges::find(trials.algorithms, algorithm) - trials.algorithms.begin();
  auto const candidate = static_cast<std::size_t>(place) + 1;
  std::vector<Candidate> const& known = trials.record.candidates;
  if (candidate >= known.size() || known[candidate].seconds <= 0) {
    return 0;
  }
  return std::max(0.0, known.front().seconds - known[candidate].seconds);
}

/// Of the kind that is nearest in size, of those that were timed; rather of the same function. What
/// calls of a few bytes take longer than predicted is no matter of their bytes: much larger calls
/// take as many seconds longer, not as many times.
learn::ErrorOfModel Learning::error_of_model(KindOfCalls const& kind) const {
  constexpr double of_other_function = 5;  // as far as sizes of a ratio of 32
  constexpr double much_larger = 6;        // a ratio of 64
  learn::ErrorOfModel error;
  double least = std::numeric_limits<double>::infinity();
  for (auto const& [other, trials] : earlier_) {
    if (other.shape != kind.shape || other.is_started()) {
      continue;
    }
    learn::ErrorOfModel const found = error_of_model_in(trials);
    double const doublings = num_doublings(other, kind);
    double const distance = std::abs(doublings) + (other.call == kind.call ? 0 : of_other_function);
    if (found.factor > 0 && distance < least) {
      least = distance;
      error = doublings > much_larger ? learn::ErrorOfModel{.factor = 1, .seconds = found.seconds}
                                      : learn::ErrorOfModel{.factor = found.factor};
    }
  }
  return error;
}

std::vector<learn::Proposal>
Learning::propose(KindOfCalls const& kind, Example const& call, int most, Search search) {
  learn::Place place = place_of(kind.shape.num_ranks, call.world_ranks);
  place.native_seconds = call.native_seconds;
  auto proposals = learn::shortlist(
      kind.call,
      static_cast<double>(call.bytes),
      place,
      most,
      search == Search::thorough ? longest_search : longest_search_for(call.native_seconds),
      favourites_of(kind),
      &repertoires_
  );
  note_proposed(kind, proposals);
  if (kind.is_started()) {
    std::erase_if(proposals, [&](learn::Proposal const& proposal) {
      return !profile::refuses(kind.call_form(), proposal.choice, kind.shape.num_ranks, 0).empty();
    });
    return proposals;
  }
  if (!shares_memory_) {
    return proposals;
  }
  bool const only = node_memory_ == NodeMemory::on;
  return learn::with_shared_memory(proposals, place.node_of_rank, only);
}

Learning::Outlook Learning::outlook(int num_ranks) {
  learn::Place const place = place_of(num_ranks, {});
  machine::Link const& between = place.between_nodes_if_slow.value_or(place.between_nodes);
  return {
      .gains_by_memory = learn::may_gain_by_memory(place) ? 1.0 : 0.0,
      .seconds_per_byte = between.per_byte,
  };
}

/// What calls gained differs from rank to rank, and does not count here.
///
/// The data take a link as often as in a binomial tree. Calls of a kind have up to twice as many
/// bytes as the smallest ones.
bool Learning::are_looks_dear(KindOfCalls const& kind) const noexcept {
  constexpr double large_part = 0.25;
  if (kind.shape.num_nodes < 2 || !ranks_run_ahead(kind.call)) {
    return false;
  }
  double const steps = std::log2(static_cast<double>(kind.shape.num_ranks));
  double const call = steps * 2 * static_cast<double>(kind.min_bytes) * outlook_.seconds_per_byte;
  return learn::Race::part_stopped * call > large_part * seconds_at_least_;
}

void Learning::note_proposed(KindOfCalls const& kind, std::vector<learn::Proposal> const& what) {
  std::vector<std::string> texts;
  texts.reserve(what.size());
  for (learn::Proposal const& one : what) {
    texts.push_back(one.choice.text());
  }
  std::lock_guard const lock(mutex_);
  proposed_[kind] = std::move(texts);
}

/// What was proposed for calls of the nearest sizes.
std::vector<algorithms::Choice> Learning::favourites_of(KindOfCalls const& kind) const {
  constexpr std::size_t most_favourites = 4;
  std::multimap<double, std::string> nearest;
  auto const add = [&](KindOfCalls const& other, std::vector<std::string> const& algorithms) {
    if (other.call == kind.call && other.shape == kind.shape) {
      double const distance = std::abs(num_doublings(other, kind));
      for (std::string const& one : algorithms) {
        nearest.emplace(distance, one);
      }
    }
  };
  for (auto const& [other, trials] : earlier_) {
    add(other, trials.algorithms);
  }
  std::lock_guard const lock(mutex_);
  for (auto const& [other, algorithms] : proposed_) {
    add(other, algorithms);
  }
  std::vector<algorithms::Choice> favourites;
  for (auto const& [distance, text] : nearest) {
    if (favourites.size() == most_favourites) {
      break;
    }
    auto choice = algorithms::Choice::parse(text);
    if (std::ranges::find(favourites, choice) == favourites.end()) {
      favourites.push_back(std::move(choice));
    }
  }
  return favourites;
}

learn::Place Learning::place_of(int num_ranks, std::vector<int> const& world_ranks) {
  learn::Place place;
  place.node_of_rank = nodes_of(node_of_rank_, world_ranks, num_ranks);
  neighborhood::Links const found = links();
  place.between_nodes = found.across;
  place.within_node = found.inside;
  place.between_nodes_if_slow = between_nodes_if_slow_;
  place.ranks_per_processor = ranks_per_processor();
  return place;
}

neighborhood::Links Learning::links() {
  std::lock_guard const lock(mutex_);
  if (!has_links_) {
    find_links();
    has_links_ = true;
  }
  return {.across = between_nodes_, .inside = within_node_};
}

/// Of the described machine; what it does not say, or if none is, what is usual for such parts.
void Learning::find_links() {
  if (!machine_.text.empty()) {
    machine::Machine const described = machine::read(machine_.text, machine_.origin);
    between_nodes_ = described.link(described.node_level());
    within_node_ = described.link(described.num_levels() - 1);
  }
  if (between_nodes_ == machine::Link{}) {
    machine::Interconnect const found = machine::find_interconnect();
    between_nodes_ = machine::stock_link(found);
    between_nodes_if_slow_ = machine::stock_link_if_slow(found);
  }
  if (within_node_ == machine::Link{}) {
    within_node_ = machine::stock_link_within_node(occupancy_.num_ranks, occupancy_.num_processors);
  }
}

double Learning::ranks_per_processor() const noexcept {
  return std::max(1.0, static_cast<double>(occupancy_.num_ranks) / occupancy_.num_processors);
}

int Learning::count_contest(std::vector<int> const& world_ranks, KindOfCalls const& kind) {
  if (!have_order_) {
    return 0;
  }
  std::lock_guard const lock(mutex_);
  int& number = num_contests_[contest_key(world_ranks, kind)];
  return number < std::numeric_limits<int>::max() ? number++ : number;
}

void Learning::note_exchange(int num_ranks, double seconds) {
  std::lock_guard const lock(mutex_);
  auto const [found, is_new] = exchange_seconds_.try_emplace(num_ranks, seconds);
  if (!is_new) {
    found->second = std::min(found->second, seconds);
  }
}

double Learning::usual_exchange(int num_ranks) const {
  std::lock_guard const lock(mutex_);
  auto const found = exchange_seconds_.find(num_ranks);
  return found == exchange_seconds_.end() ? 0 : found->second;
}

LearningReport Learning::report() const {
  LearningReport report{
      .lost_seconds = allowance_.spent(),
      .bound_seconds = allowance_.bound(elapsed()),
      .saved_seconds = allowance_.gained(),
  };
  std::lock_guard const lock(mutex_);
  for (auto const& [kind, lesson] : lessons_) {
    ++(lesson.algorithm == "native" ? report.num_native : report.num_faster);
  }
  return report;
}

void Learning::note(Lesson lesson) {
  std::lock_guard const lock(mutex_);
  KindOfCalls const kind = lesson.kind;
  lessons_[kind] = std::move(lesson);
}

void Learning::note(Trials const& more, std::int64_t bytes, std::vector<int> const& world_ranks) {
  std::lock_guard const lock(mutex_);
  auto const [found, is_new] = noted_.try_emplace(
      more.kind, Noted{.trials = more, .world_ranks = world_ranks, .bytes = bytes}
  );
  if (!is_new) {
    found->second.trials = joined(found->second.trials, more, true);
  }
}

std::optional<Lesson> Learning::lesson(KindOfCalls const& kind) const {
  std::lock_guard const lock(mutex_);
  auto const found = lessons_.find(kind);
  return found == lessons_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Trials> Learning::trials(KindOfCalls const& kind) const {
  std::lock_guard const lock(mutex_);
  auto const before = earlier_.find(kind);
  auto const now = noted_.find(kind);
  if (now == noted_.end()) {
    return before == earlier_.end() ? std::nullopt : std::optional(before->second);
  }
  return before == earlier_.end() ? now->second.trials
                                  : joined(before->second, now->second.trials, true);
}

Learned Learning::learned() const {
  std::lock_guard const lock(mutex_);
  Learned learned{.saved_seconds = allowance_.gained()};
  for (auto const& [kind, lesson] : lessons_) {
    learned.lessons.push_back(lesson);
  }
  for (auto const& [kind, noted] : noted_) {
    learned.trials.push_back(noted.trials);
  }
  return learned;
}

}  // namespace espalier::plan
