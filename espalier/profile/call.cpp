// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/call.hpp"

#include <optional>
#include <span>
#include <string>

#include "espalier/algorithms/choices/choice_arguments.hpp"
#include "espalier/algorithms/composed/native.hpp"
#include "espalier/base/error.hpp"
#include "espalier/base/names.hpp"

namespace espalier::profile {
namespace {

constexpr char nonblocking_prefix = 'i';
constexpr std::string_view persistent_suffix = "_init";

std::string_view name_of(Call call) noexcept {
  return to_string(call);
}

/// One of these calls in the blocking or nonblocking form that a text names; none if it names none.
std::optional<CallForm> find_form(std::span<Call const> calls, std::string_view text) {
  if (auto const call = find_named(calls, text, name_of)) {
    return CallForm{.call = *call, .form = Form::blocking};
  }
  if (text.starts_with(nonblocking_prefix)) {
    if (auto const call = find_named(calls, text.substr(1), name_of)) {
      return CallForm{.call = *call, .form = Form::nonblocking};
    }
  }
  return std::nullopt;
}

/// The same, also of persistent forms.
std::optional<CallForm> find_any_form(std::string_view text) {
  if (text.ends_with(persistent_suffix)) {
    text.remove_suffix(persistent_suffix.size());
    auto const call = find_named(all_calls, text, name_of);
    return call ? std::optional(CallForm{.call = *call, .form = Form::persistent}) : std::nullopt;
  }
  return find_form(all_calls, text);
}

/// Why a choice cannot be started without waiting; empty if it can.
std::string refuses_start(algorithms::Choice const& choice) {
  if (algorithms::is_of_library(choice)) {
    return choice.text() + " is an algorithm of the MPI library, which selects them for blocking "
                           "calls only";
  }
  if (algorithms::wants_shared_memory(choice)) {
    return choice.text() +
           " is for memory that ranks of a node share, which blocking calls use only";
  }
  return choice.has_native_calls()
             ? choice.text() + " has native phases, which wait, and nonblocking calls do not"
             : "";
}

/// Why a choice cannot have blocks of different sizes; empty if it can.
/// @param are_known  all ranks know the sizes, or can learn them before the data move
std::string refuses_uneven(Call call, algorithms::Choice const& choice, bool are_known) {
  bool const can_learn = are_known && !choice.has_native_calls();
  if (choice.algorithm().equal_blocks_only && !can_learn) {
    return choice.text() + " needs blocks of one size, " + std::string(function_name(call)) +
           " may have others";
  }
  if (choice.has_native_calls()) {
    return choice.text() + " has native phases, which need blocks of one size, " +
           std::string(function_name(call)) + " may have others";
  }
  return {};
}

/// @param agrees  ranks tell each other what they do not know of sizes
std::string
refuses(Call call, algorithms::Choice const& choice, int num_ranks, int root, bool agrees) {
  if (choice.collective() != collective_of(call)) {
    return "expected an algorithm for " + std::string(to_string(collective_of(call))) + ", got '" +
           choice.text() + "'";
  }
  if (std::string reason = choice.refuses(num_ranks, root); !reason.empty()) {
    return reason;
  }
  BlockSizes const sizes = facts_of(call).block_sizes;
  bool const has_secret_sizes = sizes == BlockSizes::known_to_owners;
  if (has_secret_sizes || sizes == BlockSizes::known_to_all) {
    if (std::string reason = refuses_uneven(call, choice, has_secret_sizes && agrees);
        !reason.empty()) {
      return reason;
    }
  }
  if (has_secret_sizes && !agrees && choice.facts(num_ranks, root).scratch > 0) {
    return choice.text() + " keeps blocks of others, whose sizes are not known in " +
           std::string(function_name(call));
  }
  return {};
}

}  // namespace

std::string to_string(CallForm one) {
  std::string text(to_string(one.call));
  switch (one.form) {
  case Form::blocking:
    return text;
  case Form::nonblocking:
    return nonblocking_prefix + text;
  case Form::persistent:
    break;
  }
  return text + std::string(persistent_suffix);
}

std::string function_name(CallForm one) {
  std::string text(function_name(one.call));
  switch (one.form) {
  case Form::blocking:
    return text;
  case Form::nonblocking:
    return "MPI_I" + std::string(to_string(one.call));
  case Form::persistent:
    break;
  }
  return text + std::string(persistent_suffix);
}

std::string refuses(Call call, algorithms::Choice const& choice, int num_ranks, int root) {
  return refuses(call, choice, num_ranks, root, false);
}

std::string refuses(CallForm one, algorithms::Choice const& choice, int num_ranks, int root) {
  bool const agrees = one.form == Form::persistent;
  std::string const reason = refuses(one.call, choice, num_ranks, root, agrees);
  return reason.empty() && one.form != Form::blocking ? refuses_start(choice) : reason;
}

Call parse_call(std::string_view text) {
  if (auto const found = find_named(all_calls, text, name_of)) {
    return *found;
  }
  throw Error(
      ErrorCode::argument,
      "expected a collective (" + list_names(all_calls, name_of) + "), got '" + std::string(text) +
          "'"
  );
}

CallForm parse_call_form(std::string_view text) {
  if (auto const found = find_any_form(text)) {
    return *found;
  }
  return {.call = parse_call(text), .form = Form::blocking};
}

CallForm parse_rule_call(std::string_view text) {
  if (auto const found = find_form(neighbor_calls, text)) {
    return *found;
  }
  try {
    return parse_call_form(text);
  } catch (Error const& error) {
    throw Error(
        ErrorCode::argument,
        std::string(error.what()) + "; or one of " + list_names(neighbor_calls, name_of)
    );
  }
}

}  // namespace espalier::profile
