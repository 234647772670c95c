// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/contender.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/error.hpp"
#include "espalier/plan/settings/settings_text.hpp"

namespace espalier::measure {
namespace {

/// `allgatherv=bruck[k=2]` for allgatherv and `allgather/bruck[k=2]`.
plan::Settings settings_for(profile::CallForm call, std::string const& choice) {
  plan::SettingsText text;
  text.force = profile::to_string(call) + "=" + choice.substr(choice.find('/') + 1);
  return plan::Settings::parse(text, ESPALIER_MPI_VENDOR);
}

bool is_profile(std::string const& choice) {
  return choice.starts_with(profile_prefix);
}

/// Whole file, or why it cannot be read; on rank 0.
plan::SettingsText read_profile(Job const& job, std::string const& path) {
  plan::SettingsText text;
  text.profile_path = path;
  if (job.rank == 0) {
    std::ifstream file(path, std::ios::binary);
    text.profile.assign(std::istreambuf_iterator<char>(file), {});
    if (!file) {
      text.profile_problem = path + ": expected a profile that can be read, found none";
    }
  }
  return text;
}

}  // namespace

Contender::Contender(plan::Settings settings, plan::Session::World world)
    : session_(std::make_unique<plan::Session>(
          std::move(settings),
          std::move(world),
          [](std::string const& line) { std::fprintf(stderr, "%s\n", line.c_str()); }
      )) {
  session_->prepare();
}

std::string Contender::refuses(profile::CallForm call, std::string const& choice) const {
  return session_ ? session_->refuses(call.call, algorithms::Choice::parse(choice)) : "";
}

void Contender::finish() noexcept {
  if (session_) {
    session_->finish();
  }
}

Contenders::Contenders(
    Job const& job, std::map<std::string, std::string> profiles, FollowProgress follow
)
    : job_(&job), profiles_(std::move(profiles)), follow_(follow),
      node_of_rank_(profiles_.empty() ? std::vector<int>{} : nodes_of_ranks(job)) {}

std::string Contenders::refuses(profile::CallForm call, std::string const& choice) {
  if (is_profile(choice)) {
    return {};
  }
  if (call.form == profile::Form::nonblocking && follow_ == nullptr) {
    return "nonblocking, and this MPI library does not let others make progress";
  }
  std::string reason;
  try {
    reason = profile::refuses(call, algorithms::Choice::parse(choice), job_->num_ranks, 0);
  } catch (Error const& error) {
    reason = error.what();
  }
  return reason.empty() ? get(call, choice).refuses(call, choice) : reason;
}

Contender const& Contenders::get(profile::CallForm call, std::string const& choice) {
  std::string const key = is_profile(choice) ? choice : profile::to_string(call) + "=" + choice;
  auto const found = contenders_.find(key);
  if (found != contenders_.end()) {
    return found->second;
  }
  return contenders_.emplace(key, make(call, choice)).first->second;
}

std::shared_ptr<exec::node::Node> Contenders::memory_for(plan::Settings const& settings) {
  if (!settings.may_share_memory()) {
    return nullptr;
  }
  if (node_ == nullptr) {
    node_ = std::make_shared<exec::node::Node>(job_->comm);
  }
  return node_;
}

Contender Contenders::make(profile::CallForm call, std::string const& choice) {
  if (choice == "native") {
    return {};
  }
  if (is_profile(choice)) {
    return of_profile(profiles_.at(choice.substr(profile_prefix.size())));
  }
  plan::Settings settings = settings_for(call, choice);
  plan::Session::World known = world(settings, {});
  return {std::move(settings), std::move(known)};
}

plan::Session::World
Contenders::world(plan::Settings const& settings, std::vector<int> node_of_rank) {
  return {
      .rank = job_->rank,
      .num_ranks = job_->num_ranks,
      .node_of_rank = std::move(node_of_rank),
      .comm = job_->comm,
      .follow_progress = follow_,
      .node = memory_for(settings),
  };
}

/// A program would go on with native calls if a profile is of no use; here that is an error.
Contender Contenders::of_profile(std::string const& path) {
  plan::SettingsText text = read_profile(*job_, path);
  text.profile = from_rank_0(*job_, text.profile);
  text.profile_problem = from_rank_0(*job_, text.profile_problem);
  plan::Settings settings = plan::Settings::parse(text, ESPALIER_MPI_VENDOR);
  if (!settings.warnings.empty()) {
    throw Error(ErrorCode::format, settings.warnings.front());
  }
  plan::Session::World known = world(settings, node_of_rank_);
  return {std::move(settings), std::move(known)};
}

void Contenders::finish() noexcept {
  for (auto& [key, contender] : contenders_) {
    contender.finish();
  }
}

}  // namespace espalier::measure
