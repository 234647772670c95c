// SPDX-License-Identifier: Apache-2.0

/// @file
/// Programs with sessions of MPI-4: what is not served gives the right results, and sessions end.
///
/// Usage: shim_sessions alone | beside. With `alone`, MPI_Init is never called; with `beside`, it
/// is called between, and MPI_Finalize before the last session ends.

#include <string>

#include <mpi.h>

#include "tests/shim/support.hpp"
#include "tests/shim/used.hpp"

namespace {

using namespace shim_test;

/// A session, and a communicator of all processes from it.
class Opened {
public:
  Opened() {
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session_);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group_from_session_pset(session_, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "espalier", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm_);
    MPI_Group_free(&group);
  }

  Opened(Opened const&) = delete;
  Opened& operator=(Opened const&) = delete;
  Opened(Opened&&) = delete;
  Opened& operator=(Opened&&) = delete;

  ~Opened() {
    MPI_Comm_disconnect(&comm_);
    MPI_Session_finalize(&session_);
  }

  /// It, and communicators that are made from it.
  void use() const {
    use_fully(comm_);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm_, &copy);
    use_fully(copy);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(copy, rank_of(copy) % 2, 0, &half);
    MPI_Comm_free(&copy);
    use_fully(half);
    MPI_Comm_free(&half);
  }

private:
  MPI_Session session_ = MPI_SESSION_NULL;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// MPICH 4.0 itself crashes if a session begins when the last one has ended.

void check_alone() {
  Opened const longer;
  longer.use();
  for (int round = 0; round < 3; ++round) {
    Opened const inside;
    inside.use();
    longer.use();
  }
}

void check_beside(int argc, char** argv) {
  Opened const longer;
  longer.use();
  MPI_Init(&argc, &argv);
  require_preloaded();
  use_fully(MPI_COMM_WORLD);
  longer.use();
  {
    Opened const inside;
    inside.use();
    use_fully(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  longer.use();
}

}  // namespace

int main(int argc, char** argv) {
  std::string const what = argc > 1 ? argv[1] : "alone";
  if (what == "alone") {
    check_alone();
  } else {
    check_beside(argc, argv);
  }
  return 0;
}
