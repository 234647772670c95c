// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rules that an administrator shares with all users of an installation.

#pragma once

#include <string>

#include "espalier/plan/settings/settings_text.hpp"

namespace espalier::shim {

/// Whether there is a folder of site files beside this library. Local.
[[nodiscard]] bool may_have_site() noexcept;

/// Reads the site file, if there is one: in the folder `espalier/site` beside this library,
/// whatever prefix or wheel that is in, under the name that memories of this MPI library and kind
/// of machine have. On rank 0, before read_memory().
///
/// A file that others than its owner and group may write, or that belongs to somebody else than
/// root, the owner of this library or this user, is not used. One that this user may not read is
/// not meant for this user, which is said only if messages are asked for.
/// @param text  with memory_path as the user named it; `off`: nothing that was learned is used
void read_site(plan::SettingsText& text, std::string const& library_version);

}  // namespace espalier::shim
