// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "espalier/learn/exchange_cost.hpp"
#include "espalier/learn/standings.hpp"
#include "espalier/learn/stretches.hpp"

namespace espalier::learn {

/// Which of a few candidates serves one kind of call on one communicator best: a race [maron1994]
/// of the native call, which is candidate 0, with others, in the calls of the program itself.
///
///     call    1   2   3   4   5   6   7   8   9  10  11  12  ...
///     runs    0   0   0   0   0   0   1   2   1   2   0   2  ...  1  1  1  0  0  0  1  1  1  1
///     trial           x   x   x   x   x   x   x   x   x   x  ...        x        x
///             cold    baseline    round 1     round 2             1 is checked      1 is taken
///
/// Most calls only count. A trial is timed, and after it the ranks exchange six words, of which
/// each gets the smallest of all ranks. From these alone, and from the numbers of calls, all ranks
/// take the same decisions.
///
/// What a short call takes after an exchange is not what it takes in a loop, where ranks run ahead
/// of each other, or wait for processors that they share: 16 ranks on 2 processors made an
/// allgather in 0.21 ms in a loop and in 0.46 ms in trials, and another one, which sends more
/// messages in fewer steps, in 0.39 and 0.42 ms. If in each call every rank waits for all others,
/// no rank runs ahead by more than a call. So the trials of a round follow each other with nothing
/// between them, each of four calls after the first round, which warms up, and share one exchange.
/// Their times are those of a loop, so that a winner is not checked at once.
///
///     runs        0 1 2 | 0 0 0 0 1 1 1 1 2 2 2 2 | 1 1 1 1 2 2 2 2 0 0 0 0 |
///     exchange          x                         x                         x
///                 warms     round 1                   round 2
///
/// In other calls ranks may run ahead of each other: a gather of a few bytes took 0.04 ms in a
/// loop, and 0.34 ms in a trial, behind which all wait for the root. Where native calls follow each
/// other closely, trials are stretches of several calls, and what counts is the pace: the time of a
/// stretch without that of one call from end to end. Each has an exchange, as ranks that run ahead
/// into the next trial would take processors and links from this one.
///
///     runs        0 | 1 | 2 | 0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1 | 2 2 2 2 2 2 2 2 | 1 1 ...
///     exchange      x   x   x                 x                 x                 x
///                 warms       round 1                                               round 2
///
/// The time of a trial ends with the exchange, which no rank leaves before all have come to it. So
/// the smallest time of all ranks is that of the rank that came last: what others waited for it is
/// not in there, whatever the skew. For the same reason the smallest time of the exchange is what
/// it takes without waiting. Both are known only after it, so they are the words of the next one.
///
/// Before the winner stays, and at times later, it is checked against the native call by stretches
/// of calls with one exchange behind them, as ranks may run ahead of each other (Stretches). If the
/// loop is slower with it, the native call stays.
///
/// What trials lose to the candidate that runs otherwise, and what exchanges cost (ExchangeCost),
/// is charged to an allowance. A trial that might lose more than half of what is left is put off,
/// each time for twice as many calls.
class Race {
public:
  static constexpr int native = Standings::native;

  /// What to do with a call.
  struct Turn {
    int candidate = native;
    bool is_trial = false;
    bool begins_stretch = false;  ///< the time of the next trial begins with this call
    bool adds_up = false;         ///< the time of this call is part of that of a trial
    int part = 0;                 ///< of which of the trials that share an exchange
  };

  /// Trials that may share an exchange.
  static constexpr std::size_t most_parts = 8;
  using Parts = std::array<double, most_parts>;

  /// What ranks exchange after a trial: the smallest of all ranks counts. In seconds.
  struct Words {
    double trial = std::numeric_limits<double>::infinity();     ///< the last one before this
    double exchange = std::numeric_limits<double>::infinity();  ///< the part of it after the call
    double whole_exchange = std::numeric_limits<double>::infinity();  ///< as in Own
    double allowance = 0;                                             ///< left in this process
    double minus_call = 0;      ///< minus the seconds that this rank spent in the trial before this
    double minus_exchange = 0;  ///< minus those that it spent in the exchange behind the last one
    Parts parts = all_unknown();  ///< of the trials that share this exchange

    [[nodiscard]] static constexpr Parts all_unknown() noexcept {
      Parts parts{};
      parts.fill(std::numeric_limits<double>::infinity());
      return parts;
    }
  };

  /// What a trial was on this rank.
  struct Own {
    /// Seconds, with the exchange; of a stretch from its first call on, and of several calls that
    /// add up without what lies between them.
    double trial = 0;
    double exchange = 0;        ///< seconds
    double whole_exchange = 0;  ///< seconds; where wants_whole_exchange() asked for it
    /// The candidate turned out not to fit, and the native call was made. The same on all ranks.
    bool was_refused = false;
    std::bitset<most_parts> refused_parts;  ///< the same of trials that share an exchange
  };

  Race() = default;
  /// Calls before a candidate is checked that was taken already.
  static constexpr std::int64_t soon = 32;  ///< as a rule that somebody wrote
  /// As an earlier run found. By then a check costs a tenth of what the calls gained, as a rule.
  static constexpr std::int64_t later = 384;
  /// Candidate 1 is taken already, and is only checked.
  [[nodiscard]] static Race taken(std::int64_t calls_before_check);

  /// What a race that goes on has to know. The same on all ranks.
  struct Circumstances {
    double allowance = 0;           ///< that the first trial may spend
    ErrorOfModel error_of_model{};  ///< as Standings::know_error_of_model()
    bool ranks_meet = false;        ///< as let_ranks_meet() says
    bool ranks_run_ahead = true;    ///< not as let_nobody_run_ahead() says
    bool checks_winner = false;     ///< what won in single short calls; there are calls enough
    double price_of_exchange = 0;   ///< seconds, as an earlier run found
    /// Of what its calls take, that rounds of trials may lose until something is taken: a round
    /// begins with the call by which this share covers it.
    double share = std::numeric_limits<double>::infinity();
  };

  /// Goes on where another race was.
  /// @param record  with candidates. Where it is of a loop, the calls are taken to be one again.
  [[nodiscard]] static Race resumed(Record const& record, Circumstances const& circumstances);

  /// Kinds of calls that alternate in a program should have different seeds. The same on all ranks.
  void draw_by(std::uint32_t seed) noexcept { stretches_.draw_by(seed); }

  /// Calls of this kind are of any size. The same on all ranks.
  void let_sizes_vary() noexcept { standings_.let_sizes_vary(); }

  /// In each call every rank waits for all others. The same on all ranks.
  void let_ranks_meet() noexcept {
    ranks_meet_ = true;
    let_nobody_run_ahead();
  }

  /// In each call every rank waits for all others that have data, so that an exchange behind it
  /// stops hardly anybody. The same on all ranks.
  void let_nobody_run_ahead() noexcept { ranks_run_ahead_ = false; }

  /// No trial is made before this call of the race, and none that is planned begins before it.
  void begin_with_call(std::int64_t number) noexcept {
    std::int64_t const first = std::min(next_trial_, stretch_begin_);
    if (first >= number) {
      return;
    }
    next_trial_ += number - first;
    stretch_begin_ += stretch_begin_ == never ? 0 : number - first;
  }

  /// No candidates are tried before the calls took as long as the exchanges of a race cost, as in
  /// the problem of renting skis or buying them [karlin1988].
  void wait_until_worth_it() noexcept { waits_until_worth_it_ = true; }

  /// Of the call that comes next. A trial is followed by words() and conclude().
  [[nodiscard]] Turn next() noexcept {
    ++num_calls_;
    bool const is_trial = num_calls_ >= next_trial_;
    bool const is_in_stretch = num_calls_ >= stretch_begin_;
    Turn turn{
        .candidate = is_trial || is_in_stretch ? planned_.candidate : standing_,
        .is_trial = is_trial,
        .begins_stretch = num_calls_ == stretch_begin_,
    };
    if (is_in_stretch && planned_.form != Form::stretch) {
      set_part(turn);
    }
    return turn;
  }

  /// Counts the call that comes next if it only counts and runs standing(). Otherwise nothing
  /// happens, and next() tells what to do with it.
  [[nodiscard]] bool pass() noexcept {
    bool const only_counts = num_calls_ + 1 < std::min(next_trial_, stretch_begin_);
    num_calls_ += only_counts ? 1 : 0;
    return only_counts;
  }

  /// The trial that next() told of ends a stretch: its time began with Turn::begins_stretch.
  [[nodiscard]] bool ends_stretch() const noexcept { return planned_.form == Form::stretch; }

  /// It is the last one of several calls whose times add up.
  [[nodiscard]] bool ends_sum() const noexcept { return planned_.form == Form::calls; }

  /// It is the last one of several trials that share an exchange (Turn::part).
  [[nodiscard]] bool ends_round() const noexcept { return planned_.form == Form::round; }

  /// @param allowance  left in this process
  /// @param call  seconds that the call took on this rank
  /// @param parts  seconds of the trials that share this exchange, if ends_round()
  [[nodiscard]] Words
  words(double allowance, double call, Parts const& parts = Words::all_unknown()) const noexcept;

  /// After the exchange of words and before conclude(): one more exchange is to be timed, which all
  /// ranks begin when they leave the first one. Where a race costs more than is left, it is not.
  [[nodiscard]] bool wants_whole_exchange(Words const& agreed) const noexcept {
    return exchange_cost_.wants_whole(
        agreed.exchange, agreed.allowance / usual_exchanges(ranks_meet_)
    );
  }

  /// @param agreed  the smallest words of all ranks
  /// @return seconds to charge to the allowance; below 0 if the last ones were too many.
  double conclude(Words const& agreed, Own const& own);

  /// Since the last time: seconds that candidates took less in trials of long calls than what runs
  /// anyway. Times of other calls vary too much to be added up.
  [[nodiscard]] double collect_saved() noexcept { return std::exchange(saved_, 0); }

  /// Of the allowance, after the last conclude() or finish(): with a part of what was saved.
  [[nodiscard]] double left() const noexcept { return left_; }

  /// For its trials the ranks agreed on something, which costs as much as an exchange.
  void count_agreement() noexcept { exchange_cost_.count(false); }

  /// Nothing follows any more.
  /// @param usual  as of ExchangeCost::pay_rest()
  /// @return seconds to charge to the allowance.
  [[nodiscard]] double pay_rest(double usual) noexcept { return exchange_cost_.pay_rest(usual); }

  /// Where nothing is left for trials on a communicator, a first trial that begins with the next
  /// call is put off until there were eight times as many calls. The same on all ranks.
  /// @return whether it was
  bool put_off_first_trial() noexcept {
    constexpr std::int64_t times_as_many = 8;
    bool const begins = last_exchange_ == 0 && num_calls_ < stretch_begin_ &&
                        num_calls_ + 1 >= std::min(next_trial_, stretch_begin_);
    if (begins) {
      begin_with_call(times_as_many * (num_calls_ + 1));
    }
    return begins;
  }

  /// After conclude(): the words of this trial are to be exchanged now rather than with the next
  /// one, and given to finish(). The call takes long, so that this costs nothing, and there may be
  /// no other call of this kind; or there is something to decide by them: it was a stretch, or
  /// nobody knows what the call takes, and what the exchange may have stopped is much of what is
  /// left.
  [[nodiscard]] bool wants_words() const noexcept {
    bool const is_long = stage_ == Stage::racing && last_.counts && standings_.is_long();
    return has_last_ && (decides_with_words() || is_long);
  }

  /// @return as conclude().
  double finish(Words const& agreed);

  /// After conclude(): enter() or give_up() comes before next().
  [[nodiscard]] bool wants_candidates() const noexcept { return stage_ == Stage::prepared; }

  /// Candidates 1, 2, ... The same on all ranks.
  /// @param predicted  as in Standings::enter(), not empty
  void enter(std::span<double const> predicted);
  /// As if all candidates had lost.
  void give_up() noexcept;

  /// What runs when nothing is tried.
  [[nodiscard]] int standing() const noexcept { return standing_; }

  /// It is decided what runs, and a winner was checked at least once.
  [[nodiscard]] bool is_settled() const noexcept {
    bool const is_decided =
        stage_ == Stage::settled || stage_ == Stage::checking || stage_ == Stage::pacing;
    return is_decided && !is_unchecked_;
  }

  /// What was faster in trials made the loop slower, so that the native call stays.
  [[nodiscard]] bool is_slower_in_stretches() const noexcept { return is_slower_in_stretches_; }

  [[nodiscard]] Standings const& standings() const noexcept { return standings_; }

  /// What another race can go on with; of one that is decided, what it was decided by. No
  /// candidates if nothing was tried.
  [[nodiscard]] Record record() const;

  [[nodiscard]] std::int64_t num_calls() const noexcept { return num_calls_; }

  /// Calls follow each other closely, and ranks run ahead of each other. What an exchange stops is
  /// in its price then; how long a rank waits that is ahead says nothing of what the loop loses.
  [[nodiscard]] bool is_of_loop() const noexcept { return loop_ == Loop::close; }

  /// Seconds that one more exchange costs, with what the program loses by it beside what it stops
  /// of this call; 0 if there was none.
  [[nodiscard]] double price_of_exchange() const {
    return exchange_cost_.price() + stopped() + lost_for_others();
  }

  /// Where ranks run ahead of each other, an exchange stops them, and so much of what a call takes
  /// from end to end is lost.
  static constexpr double part_stopped = 0.25;

  /// Seconds charged for what the last exchange may have stopped, until the time of the trial
  /// before it is known.
  [[nodiscard]] double charged() const noexcept { return charged_; }

  /// So many exchanges a race has until most are decided.
  [[nodiscard]] static constexpr double usual_exchanges(bool ranks_meet) noexcept {
    return ranks_meet ? 12 : 24;
  }

  /// Middle time of a candidate in seconds, without the exchange; 0 if it was never timed.
  [[nodiscard]] double seconds(int candidate) const;

  /// Of times that were compared when what runs was found.
  [[nodiscard]] int num_pairs() const noexcept { return num_pairs_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  /// Of what the first rank waits in an exchange for other messages of the program, so much is
  /// lost: CP2K, which broadcasts 8 B and then 256 KiB again and again, lost 0.6.
  static constexpr double part_of_others = 0.5;

  /// Checking is what comes before pacing where calls between trials lie behind: a trial of each.
  enum class Stage : std::uint8_t { baseline, prepared, racing, settled, checking, pacing };

  enum class Form : std::uint8_t {
    call,
    calls,  ///< whose times add up
    round,  ///< trials of several candidates, with one exchange
    stretch,
  };

  struct Trial {
    int candidate = native;
    bool counts = false;  ///< for the round; otherwise only the allowance is looked at
    Form form = Form::call;
    std::size_t num_calls = 1;       ///< that add up, of a stretch, or of each trial of a round
    bool is_after_exchange = false;  ///< no rank was ahead of another when it began
  };

  /// Whether calls in which ranks may run ahead of each other follow each other closely.
  enum class Loop : std::uint8_t { unknown, none, close };

  /// Its time is needed before anything else is planned: that of a stretch that is a look at the
  /// native call or part of a check, or of a call alone that is compared with the first stretch.
  [[nodiscard]] bool is_needed_at_once(Trial const& trial) const noexcept {
    bool const is_before_pace =
        stage_ == Stage::baseline && !ranks_meet_ && loop_ == Loop::unknown && is_primed_;
    return !trial.counts && (trial.form == Form::stretch || is_before_pace);
  }

  [[nodiscard]] bool decides_with_words() const noexcept {
    return is_needed_at_once(last_) || is_charge_unsure_;
  }

  void set_part(Turn& turn) const noexcept;
  [[nodiscard]] double one_call(int candidate) const;
  [[nodiscard]] double stopped() const;

  [[nodiscard]] bool may_run_ahead() const noexcept {
    return ranks_run_ahead_ && loop_ != Loop::close;
  }

  [[nodiscard]] double stopped_behind(double seconds) const;
  [[nodiscard]] double take_wait(Words const& agreed, double call);

  /// Seconds that the next exchange is expected to lose for other messages of the program.
  [[nodiscard]] double lost_for_others() const noexcept {
    return part_of_others * waited_for_others_;
  }

  [[nodiscard]] double stopped_now() const;
  [[nodiscard]] double stopped_by_look() const;
  [[nodiscard]] double usual_call() const;

  [[nodiscard]] bool waits_for_share(double allowance);
  [[nodiscard]] double loss_of_round(double allowance) const;
  [[nodiscard]] double expected_excess(int candidate) const;
  [[nodiscard]] bool is_resting(int candidate) const;
  [[nodiscard]] bool takes_part(int candidate, double allowance) const;
  [[nodiscard]] Record evidence_so_far() const;
  [[nodiscard]] double pay(Words const& agreed, bool is_followed);
  [[nodiscard]] double take(Words const& agreed);
  void refuse(int candidate);
  void plan(double allowance);
  [[nodiscard]] bool wants_first_pace() const;
  void plan_first_pace();
  void plan_after_baseline();
  void plan_next_of_round(double allowance);
  [[nodiscard]] bool may_share_exchange() const;
  [[nodiscard]] bool plan_round(double allowance);
  void plan_pace(int candidate, std::int64_t first_call, std::size_t num_calls, bool counts);
  [[nodiscard]] double take_round(Words const& agreed, Own const& own);
  [[nodiscard]] double take_pace(double seconds);
  void take_first_pace(double pace);
  void try_by_stretches(std::size_t num_calls) noexcept;
  void take_one_call(int candidate, double seconds);
  [[nodiscard]] double take_time(int candidate, double seconds, std::size_t num_calls);
  void begin_round();
  void go_on_with_round(Record const& record);
  void finish_round();
  [[nodiscard]] bool needs_check() const;
  void begin_first_check();
  void decide(int candidate);
  void plan_stretch(double allowance);
  [[nodiscard]] double note_stretch(double seconds);
  [[nodiscard]] int fitting_length(double allowance) const;
  [[nodiscard]] double slower_by_trials(int candidate) const;

  /// As price_of_exchange(), in this run or an earlier one, with all that an exchange stops.
  [[nodiscard]] double known_price() const {
    return std::max(price_before_, price_of_exchange()) + stopped_by_look();
  }

  [[nodiscard]] double reserve() const;
  [[nodiscard]] double risk_of_stretch(int candidate) const;
  [[nodiscard]] bool is_check_over() const;
  [[nodiscard]] int lead_of_standing() const;
  [[nodiscard]] double stake_against_standing() const;
  void finish_check();
  void end_check_unpaid();
  void change_sides();
  void look_later(double allowance);
  [[nodiscard]] std::int64_t calls_until_look_is_cheap() const;
  void look_at_native(std::int64_t first_call);
  void settle(int candidate);
  void check_later();
  [[nodiscard]] double risk(int candidate) const;
  [[nodiscard]] double excess(int candidate) const;
  [[nodiscard]] double worst_of(int candidate) const;
  [[nodiscard]] double worst_pace(int candidate) const;
  [[nodiscard]] bool wants_pace() const;
  [[nodiscard]] bool is_affordable(int candidate, double allowance) const;
  void prefer_affordable(double allowance);
  void plan_trial_of(int candidate);
  [[nodiscard]] bool is_left_out(int candidate, double allowance) const;
  [[nodiscard]] bool is_nothing_affordable(double allowance) const;

  Stage stage_ = Stage::baseline;
  std::int64_t num_calls_ = 0;
  std::int64_t next_trial_ = 3;
  std::int64_t stretch_begin_ = never;  ///< the first call of the stretch that is planned
  std::int64_t pause_ = 1;              ///< calls until the next look at the allowance
  std::int64_t patience_ = 8;           ///< calls until the next check
  int standing_ = native;
  int rival_ = native;   ///< who is checked against the native call
  Stretches stretches_;  ///< of the rival and the native call
  int length_of_stretch_ = Stretches::usual_length;
  bool waits_until_worth_it_ = false;
  bool ranks_meet_ = false;
  bool ranks_run_ahead_ = true;
  Loop loop_ = Loop::unknown;
  std::size_t calls_of_pace_ = Stretches::usual_length;  ///< of stretches, where a loop is close
  double left_ = 0;                       ///< of the allowance, as the last exchange said
  double share_ = Circumstances{}.share;  ///< as of Circumstances
  double price_before_ = 0;               ///< of an exchange, the same
  double charged_ = 0;             ///< seconds, for the trial whose time comes with the next words
  bool is_charge_unsure_ = false;  ///< it may be far too much
  double longest_call_ = 0;        ///< seconds, of the last trial, on the rank it took longest
  /// Seconds that the first rank has lately waited in an exchange beyond what the call takes.
  double waited_for_others_ = 0;
  double lost_ = 0;          ///< seconds, by all trials and exchanges of this race
  double saved_ = 0;         ///< as of collect_saved()
  bool has_waited_ = false;  ///< for its share, and what comes next is covered
  bool is_primed_ = false;   ///< the first trial was made, whose time says nothing
  bool is_slower_in_stretches_ = false;
  bool is_unchecked_ = false;  ///< the winner of this race, so far
  Trial planned_;
  std::int64_t last_exchange_ = 0;  ///< the call before it; at first all ranks are as behind one
  Trial last_;
  bool has_last_ = false;                           ///< the time of last_ comes with the next words
  bool has_exchange_ = false;                       ///< that of the last exchange does
  Own own_;                                         ///< of the last exchange
  double whole_exchange_ = Words{}.whole_exchange;  ///< for the next words

  std::vector<int> order_;       ///< of the round
  std::size_t position_ = 0;     ///< of the next trial in order_
  std::vector<double> seconds_;  ///< of each candidate in the round
  /// Seconds of each candidate from end to end, where a loop is close; 0: not timed yet.
  std::vector<double> one_calls_;
  bool is_round_over_ = false;  ///< but for the time of last_
  bool is_warm_ = false;        ///< a round was made
  std::vector<int> round_;      ///< the candidates of trials that share an exchange
  int num_pairs_ = 0;

  ExchangeCost exchange_cost_;
  Standings standings_;
  Record outcome_;  ///< what the race ended with
};

}  // namespace espalier::learn
