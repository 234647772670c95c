// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/names.hpp"
#include "espalier/schedule/one_sided.hpp"
#include "espalier/schedule/preconditions.hpp"

namespace espalier::schedule {
namespace {

/// @throws Error argument with the valid names.
template <typename Values>
auto parse_named(Values const& values, std::string const& what, std::string_view text) {
  auto const name_of = [](auto value) { return to_string(value); };
  if (auto const found = find_named(values, text, name_of)) {
    return *found;
  }
  throw Error(
      ErrorCode::argument,
      "expected one of the " + what + " " + list_names(values, name_of) + ", got '" +
          std::string(text) + "'"
  );
}

int count(RankProgram const& program, Kind kind) {
  return static_cast<int>(std::ranges::count(program.operations, kind, &Operation::kind));
}

/// The only message that comes to the rank is its first operation.
bool begins_with_receive(RankProgram const& program) {
  return count(program, Kind::recv) == 1 && program.operations.front().kind == Kind::recv;
}

/// The only message that goes from the rank is its last operation, and waits for all writes.
bool ends_with_send(RankProgram const& program) {
  if (count(program, Kind::send) != 1 || program.operations.back().kind != Kind::send) {
    return false;
  }
  auto const begin = program.operations.begin() + program.operations.back().after;
  return std::none_of(begin, program.operations.end(), [](Operation const& operation) {
    return operation.writes();
  });
}

/// Collects what the programs of all ranks have in common.
class Surveyor {
public:
  explicit Surveyor(int num_ranks) { survey_.num_ranks = num_ranks; }

  void add(RankProgram const& program) {
    require_two_sided(program);
    survey_.num_rounds = std::max(survey_.num_rounds, program.num_rounds());
    survey_.moves_data = survey_.moves_data || program.num_blocks_sent() > 0;
    for (Operation const& operation : program.operations) {
      survey_.waits_for_sends = survey_.waits_for_sends || operation.after_sends > 0;
    }
    num_without_receive_ += count(program, Kind::recv) == 0 ? 1 : 0;
    num_without_send_ += count(program, Kind::send) == 0 ? 1 : 0;
    num_down_ += begins_with_receive(program) ? 1 : 0;
    num_up_ += ends_with_send(program) ? 1 : 0;
  }

  /// With one message for each rank but one, a schedule that ends is a tree.
  [[nodiscard]] Survey finish() {
    int const num_others = survey_.num_ranks - 1;
    survey_.flows_down = num_down_ == num_others && num_without_receive_ == 1;
    survey_.flows_up = num_up_ == num_others && num_without_send_ == 1;
    return survey_;
  }

private:
  static void require_two_sided(RankProgram const& program) {
    require_rounds(program, "one_sided");
    if (!can_be_one_sided(program)) {
      throw Error(
          ErrorCode::unsupported,
          "one_sided needs a program of messages, got one with native calls: write them out first"
      );
    }
  }

  Survey survey_;
  int num_without_receive_ = 0;
  int num_without_send_ = 0;
  int num_down_ = 0;
  int num_up_ = 0;
};

}  // namespace

bool can_be_one_sided(RankProgram const& program) noexcept {
  return !program.is_one_sided() && !program.is_dataflow() && !program.has_native_calls();
}

std::string_view to_string(AddressMode addresses) noexcept {
  switch (addresses) {
  case AddressMode::single:
    return "single";
  case AddressMode::local:
    return "local";
  }
  return "unknown";
}

std::string_view to_string(Mechanism mechanism) noexcept {
  switch (mechanism) {
  case Mechanism::signaling_put:
    return "signaling_put";
  case Mechanism::eager:
    return "eager";
  case Mechanism::rendezvous:
    return "rendezvous";
  case Mechanism::counting_put:
    return "counting_put";
  }
  return "unknown";
}

AddressMode parse_address_mode(std::string_view text) {
  return parse_named(all_address_modes, "address modes", text);
}

Mechanism parse_mechanism(std::string_view text) {
  return parse_named(all_mechanisms, "mechanisms", text);
}

std::string refusal(OneSidedForm const& form) {
  if (form.mechanism == Mechanism::signaling_put && form.addresses == AddressMode::local) {
    return "signaling_put needs the addresses of all ranks (single): with local addresses take "
           "eager, rendezvous or counting_put";
  }
  return {};
}

Survey survey(int num_ranks, ProgramOf const& program_of) {
  Surveyor surveyor(num_ranks);
  for (int rank = 0; rank < num_ranks; ++rank) {
    surveyor.add(program_of(rank));
  }
  return surveyor.finish();
}

}  // namespace espalier::schedule
