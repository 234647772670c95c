// SPDX-License-Identifier: Apache-2.0

/// @file
/// One line for each call and rank, and how often MPI called the error handler.

#pragma once

#include <cstdint>
#include <string>

#include <mpi.h>

#include "tests/bent/calls.hpp"

namespace bent {

/// What the data of a call are worth for a comparison.
enum class Data {
  clean,      ///< as expected, or nobody knows better
  garbled,    ///< not what the same call makes of separate buffers
  undefined,  ///< nobody says what they should be
};

/// Lines of this rank:
///     program SEED KIND
///     call SEED INDEX KIND CALL
///     done SEED INDEX KIND CALL RANK CLASS HANDLED DATA DIGEST
///     end SEED
///     hung
class Report {
public:
  /// To a file of this rank in the folder, or to standard output.
  Report(std::string const& folder, int rank, unsigned limit);

  void begin(std::uint64_t seed, std::string const& kind);
  void end();
  /// Also gives the program its seconds again.
  void before(std::string const& call);

  /// What the next call has that its kind does not say: CALL is written as CALL.NOTE.
  void note(std::string const& text) { note_ = "." + text; }

  /// DIGEST is not written if there is an error: buffers are then nobody's business.
  void after(int code, Data data, std::string const& digest);

  /// The next digest is wrong: a test of whoever compares.
  void corrupt() { is_corrupt_ = true; }

  /// File descriptor, for signal handlers.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Seconds until the alarm, from now on.
  void renew() const;

private:
  void write(std::string const& line) const;

  int descriptor_ = 1;
  int rank_ = 0;
  unsigned limit_ = 0;
  std::uint64_t seed_ = 0;
  std::string kind_;
  int index_ = 0;
  std::string call_;
  std::string note_;
  bool is_corrupt_ = false;
};

int class_of(int code);

/// A handler that counts its calls; calls for other communicators than the expected one and with
/// other classes than the code returned show in the line.
MPI_Errhandler counting_handler();
void expect_errors_on(MPI_Comm comm);

}  // namespace bent
