// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "espalier/base/environment.hpp"

namespace espalier {
namespace {

/// errno, which some failures leave at 0.
int error_number() noexcept {
  return errno == 0 ? EIO : errno;
}

std::optional<struct stat> find_file(std::string const& path) noexcept {
  struct stat found {};

  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) ? std::optional(found)
                                                                   : std::nullopt;
}

/// Gives the file that takes the place of another one its group and permissions. Without that
/// group, its members and those of the new one may do what all others may.
int permit(int descriptor, struct stat const& before) noexcept {
  constexpr unsigned others_to_group = 3;
  mode_t permissions = before.st_mode & 07777U;
  if (fchown(descriptor, static_cast<uid_t>(-1), before.st_gid) != 0) {
    mode_t const for_others = permissions & S_IRWXO;
    permissions = (permissions & ~mode_t{S_IRWXG}) | (for_others << others_to_group);
  }
  return fchmod(descriptor, permissions) == 0 ? 0 : error_number();
}

/// @param is_kept  where the machine fails after the file has its name, it has the text
int write_through(std::FILE* file, std::string const& text, bool is_kept) noexcept {
  bool const is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                          std::fflush(file) == 0 && (!is_kept || fsync(fileno(file)) == 0);
  return is_written ? 0 : error_number();
}

/// @param before  what the file takes the place of
int write_text(
    std::string const& path, std::string const& text, std::optional<struct stat> const& before
) noexcept {
  constexpr mode_t own = 0600;
  constexpr mode_t usual = 0666;
  errno = 0;
  int const flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int const descriptor = open(path.c_str(), flags, before ? own : usual);
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
  if (file == nullptr) {
    int const problem = error_number();
    if (descriptor >= 0) {
      close(descriptor);
    }
    return problem;
  }
  int problem = before ? permit(descriptor, *before) : 0;
  // A new file takes nothing away if it is lost, and thousands of ranks write some.
  problem = problem == 0 ? write_through(file, text, before.has_value()) : problem;
  if (std::fclose(file) != 0 && problem == 0) {
    return error_number();
  }
  return problem;
}

}  // namespace

int write_file(std::string const& folder, std::string const& name, std::string const& text) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) {
    return problem.value();
  }
  std::string const path = folder + "/" + name;
  std::string const temporary = path + ".part-" + std::to_string(getpid());
  int code = write_text(temporary, text, find_file(path));
  if (code == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) {
    code = error_number();
  }
  if (code != 0) {
    std::remove(temporary.c_str());
  }
  return code;
}

std::filesystem::path state_folder(char const* state_home, char const* home) {
  if (state_home != nullptr && *state_home != '\0') {
    return std::filesystem::path(state_home) / "espalier";
  }
  return home != nullptr && *home != '\0' ? std::filesystem::path(home) / ".local/state/espalier"
                                          : std::filesystem::path();
}

std::filesystem::path state_folder() {
  return state_folder(
      environment_variable("XDG_STATE_HOME").c_str(), environment_variable("HOME").c_str()
  );
}

}  // namespace espalier
