// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/tuning_hint.hpp"

#include <array>
#include <optional>

#include "espalier/mpi/info.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::plan {
namespace {

constexpr char const* key = "espalier_tune";

/// What ranks tell each other. A reduction takes the largest of each.
struct Proposal {
  int hint = 0;
  int negative_hint = 0;  ///< so that the smallest is known, too
  int is_unknown = 0;
};

Proposal proposal_of(std::optional<std::string> const& value) {
  TuningHint hint = TuningHint::none;
  if (value == "true") {
    hint = TuningHint::tune;
  } else if (value == "false") {
    hint = TuningHint::leave;
  }
  int const number = static_cast<int>(hint);
  return {
      .hint = number,
      .negative_hint = -number,
      .is_unknown = value && hint == TuningHint::none ? 1 : 0,
  };
}

}  // namespace

AgreedHint agreed_hint(MPI_Comm comm, MPI_Info info) {
  Proposal const mine = proposal_of(mpi::info_value(info, key));
  std::array<int, 3> all{mine.hint, mine.negative_hint, mine.is_unknown};
  mpi::require_success(
      PMPI_Allreduce(MPI_IN_PLACE, all.data(), 3, MPI_INT, MPI_MAX, comm), "MPI_Allreduce"
  );
  AgreedHint agreed{.hint = static_cast<TuningHint>(all[0]), .complaint = {}};
  if (all[2] != 0) {
    agreed.complaint =
        std::string("info key ") + key + ": expected true or false, got another value; ignoring it";
  } else if (all[0] != -all[1]) {
    agreed.complaint = std::string("info key ") + key +
                       ": expected the same value on all ranks, got different ones; taking " +
                       (agreed.hint == TuningHint::leave ? "false" : "true");
  }
  return agreed;
}

}  // namespace espalier::plan
