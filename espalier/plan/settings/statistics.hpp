// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "espalier/plan/settings/manner.hpp"
#include "espalier/plan/settings/neighbor_recorder.hpp"
#include "espalier/plan/settings/recorder.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// Communicators of the user that were made ready for our messages when he made them.
struct OwnCommunicators {
  std::uint64_t count = 0;
  double seconds = 0.0;  ///< that it took, waiting for other ranks included

  void add(OwnCommunicators const& other) noexcept;
};

/// Communicators that are alike for a profile, and for whoever wants to time their calls.
struct CommunicatorClass {
  int num_ranks = 0;
  int num_nodes = 0;  ///< 0: not known
  /// Ranks of MPI_COMM_WORLD as rank_ranges(); empty: not known.
  std::string ranks;

  friend auto operator<=>(CommunicatorClass const&, CommunicatorClass const&) = default;
};

/// How calls were made. Those that are nonblocking are counted with the time of their start, and
/// what follows is counted apart; persistent ones are counted each time they are started.
enum class CountedForm : std::uint8_t { blocking, nonblocking, persistent };

/// `MPI_Allgather`, `MPI_Iallgather`, `MPI_Allgather_init`.
[[nodiscard]] std::string function_name(profile::Call call, CountedForm form);

/// Calls of a whole process, over all communicators it ever had.
class Totals {
public:
  /// Ranks are kept of the first `most_classes` classes; those after them are alike if their
  /// numbers of ranks and nodes are.
  static constexpr std::size_t most_classes = 64;

  void
  add(CommunicatorClass communicator,
      Recorder const& recorder,
      CountedForm form = CountedForm::blocking);
  void add(CommunicatorClass communicator, Recorder::Row const& counted, CountedForm form);
  void add(CommunicatorClass communicator, NeighborRecorder const& recorder);

  void add(OwnCommunicators const& made) noexcept { own_communicators_.add(made); }

  struct Key {
    std::string function;  ///< `MPI_Bcast`
    CommunicatorClass communicator;
    std::size_t size_class;
    std::string algorithm;
    std::string reason;

    friend auto operator<=>(Key const&, Key const&) = default;
  };

  /// Calls that are alike, and how they were made.
  struct Row {
    Counter counter;
    Completed completed;  ///< of nonblocking calls
    std::map<Manner, Counter> manners;
    PartSizes parts;                ///< of the manner with most calls of those that have any
    std::uint64_t parts_count = 0;  ///< calls of that manner; 0: there are none
  };

  [[nodiscard]] std::map<Key, Row> const& rows() const noexcept { return rows_; }

  [[nodiscard]] OwnCommunicators const& own_communicators() const noexcept {
    return own_communicators_;
  }

private:
  /// The ranks are kept as long as there is room for them.
  [[nodiscard]] CommunicatorClass known(CommunicatorClass communicator);
  void
  add_known(CommunicatorClass const& communicator, Recorder::Row const& counted, CountedForm form);

  std::map<Key, Row> rows_;
  std::set<std::string> ranks_;  ///< of the classes
  OwnCommunicators own_communicators_;
};

/// A communicator that was made with its ranks in another order.
struct MappingNote {
  std::string function;  ///< MPI_Cart_create
  int num_ranks = 0;
  std::string algorithm;
  std::string report;  ///< as mapping_report() writes it
};

/// What learning has cost a process, and what came of it.
struct LearningReport {
  double lost_seconds = 0;   ///< in trials and for finding candidates
  double bound_seconds = 0;  ///< that may be lost, with half of what was gained
  double saved_seconds = 0;  ///< by calls with what was learned here or before, about
  int num_faster = 0;        ///< kinds of calls for which something faster was taken, seen here
  int num_native = 0;        ///< those for which the native call stays
};

/// What a statistics file says besides calls.
struct ProcessReport {
  int rank = 0;
  int num_ranks = 1;
  std::string run;  ///< equal on the ranks of one run, different in all others; empty: not known
  std::string vendor;
  std::string library_version;
  double seconds = 0.0;  ///< from the end of MPI_Init to the start of MPI_Finalize
  bool is_finalized = false;
  std::size_t memory_bytes = 0;
  std::vector<std::string> warnings;
  std::vector<MappingNote> mappings{};  ///< that this rank, rank 0 of them, found
  std::optional<LearningReport> learning{};
};

/// Content of a file `espalier-statistics`, version 1.
[[nodiscard]] std::string statistics_json(ProcessReport const& report, Totals const& totals);

/// The same for people: one line per function and algorithm. The time of nonblocking calls is that
/// of their start and of waiting for them.
[[nodiscard]] std::string statistics_table(ProcessReport const& report, Totals const& totals);

}  // namespace espalier::plan
