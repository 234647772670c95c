// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/planned/ways.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/base/mpi_library.hpp"
#include "espalier/capi/environment.hpp"
#include "espalier/mpi/library_version.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/native_reason.hpp"
#include "espalier/plan/neighbors/neighbor_topology.hpp"
#include "espalier/plan/settings/settings.hpp"

namespace espalier::capi {
namespace {

using algorithms::Choice;
using profile::CallForm;
using profile::Form;

constexpr std::string_view native_name = "native";

plan::Settings shared_settings(mpi::OwnCommunicator const& own) {
  std::string const mine = own.rank() == 0 ? settings_of_collectives().to_bytes() : std::string();
  return plan::Settings::parse(
      plan::SettingsText::from_bytes(own.from_root(mine)),
      family_of(short_version(mpi::library_version()))
  );
}

/// Collective if decisions depend on where ranks are.
profile::Shape shape_of(mpi::OwnCommunicator const& own, bool needs_nodes) {
  if (!needs_nodes) {
    return {.num_ranks = own.size()};
  }
  return profile::shape_of(plan::nodes_of_ranks(own.get()));
}

CallForm planned(profile::Call call) noexcept {
  return {.call = call, .form = Form::persistent};
}

/// Without the collective in front.
std::string_view short_name(WantedCall const& wanted, std::string_view name) {
  std::string_view const algorithm = name.substr(0, name.find('['));
  std::size_t const slash = algorithm.find('/');
  if (slash == std::string_view::npos) {
    return name;
  }
  auto const collective = algorithms::to_string(profile::collective_of(wanted.call));
  if (name.substr(0, slash) != collective) {
    throw Error(
        ErrorCode::argument,
        "expected an algorithm of " + std::string(collective) + ", got '" + std::string(name) + "'"
    );
  }
  return name.substr(slash + 1);
}

/// Names of algorithms that can serve the call, with the arguments they have by themselves.
std::string able(WantedCall const& wanted, int num_ranks) {
  std::string names(native_name);
  auto const collective = profile::collective_of(wanted.call);
  for (algorithms::Algorithm const* const algorithm : algorithms::catalog()) {
    if (algorithm->collective != collective) {
      continue;
    }
    std::string const name(algorithm->name);
    Choice const choice = Choice::parse(collective, name);
    if (profile::refuses(planned(wanted.call), choice, num_ranks, wanted.root).empty()) {
      names += ", " + name;
    }
  }
  return names;
}

}  // namespace

Ways::Ways(mpi::OwnCommunicator const& own)
    : settings_(shared_settings(own)), shape_(shape_of(own, settings_.needs_nodes())) {}

void Ways::refuse(WantedCall const& wanted, std::string const& complaint) const {
  throw plan::ClassError(
      MPI_ERR_ARG,
      complaint + "; of " + std::string(profile::to_string(wanted.call)) + " on " +
          std::to_string(shape_.num_ranks) +
          " ranks can be planned: " + able(wanted, shape_.num_ranks)
  );
}

Way Ways::named(WantedCall const& wanted, std::string_view name) {
  Way way{.is_named = true, .why = "named by the program"};
  try {
    std::string_view const algorithm = short_name(wanted, name);
    if (algorithm == native_name) {
      return way;
    }
    Choice const choice = Choice::parse(profile::collective_of(wanted.call), algorithm);
    auto const found = std::ranges::find(named_, choice);
    way.choice = found != named_.end() ? &*found : &named_.emplace_back(choice);
  } catch (Error const& error) {
    refuse(wanted, error.what());
  }
  std::string const reason =
      profile::refuses(planned(wanted.call), *way.choice, shape_.num_ranks, wanted.root);
  if (!reason.empty()) {
    refuse(wanted, way.choice->text() + ": " + reason);
  }
  return way;
}

Way Ways::unnamed(WantedCall const& wanted) {
  bool const is_empty = wanted.bytes == 0 && profile::has_known_size(planned(wanted.call));
  if (is_empty || shape_.num_ranks == 1) {
    auto const reason = is_empty ? plan::NativeReason::no_data : plan::NativeReason::one_rank;
    return {.why = plan::native_reason_texts[static_cast<std::size_t>(reason)]};
  }
  profile::Decision const& decision = table(wanted.call).at(wanted.bytes);
  Way way{.choice = decision.choice ? &*decision.choice : nullptr, .why = decision.reason};
  for (std::string const& warning : settings_.warnings) {
    way.why += "; " + warning;
  }
  return way;
}

Way Ways::refused(WantedCall const& wanted, Way const& way, std::string const& reason) const {
  std::string const complaint = way.choice->text() + ": " + reason;
  if (way.is_named) {
    refuse(wanted, complaint);
  }
  return {.why = way.why + ", but " + complaint};
}

profile::DecisionTable const& Ways::table(profile::Call call) {
  auto& table = tables_[profile::index_of(call)];
  if (!table) {
    table = plan::decide(settings_, planned(call), shape_, settings_.warnings);
  }
  return *table;
}

}  // namespace espalier::capi
