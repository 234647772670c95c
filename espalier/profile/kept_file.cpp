// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/kept_file.hpp"

#include <filesystem>
#include <system_error>

#include "espalier/base/error.hpp"
#include "espalier/base/file_lock.hpp"
#include "espalier/base/whole_file.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::profile {

namespace fs = std::filesystem;

std::string kept_text(std::string const& path) {
  std::error_code problem;  // of a folder that is not there
  return fs::exists(path, problem) ? read_text(path) : std::string();
}

void change_kept_file(
    std::string const& path, std::function<std::string(std::string const&)> const& changed
) {
  std::error_code problem;  // the lock says what is wrong
  fs::create_directories(fs::path(path).parent_path(), problem);
  fs::path file = fs::weakly_canonical(path, problem);
  file = problem ? fs::path(path) : file;
  FileLock const lock(file);
  int const code =
      write_file(file.parent_path().string(), file.filename().string(), changed(kept_text(path)));
  if (code != 0) {
    throw Error(ErrorCode::io, path + ": " + std::generic_category().message(code));
  }
}

}  // namespace espalier::profile
