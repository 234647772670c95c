// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <unistd.h>

#include "espalier/base/environment.hpp"

namespace espalier {
namespace {

/// errno, which some failures leave at 0.
int error_number() noexcept {
  return errno == 0 ? EIO : errno;
}

int write_text(std::string const& path, std::string const& text) noexcept {
  errno = 0;
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return error_number();
  }
  bool const is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int const problem = is_written ? 0 : error_number();
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
  int code = write_text(temporary, text);
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
