// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/point.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/start_barrier.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

/// A contender that takes part in a point.
struct Entrant {
  std::string name;
  Contender const* contender;
};

/// What contender `choice` is, and why it is not timed.
struct Complaint {
  std::string choice;
  std::string reason;
  std::string text;
};

/// Proves contenders on contributions whose result is known.
class Proof {
public:
  Proof(Job const& job, Workload& workload) : job_(&job), workload_(&workload) {}

  /// Collective: what is wrong with one of them, the same on all ranks.
  std::optional<Complaint> run(std::vector<Entrant> const& entrants) {
    for (int const root : workload_->roots()) {
      std::vector<std::byte> const expected = workload_->expected(root, stamp_of(root));
      for (Entrant const& entrant : entrants) {
        std::string text = first_complaint(*job_, try_once(entrant, root, expected));
        if (!text.empty()) {
          return Complaint{.choice = entrant.name, .reason = "wrong", .text = std::move(text)};
        }
      }
    }
    return std::nullopt;
  }

  /// What entrants chose that decide themselves: `native` or a choice.
  [[nodiscard]] std::map<std::string, std::string> const& decided() const noexcept {
    return decided_;
  }

private:
  static std::uint32_t stamp_of(int root) noexcept { return static_cast<std::uint32_t>(root) + 1; }

  /// What differs from the expected result, empty if nothing.
  std::string try_once(Entrant const& entrant, int root, std::vector<std::byte> const& expected) {
    workload_->fill(root, stamp_of(root));
    // A rank that is early must not meet messages of the call before.
    mpi::require_success(start_barrier(job_->comm), "barrier");
    Ran const ran = entrant.contender->run(*workload_, root);
    if (entrant.name.starts_with(profile_prefix)) {
      bool const is_ours = ran.decision != nullptr && ran.decision->choice;
      decided_[entrant.name] = is_ours ? ran.decision->choice->text() : "native";
    }
    if (ran.code != MPI_SUCCESS) {
      return "expected the call to succeed, got MPI error code " + std::to_string(ran.code);
    }
    if (!workload_->has_result(root)) {
      return {};
    }
    std::string const difference = Workload::difference(expected, workload_->guarded_result());
    return difference.empty() ? "" : difference + " (root " + std::to_string(root) + ")";
  }

  Job const* job_;
  Workload* workload_;
  std::map<std::string, std::string> decided_;
};

/// Calls of a bcast go round the roots: the next root cannot begin before it has the message
/// before, so that calls do not run in a pipeline as they would from one root that never waits.
TimedCall timed_call_of(Entrant const& entrant, Workload& workload) {
  auto const run = [contender = entrant.contender, &workload, roots = workload.roots()](int call) {
    return contender->run(workload, roots[static_cast<std::size_t>(call) % roots.size()]).code;
  };
  return {.name = entrant.name, .run = run};
}

std::vector<std::string> names_of(std::vector<TimedCall> const& timed_calls) {
  std::vector<std::string> names;
  names.reserve(timed_calls.size());
  for (TimedCall const& timed : timed_calls) {
    names.push_back(timed.name);
  }
  return names;
}

}  // namespace

void measure_point(
    Teams const& teams,
    PlannedPoint const& planned,
    Pace const& pace,
    Contenders& contenders,
    SampleFile* file
) {
  PointRequest point = *planned.request;
  Workload workload(teams.own, point);
  point.bytes = workload.bytes();
  auto const complain = [&](Complaint const& complaint) {
    if (file != nullptr) {
      file->write_error(planned.index, point, complaint.choice, complaint.reason, complaint.text);
    }
  };
  std::vector<Entrant> entrants;
  if (point.has_native) {
    entrants.push_back({.name = "native", .contender = &contenders.get(point.call_form(), "native")}
    );
  }
  for (std::string const& choice : point.choices) {
    if (std::string text = contenders.refuses(point.call_form(), choice); !text.empty()) {
      complain({.choice = choice, .reason = "refused", .text = std::move(text)});
    } else {
      entrants.push_back({.name = choice, .contender = &contenders.get(point.call_form(), choice)});
    }
  }
  if (entrants.empty()) {
    return;
  }
  Proof proof(teams.all, workload);
  if (auto const complaint = proof.run(entrants)) {
    complain(*complaint);
    return;
  }
  std::vector<TimedCall> timed_calls;
  for (Entrant const& entrant : entrants) {
    timed_calls.push_back(timed_call_of(entrant, workload));
  }
  Pace own_pace = pace;
  if (is_simulated()) {
    own_pace.warmup = 0;  // the proof was one
  }
  Timer timer(teams.all, own_pace, timed_calls);
  Samples const samples = timer.run();
  if (file != nullptr) {
    std::vector<std::string> const names = names_of(timed_calls);
    file->write_point(
        planned.index, point, names, samples, timer.calls_per_sample(), proof.decided()
    );
    if (timer.spread()) {
      file->write_spread(planned.index, point, names, *timer.spread());
    }
  }
}

}  // namespace espalier::measure
