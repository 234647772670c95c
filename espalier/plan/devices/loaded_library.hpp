// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <dlfcn.h>
#include <initializer_list>

namespace espalier::plan {

/// A shared library that somebody else loaded into this process; it stays from now on.
class LoadedLibrary {
public:
  /// The first of these names that the process has.
  explicit LoadedLibrary(std::initializer_list<char const*> names) noexcept {
    for (char const* const name : names) {
      if (handle_ == nullptr) {
        handle_ = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
      }
    }
  }

  /// Null if there is no such library, or no such function.
  template <typename Function> [[nodiscard]] Function* find(char const* name) const noexcept {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
  }

private:
  void* handle_ = nullptr;
};

}  // namespace espalier::plan
