// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/info_hints.hpp"

#include <array>
#include <cstddef>
#include <optional>

#include "espalier/mpi/info.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::plan {
namespace {

constexpr std::array keys{"espalier_tune", "espalier_fixed_sizes"};

/// What ranks tell each other of one key. A reduction takes the largest of each.
struct Proposal {
  int hint = 0;
  int negative_hint = 0;  ///< so that the smallest is known, too
  int is_unknown = 0;
};

constexpr std::size_t num_words = 3;
using Words = std::array<int, num_words * keys.size()>;

Proposal proposal_of(std::optional<std::string> const& value) {
  Hint hint = Hint::none;
  if (value == "true") {
    hint = Hint::yes;
  } else if (value == "false") {
    hint = Hint::no;
  }
  int const number = static_cast<int>(hint);
  return {
      .hint = number,
      .negative_hint = -number,
      .is_unknown = value && hint == Hint::none ? 1 : 0,
  };
}

Hint agreed_hint(Proposal const& all, char const* key, std::vector<std::string>& complaints) {
  bool const is_same = all.hint == -all.negative_hint;
  std::string const begin = std::string("info key ") + key + ": expected ";
  if (all.is_unknown != 0) {
    complaints.push_back(begin + "true or false, got another value; ignoring it");
  } else if (!is_same) {
    complaints.push_back(begin + "the same value on all ranks, got different ones; taking false");
  }
  return is_same ? static_cast<Hint>(all.hint) : Hint::no;
}

}  // namespace

AgreedHints agreed_hints(MPI_Comm comm, MPI_Info info) {
  Words words{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Proposal const mine = proposal_of(mpi::info_value(info, keys[i]));
    words[num_words * i] = mine.hint;
    words[num_words * i + 1] = mine.negative_hint;
    words[num_words * i + 2] = mine.is_unknown;
  }
  mpi::require_success(
      PMPI_Allreduce(MPI_IN_PLACE, words.data(), words.size(), MPI_INT, MPI_MAX, comm),
      "MPI_Allreduce"
  );
  AgreedHints agreed;
  auto const agree = [&](std::size_t i) {
    Proposal const all{words[num_words * i], words[num_words * i + 1], words[num_words * i + 2]};
    return agreed_hint(all, keys[i], agreed.complaints);
  };
  agreed.tune = agree(0);
  agreed.fixed_sizes = agree(1);
  return agreed;
}

}  // namespace espalier::plan
