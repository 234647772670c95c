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

std::string_view name_of(Call call) noexcept {
  return to_string(call);
}

/// One of these calls in the form that a text names; none if it names none.
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

}  // namespace

std::string to_string(CallForm one) {
  std::string const text(to_string(one.call));
  return one.form == Form::blocking ? text : nonblocking_prefix + text;
}

std::string function_name(CallForm one) {
  return one.form == Form::blocking ? std::string(function_name(one.call))
                                    : "MPI_I" + std::string(to_string(one.call));
}

std::string refuses(Call call, algorithms::Choice const& choice, int num_ranks, int root) {
  if (choice.collective() != collective_of(call)) {
    return "expected an algorithm for " + std::string(to_string(collective_of(call))) + ", got '" +
           choice.text() + "'";
  }
  if (std::string reason = choice.refuses(num_ranks, root); !reason.empty()) {
    return reason;
  }
  BlockSizes const sizes = facts_of(call).block_sizes;
  bool const has_secret_sizes = sizes == BlockSizes::known_to_owners;
  bool const has_uneven_blocks = has_secret_sizes || sizes == BlockSizes::known_to_all;
  if (has_uneven_blocks && choice.algorithm().equal_blocks_only) {
    return choice.text() + " needs blocks of one size, " + std::string(function_name(call)) +
           " may have others";
  }
  if (has_uneven_blocks && choice.has_native_calls()) {
    return choice.text() + " has native phases, which need blocks of one size, " +
           std::string(function_name(call)) + " may have others";
  }
  if (has_secret_sizes && choice.facts(num_ranks, root).scratch > 0) {
    return choice.text() + " keeps blocks of others, whose sizes are not known in " +
           std::string(function_name(call));
  }
  return {};
}

std::string refuses(CallForm one, algorithms::Choice const& choice, int num_ranks, int root) {
  std::string reason = refuses(one.call, choice, num_ranks, root);
  return reason.empty() && one.form == Form::nonblocking ? refuses_start(choice) : reason;
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
  if (auto const found = find_form(all_calls, text)) {
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
