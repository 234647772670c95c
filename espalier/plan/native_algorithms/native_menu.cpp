// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/native_algorithms/native_menu.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <utility>

#include "espalier/base/format.hpp"
#include "espalier/base/names.hpp"
#include "espalier/plan/native_algorithms/described_values.hpp"

namespace espalier::plan {
namespace {

using algorithms::Choice;
using Values = std::vector<ControlVariable::Value>;

/// Whether variables are those of MPICH: also of what runs by the standard ABI of MPI-5, where a
/// library that is not MPICH has no variable of these names.
constexpr bool asks_mpich = std::string_view(ESPALIER_MPI_VENDOR) == "mpich" ||
                            std::string_view(ESPALIER_MPI_VENDOR) == "abi";
/// What the library does unless it is told otherwise.
constexpr std::array usual_names{std::string_view("ignore"), std::string_view("auto")};

/// How a parameter of ours is one of coll/tuned.
struct TunedParameter {
  std::string_view name;
  std::array<std::string_view, 2> suffixes;
};

constexpr std::array tuned_parameters{
    TunedParameter{.name = "segment", .suffixes = {"_segmentsize", ""}},
    TunedParameter{.name = "fanout", .suffixes = {"_tree_fanout", "_chain_fanout"}},
};

/// Components of Open MPI that serve a collective in place of coll/tuned if they come before it.
constexpr std::array rivals{
    std::string_view("han"),
    std::string_view("adapt"),
    std::string_view("sm"),
    std::string_view("hcoll"),
    std::string_view("ucc"),
    std::string_view("xhc"),
    std::string_view("acoll"),
};

/// Open MPI takes no higher one.
constexpr int highest_priority = 100;

std::string in_capitals(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char one) {
    return static_cast<char>(std::toupper(one));
  });
  return result;
}

std::string variable_of(profile::Call call) {
  if (asks_mpich) {
    return "MPIR_CVAR_" + in_capitals(profile::to_string(call)) + "_INTRA_ALGORITHM";
  }
  return "coll_tuned_" + std::string(profile::to_string(call)) + "_algorithm";
}

Values values_of(ControlVariable const& variable) {
  Values values = variable.values();
  if (values.empty()) {
    for (std::string& name : described_values(variable.description())) {
      values.push_back({.name = std::move(name), .number = static_cast<int>(values.size())});
    }
  }
  return values;
}

std::optional<int> number_of(Values const& values, std::string_view name) {
  auto const found = std::ranges::find(values, name, &ControlVariable::Value::name);
  return found == values.end() ? std::nullopt : std::optional(found->number);
}

/// Of some collectives coll/tuned says that no algorithm heeds the variable.
bool has_effect(ControlVariable const& variable) {
  return variable.description().find("do not support") == std::string::npos;
}

/// The variables of coll/tuned that a parameter stands for; those that can be written.
std::vector<ControlVariable const*> variables_of(
    TunedParameter const& parameter, std::string const& algorithm, ControlVariables& variables
) {
  std::vector<ControlVariable const*> found;
  for (std::string_view const suffix : parameter.suffixes) {
    ControlVariable const* const variable =
        suffix.empty() ? nullptr : variables.find(algorithm + std::string(suffix));
    if (variable != nullptr && variable->is_writable() && has_effect(*variable)) {
      found.push_back(variable);
    }
  }
  return found;
}

/// The highest priority of a component that may serve a collective in place of coll/tuned, and its
/// name; no name if there is none.
std::pair<int, std::string_view> strongest_rival(ControlVariables& variables) {
  std::pair<int, std::string_view> strongest{std::numeric_limits<int>::min(), {}};
  for (std::string_view const rival : rivals) {
    std::string const prefix = "coll_" + std::string(rival);
    ControlVariable const* const priority = variables.find(prefix + "_priority");
    ControlVariable const* const enabled = variables.find(prefix + "_enable");
    if (priority != nullptr && (enabled == nullptr || enabled->read() != 0)) {
      strongest = std::max(strongest, {priority->read(), rival});
    }
  }
  return strongest;
}

/// Adds what lets coll/tuned serve the communicator that is made. Open MPI 5 has coll/han before
/// it.
void add_openmpi_settings(ControlVariables& variables, NativeOrder& order) {
  ControlVariable const* const dynamic = variables.find("coll_tuned_use_dynamic_rules");
  ControlVariable const* const own = variables.find("coll_tuned_priority");
  if (dynamic == nullptr || own == nullptr) {
    order.problem = "the component coll/tuned of Open MPI is not in use";
    return;
  }
  if (dynamic->read() == 0) {
    order.problem = "Open MPI selects algorithms only if OMPI_MCA_coll_tuned_use_dynamic_rules=1 "
                    "is set before MPI_Init";
    return;
  }
  auto const [priority, rival] = strongest_rival(variables);
  if (rival.empty() || priority < own->read()) {
    return;
  }
  if (own->is_writable() && priority < highest_priority) {
    order.settings.push_back({.variable = own, .number = priority + 1});
  } else {
    order.problem =
        "the component coll/" + std::string(rival) + " of Open MPI comes before coll/tuned";
  }
}

/// Adds what makes MPICH run its own algorithms on the communicator as a whole, and take another
/// one where an algorithm does not fit.
void add_mpich_settings(profile::Call call, ControlVariables& variables, NativeOrder& order) {
  ControlVariable const* const device = variables.find("MPIR_CVAR_DEVICE_COLLECTIVES");
  if (device != nullptr && number_of(values_of(*device), "all") == device->read()) {
    order.problem = "MPIR_CVAR_DEVICE_COLLECTIVES=all leaves collectives to the device of MPICH";
    return;
  }
  std::string const name =
      "MPIR_CVAR_" + in_capitals(profile::to_string(call)) + "_DEVICE_COLLECTIVE";
  if (ControlVariable const* const own = variables.find(name)) {
    order.settings.push_back({.variable = own, .number = 0});
  }
  ControlVariable const* const fallback = variables.find("MPIR_CVAR_COLLECTIVE_FALLBACK");
  if (fallback != nullptr) {
    if (auto const silent = number_of(values_of(*fallback), "silent")) {
      order.settings.push_back({.variable = fallback, .number = *silent});
    }
  }
}

/// Adds segment and fanout.
void add_parameters(
    Choice const& choice,
    std::string const& algorithm,
    ControlVariables& variables,
    NativeOrder& order
) {
  for (auto const& [key, value] : choice.arguments().entries()) {
    auto const parameter = std::ranges::find(tuned_parameters, key, &TunedParameter::name);
    if (parameter == tuned_parameters.end()) {
      continue;
    }
    auto const found = asks_mpich ? std::vector<ControlVariable const*>()
                                  : variables_of(*parameter, algorithm, variables);
    if (found.empty()) {
      order.problem = formatted("the MPI library has no variable for {} of {}", key, algorithm);
      return;
    }
    for (ControlVariable const* const variable : found) {
      order.settings.push_back({
          .variable = variable,
          .number = choice.arguments().integer(key, 0),
      });
    }
  }
}

}  // namespace

NativeMenu native_menu(profile::Call call, ControlVariables& variables) {
  NativeMenu menu;
  std::string const name = variable_of(call);
  ControlVariable const* const variable = variables.find(name);
  if (variable == nullptr) {
    menu.problem = "the MPI library has no control variable " + name;
    return menu;
  }
  if (!variable->is_writable()) {
    menu.problem = "the MPI library does not let programs write " + name;
    return menu;
  }
  menu.algorithms = values_of(*variable);
  std::erase_if(menu.algorithms, [](ControlVariable::Value const& value) {
    return std::ranges::find(usual_names, value.name) != usual_names.end();
  });
  if (menu.algorithms.empty()) {
    menu.problem = "the MPI library does not say which values " + name + " has";
    return menu;
  }
  for (TunedParameter const& parameter : tuned_parameters) {
    if (!asks_mpich && !variables_of(parameter, name, variables).empty()) {
      menu.parameters.push_back(parameter.name);
    }
  }
  return menu;
}

NativeOrder native_order(profile::Call call, Choice const& choice, ControlVariables& variables) {
  NativeOrder order;
  NativeMenu const menu = native_menu(call, variables);
  if (!menu.problem.empty()) {
    order.problem = menu.problem;
    return order;
  }
  std::string const wanted(choice.arguments().text("algorithm", {}));
  auto const number = number_of(menu.algorithms, wanted);
  if (!number) {
    order.problem = "the MPI library has no algorithm '" + wanted + "' for " +
                    std::string(profile::function_name(call)) + ", it has " +
                    list_names(menu.algorithms, &ControlVariable::Value::name);
    return order;
  }
  std::string const name = variable_of(call);
  order.settings.push_back({.variable = variables.find(name), .number = *number});
  if (asks_mpich) {
    add_mpich_settings(call, variables, order);
  } else {
    add_openmpi_settings(variables, order);
  }
  if (order.problem.empty()) {
    add_parameters(choice, name, variables, order);
  }
  return order;
}

bool accepts_ranks(std::string_view name, int num_ranks) noexcept {
  return name != "two_proc" || num_ranks == 2;
}

std::string refuses_ranks(Choice const& choice, int num_ranks) {
  return accepts_ranks(choice.arguments().text("algorithm", {}), num_ranks)
             ? ""
             : choice.text() + " needs 2 ranks, got " + std::to_string(num_ranks);
}

bool selects_by_communicator() noexcept {
  return !asks_mpich;
}

}  // namespace espalier::plan
