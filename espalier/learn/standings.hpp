// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "espalier/learn/evidence.hpp"
#include "espalier/learn/record.hpp"

namespace espalier::learn {

/// By how much a model was found to be wrong: calls took so many times what it said, and so much
/// longer than that.
struct ErrorOfModel {
  double factor = 0;  ///< 0: nobody knows
  double seconds = 0;
};

/// The times of the candidates of a race, and what follows from them. Candidate 0 is the native
/// call. Times are seconds that all ranks agreed on; a round is one time of each candidate.
class Standings {
public:
  static constexpr int native = 0;
  /// How large a stake of Evidence has to be before another candidate is taken.
  static constexpr double stake_to_take = 20;
  /// The same of clear wins, which are one more chance to err.
  static constexpr double stake_to_take_clearly = 40;
  /// The same before one is given up.
  static constexpr double stake_to_give_up = 5;
  /// A candidate is not taken for less: what serves it has a price in every call.
  static constexpr double least_gain = 0.03;
  /// What takes so many seconds, one call or several, hardly differs from the next one.
  static constexpr double long_trial = 5e-3;

  /// Candidates 1, 2, ...
  /// @param predicted  seconds by a model, whose error is taken to be one factor for all
  void enter(std::span<double const> predicted);

  /// Goes on where another race was, whose candidates become those of this one.
  void resume(Record const& record);
  /// @param in_round  as of finish_round(), of the round that is not complete
  [[nodiscard]] Record record(std::span<double const> in_round) const;

  /// The times of two calls may differ because of their sizes: a win is never clear.
  void let_sizes_vary() noexcept { sizes_vary_ = true; }

  /// From now on a trial is a stretch of so many calls, and its time that of one of them.
  void let_trials_be_stretches(std::size_t num_calls) noexcept { calls_of_trial_ = num_calls; }

  /// Trials begin with a call that is not timed: the first round counts, too.
  void skip_warm_up() noexcept { num_rounds_here_ = std::max(num_rounds_here_, 1); }

  /// Who is slower than the leader stays in: it may turn out to be none.
  void spare_who_is_behind() noexcept { spares_who_is_behind_ = true; }

  /// What a model was found to be wrong by for calls like this one.
  void know_error_of_model(ErrorOfModel const& error) { known_error_ = error; }

  /// Rounds that are complete and count, also in earlier races.
  [[nodiscard]] int num_rounds() const noexcept { return num_rounds_; }

  [[nodiscard]] int num_candidates() const noexcept { return static_cast<int>(entries_.size()); }

  /// One more time, of a round or not.
  void note(int candidate, double seconds);
  /// The first round warms up (programs are generated, connections are made) and says nothing,
  /// unless calls take so long that this does not matter.
  /// @param seconds  of each candidate; 0 for those that did not run
  void finish_round(std::span<double const> seconds);

  /// Its times are of another kind than those that come.
  void forget_times(int candidate) { entry(candidate).times.clear(); }

  /// It does not fit, and is not run again.
  void refuse(int candidate) { entry(candidate).may_run = false; }

  /// Evidence starts anew, and the rival is in. Only the last times stay.
  void start_again(int rival);

  [[nodiscard]] bool may_run(int candidate) const { return entry(candidate).may_run; }

  /// It may run, and it has not lost.
  [[nodiscard]] bool is_in(int candidate) const {
    return entry(candidate).may_run && !entry(candidate).is_out;
  }

  /// The candidate with the smallest middle time of those that are in; native if all are out.
  [[nodiscard]] int leader() const;
  /// The candidate that is to run from now on; none if that is open.
  [[nodiscard]] std::optional<int> decision() const;

  /// Whether there is enough evidence, and the gain is large enough.
  [[nodiscard]] bool is_faster(int candidate) const;

  [[nodiscard]] std::size_t num_times(int candidate) const { return entry(candidate).times.size(); }

  /// How many times longer than predicted the candidates took that were timed here: the largest
  /// ratio; 0 if none was timed.
  [[nodiscard]] double measured_error_of_model() const;
  /// The smallest ratio, and the fewest seconds that a candidate took longer: calls of other sizes
  /// may have little in common with the slowest candidate.
  [[nodiscard]] ErrorOfModel least_error_of_model() const;

  /// Middle of the last times; 0 if there are none.
  [[nodiscard]] double middle(int candidate) const;
  /// What a candidate may take at worst, as far as one can tell. Of long calls a model is believed
  /// of which nobody knows how wrong it is: they take time for their bytes, and links are not
  /// slower than slow ones.
  [[nodiscard]] double worst(int candidate) const;

  /// The native call takes so long that a trial need not save time, and that what disturbs single
  /// calls is small beside it.
  [[nodiscard]] bool is_long() const;

  /// The native call takes so little that what ranks do beside it, and the exchange behind it, are
  /// not small beside it.
  [[nodiscard]] bool is_short() const;

  /// It took several times as long as the native call, so that one call at a time is enough.
  [[nodiscard]] bool looks_hopeless(int candidate) const;

  /// Of times of a candidate and the native call that were compared.
  [[nodiscard]] int most_pairs() const;

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  struct Entry {
    double predicted = 0;
    std::vector<double> times;
    Evidence against_native;
    Evidence against_leader;
    int num_bad_rounds = 0;
    bool is_out = false;  ///< has lost
    bool may_run = true;
  };

  [[nodiscard]] Entry& entry(int candidate) {
    return entries_[static_cast<std::size_t>(candidate)];
  }

  [[nodiscard]] Entry const& entry(int candidate) const {
    return entries_[static_cast<std::size_t>(candidate)];
  }

  /// The times of a round.
  /// @param leader_seconds  0: there is none to compare with
  void judge(int candidate, double seconds, double native_seconds, double leader_seconds);
  /// Who neither won more pairs than it lost nor takes less time hardly gains anything.
  [[nodiscard]] bool is_futile(int candidate) const;
  /// Its middle time is smaller by what a gain has to be at least.
  [[nodiscard]] bool takes_less(int candidate) const;
  [[nodiscard]] bool is_clearly_faster(int candidate) const;
  [[nodiscard]] double clear_factor() const noexcept;
  [[nodiscard]] double worst_by_model(Entry const& entry) const;
  [[nodiscard]] std::vector<ErrorOfModel> errors_of_model() const;
  std::vector<Entry> entries_{1};
  ErrorOfModel known_error_;
  bool sizes_vary_ = false;
  bool spares_who_is_behind_ = false;
  std::size_t calls_of_trial_ = 1;
  int num_rounds_ = 0;  ///< that counted, also in earlier races
  int num_rounds_here_ = 0;
};

}  // namespace espalier::learn
