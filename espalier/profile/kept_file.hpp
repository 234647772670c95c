// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>

namespace espalier::profile {

/// The text of a file that programs keep between their runs; empty if there is none yet.
/// @throws Error io if it is there and cannot be read.
[[nodiscard]] std::string kept_text(std::string const& path);

/// Replaces a file that programs keep, which nobody else changes meanwhile. It is written as a
/// whole or not at all; its folder is made if need be. A link stays, and what it names is written.
/// Permissions and group stay, as write_file() keeps them.
/// @param changed  the new text, made from the present one, which is empty if there is no file
/// @throws Error io if the file cannot be locked, read or written; and what `changed` throws. The
///     file is as before then.
void change_kept_file(
    std::string const& path, std::function<std::string(std::string const&)> const& changed
);

}  // namespace espalier::profile
