// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/profile/call_facts.hpp"
#include "espalier/profile/call_list.hpp"

namespace espalier::profile {

/// Of those that algorithms of the catalog serve, which is what most arrays over calls are for.
inline constexpr std::size_t num_calls = all_calls.size();
/// With those of neighborhoods.
inline constexpr std::size_t num_rule_calls = call_facts.size();

/// Whether the MPI function returns when the call is complete, when it is started, or when a
/// request was made that starts it any number of times. A call also follows rules for the forms
/// before its own.
enum class Form : std::uint8_t { blocking, nonblocking, persistent };

inline constexpr std::array all_forms{Form::blocking, Form::nonblocking, Form::persistent};

/// A call in one of its forms.
struct CallForm {
  Call call = Call::allgather;
  Form form = Form::blocking;

  friend bool operator==(CallForm const&, CallForm const&) = default;
};

[[nodiscard]] constexpr std::size_t index_of(Call call) noexcept {
  return static_cast<std::size_t>(call);
}

[[nodiscard]] constexpr std::size_t index_of(Form form) noexcept {
  return static_cast<std::size_t>(form);
}

[[nodiscard]] constexpr CallFacts const& facts_of(Call call) noexcept {
  return call_facts[index_of(call)];
}

/// `allgatherv`, as in profiles and settings.
[[nodiscard]] constexpr std::string_view to_string(Call call) noexcept {
  return facts_of(call).text;
}

/// `MPI_Allgatherv`.
[[nodiscard]] constexpr std::string_view function_name(Call call) noexcept {
  return facts_of(call).function;
}

/// `allgather`, `iallgather`, `allgather_init`, as in profiles and settings.
[[nodiscard]] std::string to_string(CallForm one);

/// `MPI_Allgather`, `MPI_Iallgather`, `MPI_Allgather_init`.
[[nodiscard]] std::string function_name(CallForm one);

[[nodiscard]] constexpr bool is_neighborhood(Call call) noexcept {
  return index_of(call) >= num_calls;
}

/// The collective whose algorithms serve a call that is no neighborhood's.
[[nodiscard]] constexpr algorithms::Collective collective_of(Call call) {
  return std::get<algorithms::Collective>(facts_of(call).collective);
}

/// The same of a neighborhood's.
[[nodiscard]] constexpr neighborhood::Collective neighbor_collective_of(Call call) {
  return std::get<neighborhood::Collective>(facts_of(call).collective);
}

/// False if rules cannot depend on the size of the result: a barrier has none, and of calls with
/// blocks of any size between two ranks no rank, or only the root, knows the whole.
[[nodiscard]] constexpr bool has_known_size(Call call) noexcept {
  BlockSizes const sizes = facts_of(call).block_sizes;
  return sizes == BlockSizes::equal || sizes == BlockSizes::known_to_all;
}

/// Whether its counts are lists.
[[nodiscard]] constexpr bool has_lists(Call call) noexcept {
  BlockSizes const sizes = facts_of(call).block_sizes;
  return sizes == BlockSizes::known_to_all || sizes == BlockSizes::known_to_owners;
}

/// Whether ranks tell each other the sizes of the blocks when they make a persistent request of
/// such a call, since not all of them know these from their arguments.
[[nodiscard]] constexpr bool has_agreed_sizes(Call call) noexcept {
  return facts_of(call).block_sizes == BlockSizes::known_to_owners;
}

/// The same of a form of a call.
[[nodiscard]] constexpr bool has_known_size(CallForm one) noexcept {
  return has_known_size(one.call) || (one.form == Form::persistent && has_agreed_sizes(one.call));
}

/// Empty if the choice can serve the call, otherwise the reason.
///
/// Beside Choice::refuses(): not every algorithm can have blocks of different sizes, and none can
/// forward blocks whose sizes the rank in between does not know.
[[nodiscard]] std::string
refuses(Call call, algorithms::Choice const& choice, int num_ranks, int root);

/// The same of a form of the call: none of our choices that need the MPI library for a whole phase
/// can be started without waiting. Persistent calls forward blocks of any size, because the ranks
/// agreed on them.
[[nodiscard]] std::string
refuses(CallForm one, algorithms::Choice const& choice, int num_ranks, int root);

/// @throws Error argument with the valid names.
[[nodiscard]] Call parse_call(std::string_view text);

/// As to_string() writes it. @throws Error argument with the valid names.
[[nodiscard]] CallForm parse_call_form(std::string_view text);

/// The same of a call that rules can be for: also one of neighborhoods.
[[nodiscard]] CallForm parse_rule_call(std::string_view text);

}  // namespace espalier::profile
