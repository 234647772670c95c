// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <mpi.h>

#include "espalier/base/error.hpp"

namespace espalier::profile {
struct CallForm;
}  // namespace espalier::profile

namespace espalier::plan {

/// What a caller did wrong, where MPI has a class of its own for it, such as MPI_ERR_DIMS.
class ClassError : public Error {
public:
  ClassError(int mpi_class, std::string const& text)
      : Error(ErrorCode::argument, text), mpi_class_(mpi_class) {}

  [[nodiscard]] int mpi_class() const noexcept { return mpi_class_; }

private:
  int mpi_class_;
};

/// What the MPI library said, to be said again.
class LibraryError : public Error {
public:
  explicit LibraryError(int code) : Error(ErrorCode::mpi, "the MPI library"), mpi_code_(code) {}

  [[nodiscard]] int mpi_code() const noexcept { return mpi_code_; }

private:
  int mpi_code_;
};

/// MPI error code for the exception being handled: MPI_Error_string() of it gives our text.
/// Only inside a catch block.
/// @param function  `MPI_Bcast`, which the text then names: the handler only learns of the function
///     that calls it; empty: nothing to name
[[nodiscard]] int code_of_exception(std::string_view function = {}) noexcept;

/// The same of an error in a form of a call.
[[nodiscard]] int code_of_exception(profile::CallForm function) noexcept;

/// A code of a class of errors of the MPI library, whose text names the function as well.
[[nodiscard]] int code_naming(profile::CallForm function, int error_class) noexcept;

/// The one place where exceptions end: runs the action, which returns an MPI code, and turns what
/// it throws into one. Every call of a program runs through it, so no limit of the compiler decides
/// whether it is a call.
/// @param function  as in code_of_exception()
template <typename Function, typename Action>
[[gnu::always_inline]] inline int guard(Function function, Action&& action) noexcept {
  try {
    return std::forward<Action>(action)();
  } catch (...) {
    return code_of_exception(function);
  }
}

/// The same where no function is to be named.
template <typename Action> [[gnu::always_inline]] inline int guard(Action&& action) noexcept {
  return guard(std::string_view(), std::forward<Action>(action));
}

/// Delivers an error to the handler of the user's communicator.
/// @return the code, for callers whose handler returns.
int raise(MPI_Comm comm, int code) noexcept;

}  // namespace espalier::plan
