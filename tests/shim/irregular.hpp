// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/handled.hpp"
#include "tests/shim/support.hpp"

namespace shim_test {

using Cases = std::map<std::string, std::function<void()>>;

/// Buffers that overlap.
Cases alias_cases();
/// Datatypes that are none, not committed, or of other sizes, and their attributes.
Cases type_cases();

/// Whether the MPI library reports buffers that overlap.
#ifdef OPEN_MPI
inline constexpr bool reports_aliases = false;
#else
inline constexpr bool reports_aliases = true;
#endif

/// A communicator whose errors are counted.
struct Watched {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

  Watched() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    num_handled = 0;
  }

  Watched(Watched const&) = delete;
  Watched& operator=(Watched const&) = delete;
  Watched(Watched&&) = delete;
  Watched& operator=(Watched&&) = delete;

  ~Watched() {
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
  }

  /// The code has this class, and the handler of the communicator heard of it once.
  void require_class(int code, int expected, std::string const& what) const {
    require(
        class_of(code) == expected,
        what + ": expected class " + std::to_string(expected) + ", got " +
            std::to_string(class_of(code))
    );
    int const num_expected = expected == MPI_SUCCESS ? 0 : 1;
    bool const is_told =
        num_handled == num_expected &&
        (num_expected == 0 || (handled_comm == comm && class_of(handled_code) == expected));
    require(is_told, what + ": the handler of the communicator hears of it once");
    num_handled = 0;
  }
};

inline int const* first(std::vector<int> const& list) {
  return list.data();
}

inline void expect_ranks(std::vector<int> const& found, std::string const& what) {
  for (std::size_t r = 0; r < found.size(); ++r) {
    require(found[r] == 100 + static_cast<int>(r), what + ": block " + std::to_string(r));
  }
}

}  // namespace shim_test
