// SPDX-License-Identifier: Apache-2.0

#include "espalier/tune/call.hpp"

#include <string>

#include "espalier/base/error.hpp"

namespace espalier::tune {
namespace {

struct Names {
  std::string_view text;
  std::string_view function;
  algorithms::Collective collective;
};

constexpr std::array<Names, num_calls> names{{
    {"allgather", "MPI_Allgather", algorithms::Collective::allgather},
    {"allgatherv", "MPI_Allgatherv", algorithms::Collective::allgather},
    {"bcast", "MPI_Bcast", algorithms::Collective::bcast},
}};

}  // namespace

std::string_view to_string(Call call) noexcept {
  return names[index_of(call)].text;
}

std::string_view function_name(Call call) noexcept {
  return names[index_of(call)].function;
}

algorithms::Collective collective_of(Call call) noexcept {
  return names[index_of(call)].collective;
}

Call parse_call(std::string_view text) {
  std::string known;
  for (Call const call : all_calls) {
    if (to_string(call) == text) {
      return call;
    }
    known += (known.empty() ? "" : ", ") + std::string(to_string(call));
  }
  throw Error(
      ErrorCode::argument, "expected a collective (" + known + "), got '" + std::string(text) + "'"
  );
}

}  // namespace espalier::tune
