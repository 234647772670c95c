// SPDX-License-Identifier: Apache-2.0

/// @file
/// Schedules of the catalog as one-sided programs, in every form that is legal.

#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/one_sided.hpp"
#include "espalier/schedule/private_memory.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::test {

/// Rooted collectives on all trees, and the others flat, by dissemination and by doubling.
inline std::vector<char const*> one_sided_choices() {
  return {
      "bcast/flat",
      "bcast/chain",
      "bcast/binomial",
      "bcast/k_nomial[k=4]",
      "bcast/k_ary[k=2]",
      "bcast/k_ary[k=8]",
      "bcast/fork",
      "bcast/chain[segments=3]",
      "bcast/k_ary[k=2,segments=4]",
      "scatter/flat",
      "scatter/binomial",
      "scatter/k_nomial[k=4]",
      "scatter/k_ary[k=1]",
      "scatter/k_ary[k=2]",
      "gather/flat",
      "gather/binomial",
      "gather/k_nomial[k=4]",
      "gather/k_ary[k=1]",
      "gather/k_ary[k=2]",
      "reduce/flat",
      "reduce/chain",
      "reduce/binomial",
      "reduce/k_nomial[k=4]",
      "reduce/k_ary[k=2]",
      "reduce/in_order_binary",
      "reduce/chain[segments=3]",
      "reduce/k_ary[k=2,segments=4]",
      "allgather/flat",
      "allgather/ring",
      "allgather/bruck",
      "allgather/recursive_doubling",
      "alltoall/linear",
      "alltoall/pairwise",
      "alltoall/bruck[k=2]",
      "alltoall/bruck[k=4]",
      "allreduce/recursive_doubling",
      "allreduce/ring",
      "allreduce/in_order",
      "bcast/orthogonal[rows=3,inner=flat]",
      "bcast/orthogonal[rows=2,dealt=2]",
      "bcast/multi_lane[rows=2]",
      "scatter/orthogonal[rows=3]",
      "gather/orthogonal[rows=3]",
      "reduce/orthogonal[rows=3]",
      "allreduce/hierarchical[rows=3]",
      "allreduce/hierarchical[rows=2,dealt=2]",
      "allgather/hierarchical[rows=3]",
      "alltoall/hierarchical[rows=3]",
      "alltoall/node_aware[rows=2]",
      "barrier/dissemination[k=2]",
      "barrier/dissemination[k=4]",
      "barrier/k_nomial",
      "barrier/recursive_doubling",
  };
}

/// All nine modes, all mechanisms and both address modes, without those that are refused.
inline std::vector<schedule::OneSidedForm> one_sided_forms() {
  std::vector<schedule::OneSidedForm> forms;
  for (schedule::Synchronization const mode : schedule::all_synchronizations()) {
    for (schedule::AddressMode const addresses : schedule::all_address_modes) {
      for (schedule::Mechanism const mechanism : schedule::all_mechanisms) {
        schedule::OneSidedForm const form{mode, addresses, mechanism};
        if (refusal(form).empty()) {
          forms.push_back(form);
        }
      }
    }
  }
  return forms;
}

/// Nodes of ranks: pairs of neighbours, ranks that were dealt to three nodes, or one large node and
/// ranks that are alone.
inline std::vector<std::vector<int>> placements(int num_ranks) {
  std::vector<std::vector<int>> result(3);
  for (int rank = 0; rank < num_ranks; ++rank) {
    result[0].push_back(rank / 2);
    result[1].push_back(rank % 3);
    result[2].push_back(std::max(0, rank - num_ranks / 2));
  }
  return result;
}

/// Forms in which all ranks meet, where ranks share nodes.
inline std::vector<schedule::OneSidedForm> meeting_forms(int num_ranks) {
  std::vector<schedule::OneSidedForm> forms;
  for (schedule::OneSidedForm const& form : one_sided_forms()) {
    if (form.mode.in != schedule::Sync::allsync && form.mode.out != schedule::Sync::allsync) {
      continue;
    }
    for (std::vector<int> const& nodes : placements(num_ranks)) {
      forms.push_back(form);
      forms.back().node_of_rank = nodes;
    }
  }
  return forms;
}

/// In place, and with a separate input where the collective has both.
inline std::vector<bool> places(schedule::Collective collective) {
  bool const has_both = collective != schedule::Collective::barrier &&
                        collective != schedule::Collective::bcast &&
                        collective != schedule::Collective::alltoall;
  return has_both ? std::vector{true, false} : std::vector{true};
}

/// The programs of messages of one choice, to be made one-sided.
class OneSidedCase {
public:
  OneSidedCase(algorithms::Choice const& choice, int num_ranks, int root, bool is_in_place)
      : OneSidedCase(choice, num_ranks, root, [&](schedule::RankProgram program) {
          return is_in_place ? std::move(program)
                             : schedule::from_input(std::move(program), choice.collective(), root);
        }) {}

  /// As teams run it: with a separate input, and nothing of the output but what is promised.
  static OneSidedCase of_team(algorithms::Choice const& choice, int num_ranks, int root) {
    return OneSidedCase(choice, num_ranks, root, [&](schedule::RankProgram program) {
      return schedule::as_called(std::move(program), choice.collective(), root, false);
    });
  }

  [[nodiscard]] schedule::Survey const& survey() const noexcept { return survey_; }

  /// In the segments of the choice.
  [[nodiscard]] schedule::OneSidedForm in_segments(schedule::OneSidedForm form) const {
    form.segments = segments_;
    return form;
  }

  [[nodiscard]] std::vector<schedule::RankProgram> programs(schedule::OneSidedForm const& whole
  ) const {
    schedule::OneSidedForm const form = in_segments(whole);
    std::vector<schedule::RankProgram> result;
    for (int rank = 0; rank < static_cast<int>(messages_.size()); ++rank) {
      result.push_back(schedule::one_sided(rank, form, survey_, program_of()));
    }
    return result;
  }

  [[nodiscard]] schedule::ProgramOf program_of() const {
    return [this](int rank) { return messages_[static_cast<std::size_t>(rank)]; };
  }

private:
  template <typename Change>
  OneSidedCase(algorithms::Choice const& choice, int num_ranks, int root, Change const& changed)
      : segments_(choice.one_sided_segments(num_ranks)) {
    for (int rank = 0; rank < num_ranks; ++rank) {
      messages_.push_back(changed(choice.generate_whole(num_ranks, root, rank)));
    }
    survey_ = schedule::survey(num_ranks, program_of());
  }

  std::vector<schedule::RankProgram> messages_;
  schedule::Survey survey_;
  schedule::Segments segments_;
};

inline std::string name_of(
    algorithms::Choice const& choice,
    int num_ranks,
    int root,
    bool is_in_place,
    schedule::OneSidedForm const& form
) {
  return choice.text() + " p = " + std::to_string(num_ranks) + ", root = " + std::to_string(root) +
         (is_in_place ? ", in place, " : ", from input, ") + to_string(form.mode) + " " +
         std::string(to_string(form.addresses)) + " " + std::string(to_string(form.mechanism));
}

}  // namespace espalier::test
