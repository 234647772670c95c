// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>

namespace espalier {

/// Writes a file so that it is either complete or not there: into a temporary name first. Makes the
/// folder if need be. A file that takes the place of another one has its permissions, and its group
/// if this user may give it away.
/// @return 0 or the errno of what went wrong, in which case nothing is left behind.
[[nodiscard]] int
write_file(std::string const& folder, std::string const& name, std::string const& text);

/// Where programs keep files for a user between their runs: `espalier` in the folder that
/// XDG_STATE_HOME names, else below the home folder.
/// @param state_home,home values of XDG_STATE_HOME and HOME; null or empty: not set
/// @return empty if there is no such place.
[[nodiscard]] std::filesystem::path state_folder(char const* state_home, char const* home);
/// The same by the environment.
[[nodiscard]] std::filesystem::path state_folder();

}  // namespace espalier
