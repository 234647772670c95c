// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/capi/onesided/choices/team_file.hpp"
#include "espalier/capi/onesided/choices/team_memory.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// What earlier runs measured for teams of a conduit, and the file to which what this run measures
/// is added.
///
/// Rank 0 of the conduit reads the file once, and all ranks get what it read. So the memories of
/// the members of any team are equal without another exchange, and stay so whatever other teams and
/// other programs write meanwhile.
///
/// What is wrong with a file is one line to standard error, of the process that found it. The file
/// stays as it is then.
class KeptTunings {
public:
  /// Collective.
  /// @param node_of_rank  by a number for each node
  /// @throws Error mpi.
  KeptTunings(
      mpi::OwnCommunicator const& own, std::string_view transport, std::vector<int> node_of_rank
  );

  /// What a new team begins with. Local, and equal on all members.
  /// @param members  ranks of the conduit
  [[nodiscard]] TeamMemory memory_of(std::vector<int> const& members) const;

  /// Adds to the file, and to nothing else. Called by one member.
  void keep(std::vector<int> const& members, Measured const& measured);

private:
  [[nodiscard]] TeamShape shape_of(std::vector<int> const& members) const;
  void complain(std::string const& problem);

  std::string transport_;
  std::string path_;    ///< of rank 0; empty: nothing is kept
  std::string usable_;  ///< what rank 0 read
  std::vector<int> node_of_rank_;
  bool has_complained_ = false;
};

}  // namespace espalier::capi
