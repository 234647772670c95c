// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace espalier::plan {

/// Settings as one rank read them from its environment, nothing interpreted yet. Rank 0 of
/// MPI_COMM_WORLD sends them to all others, so that every rank decides from the same text.
struct SettingsText {
  bool is_off = false;
  bool is_verbose = false;
  std::string force;            ///< `allgather=bruck;bcast=native`
  std::string statistics;       ///< folder; empty: no statistics
  std::string profile_path;     ///< empty: no profile
  std::string profile;          ///< content of the file
  std::string profile_problem;  ///< why the file could not be read, empty if it could
  std::string mapping;          ///< `on`, `quiet`, `off`; empty: `off`
  std::string dims;             ///< `native`, `balanced`; empty: `native`
  std::string machine;          ///< text, or content of the file; empty: not described
  std::string machine_origin;   ///< what complaints call it
  std::string machine_problem;  ///< why the file could not be read, empty if it could
  std::string learn;            ///< `on`, `off`, `2%`; empty: `off`
  std::string memory_path;      ///< empty: nothing is remembered
  nlohmann::json memory;        ///< content of the file, parsed once for all ranks; null: none
  std::string memory_problem;   ///< why the file could not be read, empty if it could
  std::string program;          ///< what the memory calls this program and its number of ranks
  std::string resting;          ///< why this run does not learn by itself; empty: it may
  std::string site_path;        ///< of the site file; empty: there is none
  std::string site;             ///< content of the file
  std::string site_problem;     ///< why it is not used, empty if it is
  std::string node;             ///< `auto`, `on`, `off`; empty: `auto`
  std::string progress;         ///< `calls`, `thread`; empty: `calls`
  std::string watch;            ///< `30s`, `off`; empty: `off`
  std::string watch_board;      ///< name of the shared memory that rank 0 drew
  std::string run;              ///< of the files of statistics, that rank 0 drew

  /// Reads the file at `profile_path`, unless Espalier is off. What is wrong with it becomes
  /// `profile_problem`.
  void read_profile();

  /// Learning ends for this run, and the memory is not used, if it has been in vain: see rests().
  /// Only where nobody says what learning may cost, and where there are no other rules to check.
  /// @param draw  as in rests()
  void rest(double draw);

  /// One piece of bytes for a broadcast; from_bytes() is its inverse.
  [[nodiscard]] std::string to_bytes() const;
  /// @throws Error format
  static SettingsText from_bytes(std::string_view bytes);

  friend bool operator==(SettingsText const&, SettingsText const&) = default;
};

}  // namespace espalier::plan
