// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <dlfcn.h>
#include <initializer_list>
#include <string_view>

#include <link.h>

namespace espalier::plan {

/// A shared library that somebody else loaded into this process; it stays from now on.
class LoadedLibrary {
public:
  /// The first of these names that the process has.
  /// @param names  of versions of one library
  explicit LoadedLibrary(std::initializer_list<char const*> names) noexcept {
    if (!has_any(*names.begin())) {
      return;
    }
    for (char const* const name : names) {
      if (handle_ == nullptr) {
        handle_ = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
      }
    }
  }

  /// Whether the process has a library, in any version. Most processes do not have those that are
  /// asked for, and the dynamic linker would look through all folders for each name.
  /// @param name  `libx.so`, as in the constructor
  [[nodiscard]] static bool has_any(std::string_view name) noexcept {
    std::string_view start = name.substr(0, name.find(".so"));
    auto const is_it = [](dl_phdr_info* library, std::size_t, void* wanted) {
      std::string_view const path = library->dlpi_name != nullptr ? library->dlpi_name : "";
      std::string_view const file = path.substr(path.rfind('/') + 1);
      return file.starts_with(*static_cast<std::string_view const*>(wanted)) ? 1 : 0;
    };
    return dl_iterate_phdr(is_it, &start) != 0;
  }

  /// Null if there is no such library, or no such function.
  template <typename Function> [[nodiscard]] Function* find(char const* name) const noexcept {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
  }

private:
  void* handle_ = nullptr;
};

}  // namespace espalier::plan
