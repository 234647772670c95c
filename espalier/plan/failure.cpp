// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/failure.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "espalier/profile/call.hpp"

namespace espalier::plan {
namespace {

#ifdef ESPALIER_MPI_SIMULATED
/// SimGrid makes no codes, and its error handlers end the program without a text: the text goes to
/// standard error, where whoever runs the simulation finds it.
int code_with_text(int error_class, char const* text) noexcept {
  std::fprintf(stderr, "espalier: %s\n", text);
  return error_class;
}
#else
/// A new code of a class of MPI that says `text`; the class itself if MPI cannot make one that
/// does.
int code_with_text(int error_class, char const* text) noexcept {
  std::array<char, MPI_MAX_ERROR_STRING> line{};
  std::snprintf(line.data(), line.size(), "espalier: %s", text);
  int code = error_class;
  if (PMPI_Add_error_code(error_class, &code) != MPI_SUCCESS ||
      PMPI_Add_error_string(code, line.data()) != MPI_SUCCESS) {
    return error_class;
  }
  // MPICH gives codes that are added to its own classes the text of some other error.
  std::array<char, MPI_MAX_ERROR_STRING> told{};
  int length = 0;
  bool const is_told = PMPI_Error_string(code, told.data(), &length) == MPI_SUCCESS &&
                       std::string_view(told.data()).find(text) != std::string_view::npos;
  return is_told ? code : error_class;
}
#endif

/// The same of an error in a function of MPI. Some texts name it themselves.
int code_with_text(int error_class, std::string_view function, char const* text) noexcept {
  if (function.empty() || std::string_view(text).starts_with(function)) {
    return code_with_text(error_class, text);
  }
  std::array<char, MPI_MAX_ERROR_STRING> named{};
  auto const length = static_cast<int>(function.size());
  std::snprintf(named.data(), named.size(), "%.*s: %s", length, function.data(), text);
  return code_with_text(error_class, named.data());
}

/// Empty if memory has run out.
std::string name_of(profile::CallForm function) noexcept {
  try {
    return profile::function_name(function);
  } catch (std::bad_alloc const&) {
    return {};
  }
}

int class_of(ErrorCode code) noexcept {
  switch (code) {
  case ErrorCode::no_memory:
    return MPI_ERR_NO_MEM;
  case ErrorCode::argument:
    return MPI_ERR_ARG;
  default:
    return MPI_ERR_OTHER;
  }
}

#ifdef ESPALIER_MPI_SIMULATED
/// The handlers that SimGrid has itself are no functions, and MPI_Comm_call_errhandler() of one of
/// them ends with SIGSEGV. So this does what SimGrid does after errors that it finds: a rank whose
/// errors are fatal ends the simulation by SIGABRT.
void call_handler(MPI_Errhandler handler, MPI_Comm comm, int code) noexcept {
  if (handler == MPI_ERRORS_ARE_FATAL) {
    std::abort();
  }
  if (handler != MPI_ERRORS_RETURN && handler != MPI_ERRHANDLER_NULL) {
    PMPI_Comm_call_errhandler(comm, code);
  }
}
#else
void call_handler(MPI_Errhandler handler, MPI_Comm comm, int code) noexcept {
  if (handler != MPI_ERRORS_RETURN) {
    PMPI_Comm_call_errhandler(comm, code);
  }
}
#endif

}  // namespace

int code_of_exception(std::string_view function) noexcept {
  try {
    throw;
  } catch (LibraryError const& error) {
    return error.mpi_code();
  } catch (ClassError const& error) {
    return code_with_text(error.mpi_class(), function, error.what());
  } catch (Error const& error) {
    return code_with_text(class_of(error.code()), function, error.what());
  } catch (std::bad_alloc const&) {
    return MPI_ERR_NO_MEM;
  } catch (std::exception const& error) {
    return code_with_text(MPI_ERR_INTERN, function, error.what());
  } catch (...) {
    return MPI_ERR_INTERN;
  }
}

int code_of_exception(profile::CallForm function) noexcept {
  return code_of_exception(std::string_view(name_of(function)));
}

int code_naming(profile::CallForm function, int error_class) noexcept {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (PMPI_Error_string(error_class, text.data(), &length) != MPI_SUCCESS) {
    return error_class;
  }
  return code_with_text(error_class, name_of(function), text.data());
}

int raise(MPI_Comm comm, int code) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &handler);
  call_handler(handler, comm, code);
  if (handler != MPI_ERRHANDLER_NULL) {
    PMPI_Errhandler_free(&handler);
  }
  return code;
}

}  // namespace espalier::plan
