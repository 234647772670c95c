// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/contender.hpp"

#include <cstdio>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/error.hpp"

namespace espalier::measure {
namespace {

/// `allgatherv=bruck[k=2]` for allgatherv and `allgather/bruck[k=2]`.
plan::Settings settings_for(tune::Call call, std::string const& choice) {
  plan::SettingsText text;
  text.force = std::string(tune::to_string(call)) + "=" + choice.substr(choice.find('/') + 1);
  return plan::Settings::parse(text, ESPALIER_MPI_VENDOR);
}

}  // namespace

Contender::Contender(tune::Call call, std::string const& choice, Job const& job)
    : session_(std::make_unique<plan::Session>(
          settings_for(call, choice),
          plan::Session::World{.rank = job.rank, .num_ranks = job.num_ranks, .node_of_rank = {}},
          [](std::string const& line) { std::fprintf(stderr, "%s\n", line.c_str()); }
      )) {}

void Contender::finish() noexcept {
  if (session_) {
    session_->finish();
  }
}

std::string Contenders::refuses(tune::Call call, std::string const& choice) const {
  try {
    return tune::refuses(call, algorithms::Choice::parse(choice), job_->num_ranks, 0);
  } catch (Error const& error) {
    return error.what();
  }
}

Contender const& Contenders::get(tune::Call call, std::string const& choice) {
  std::string const key = std::string(tune::to_string(call)) + "=" + choice;
  auto const found = contenders_.find(key);
  if (found != contenders_.end()) {
    return found->second;
  }
  Contender made = choice == "native" ? Contender() : Contender(call, choice, *job_);
  return contenders_.emplace(key, std::move(made)).first->second;
}

void Contenders::finish() noexcept {
  for (auto& [key, contender] : contenders_) {
    contender.finish();
  }
}

}  // namespace espalier::measure
