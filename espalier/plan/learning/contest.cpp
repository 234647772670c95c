// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/contest.hpp"

#include <array>
#include <chrono>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/mpi/broadcast.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::plan {
namespace {

double seconds_since(Clock::time_point start) noexcept {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What rank 0 says of the candidates.
struct Proposals {
  std::vector<std::string> choices;
  std::vector<double> predicted;
  bool is_known = false;  ///< the only choice was found before, on such a communicator
  double seconds = 0;     ///< that it took to find them

  [[nodiscard]] std::string to_bytes() const {
    std::string bytes;
    nlohmann::json::to_cbor({choices, predicted, is_known, seconds}, bytes);
    return bytes;
  }

  static Proposals from_bytes(std::string const& bytes) {
    nlohmann::json const list = nlohmann::json::from_cbor(bytes);
    return {
        .choices = list.at(0).get<std::vector<std::string>>(),
        .predicted = list.at(1).get<std::vector<double>>(),
        .is_known = list.at(2).get<bool>(),
        .seconds = list.at(3).get<double>(),
    };
  }
};

Proposals propose(Contest::Kind const& kind, Learning& learning) {
  Clock::time_point const start = Clock::now();
  Proposals proposals;
  if (auto const lesson = learning.lesson(kind.call, kind.shape, kind.bytes)) {
    proposals.is_known = true;
    if (lesson->algorithm != "native") {
      proposals.choices.push_back(lesson->algorithm);
      proposals.predicted.push_back(lesson->seconds);
    }
  } else {
    for (learn::Proposal const& proposal : learning.propose(
             kind.call, kind.shape, static_cast<double>(kind.bytes), *kind.world_ranks
         )) {
      proposals.choices.push_back(proposal.choice.text());
      proposals.predicted.push_back(proposal.seconds);
    }
  }
  proposals.seconds = seconds_since(start);
  return proposals;
}

}  // namespace

Contest::Contest(Kind const& kind, profile::Decision const& decision) : kind_(kind) {
  if (!decision.choice) {
    decisions_.push_back(&decision);
    return;
  }
  race_ = learn::Race::taken();
  own_.push_back({.reason = "learning: the native call, to check the rule for this call"});
  decisions_ = {&own_.back(), &decision};
}

void Contest::conclude(Clock::time_point start, bool was_refused, Learning& learning) {
  learn::Race::Words const own = race_.words(learning.left());
  std::array<double, 3> words{own.trial, own.exchange, own.allowance};
  bool const was_settled = race_.is_settled();
  int const before = race_.standing();
  Clock::time_point const exchange_start = Clock::now();
  mpi::require_success(
      PMPI_Allreduce(
          MPI_IN_PLACE,
          words.data(),
          static_cast<int>(words.size()),
          MPI_DOUBLE,
          MPI_MIN,
          kind_.comm
      ),
      "MPI_Allreduce"
  );
  learn::Race::Own const trial{
      .trial = seconds_since(start),
      .exchange = seconds_since(exchange_start),
      .was_refused = was_refused,
  };
  double const lost =
      race_.conclude({.trial = words[0], .exchange = words[1], .allowance = words[2]}, trial);
  learning.charge(lost);
  if (race_.wants_candidates()) {
    admit(learning);
  } else if (race_.is_settled() && (!was_settled || race_.standing() != before)) {
    note(learning);
  }
}

/// Rank 0 says what is tried, as only one machine description and one clock may decide.
void Contest::admit(Learning& learning) {
  std::string bytes;
  if (kind_.rank == 0) {
    bytes = propose(kind_, learning).to_bytes();
  }
  Proposals const proposals =
      Proposals::from_bytes(mpi::broadcast(kind_.comm, std::move(bytes), 0));
  learning.charge(proposals.seconds);
  for (std::string const& text : proposals.choices) {
    add(algorithms::Choice::parse(text));
  }
  if (proposals.choices.empty()) {
    race_.give_up();
  } else if (proposals.is_known) {
    race_ = learn::Race::taken();
  } else {
    race_.enter(proposals.predicted);
  }
}

void Contest::add(algorithms::Choice choice) {
  own_.push_back({.choice = std::move(choice), .reason = "learning: tried or taken here"});
  decisions_.push_back(&own_.back());
}

/// For other communicators of this kind and for later runs. What is only undecided is not noted.
void Contest::note(Learning& learning) const {
  constexpr int native = learn::Race::native;
  int const standing = race_.standing();
  bool const is_undecided = standing == native && race_.standings().leader() != native;
  if (kind_.rank != 0 || is_undecided || race_.num_pairs() == 0) {
    return;
  }
  SizeInterval const sizes = lesson_sizes(kind_.call, kind_.bytes);
  auto const& choice = decisions_[static_cast<std::size_t>(standing)]->choice;
  learning.note({
      .call = kind_.call,
      .shape = kind_.shape,
      .min_bytes = sizes.min_bytes,
      .max_bytes = sizes.max_bytes,
      .algorithm = choice ? choice->text() : "native",
      .native_seconds = race_.seconds(native),
      .seconds = race_.seconds(standing),
      .num_pairs = race_.num_pairs(),
  });
}

std::size_t Contest::memory_bytes() const noexcept {
  return sizeof(*this) + own_.size() * sizeof(profile::Decision) + race_.memory_bytes();
}

}  // namespace espalier::plan
