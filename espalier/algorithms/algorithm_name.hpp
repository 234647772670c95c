// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string_view>

namespace espalier::algorithms {

/// The name of an algorithm, as `ring`. It does not compile in a file of another name: the catalog
/// lists files, so an algorithm by another name would be taken for its neighbour.
class AlgorithmName : public std::string_view {
public:
  /// Implicit: an algorithm gives a text.
  consteval AlgorithmName(char const* name, char const* file = __builtin_FILE())
      : std::string_view(name), folder_(folder_of(file)) {
    if (stem_of(file) != *this) {
      // A compiler shows this line. Not a call of what is nowhere defined: clang 14 compiles it.
      throw std::logic_error("set the name to that of the file, without folder and suffix");
    }
  }

  /// Of the file: the name of the collective.
  [[nodiscard]] constexpr std::string_view folder() const noexcept { return folder_; }

private:
  static constexpr std::string_view after_slash(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
  }

  static constexpr std::string_view stem_of(std::string_view path) {
    return after_slash(path.substr(0, path.rfind('.')));
  }

  static constexpr std::string_view folder_of(std::string_view path) {
    return after_slash(path.substr(0, path.rfind('/')));
  }

  std::string_view folder_;
};

}  // namespace espalier::algorithms
