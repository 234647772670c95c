// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/json_lines.hpp"

#include <cerrno>
#include <cstddef>
#include <system_error>

#include "espalier/base/error.hpp"

namespace espalier::measure {
namespace {

[[noreturn]] void fail(std::string const& path, int number) {
  throw Error(
      ErrorCode::io,
      path + ": expected a file that can be written, got '" +
          std::generic_category().message(number) + "'"
  );
}

}  // namespace

void JsonLines::Close::operator()(std::FILE* file) const noexcept {
  if (file != stdout) {
    std::fclose(file);
  }
}

JsonLines::JsonLines(std::string const& path)
    : path_(path == "-" ? "standard output" : path),
      file_(path == "-" ? stdout : std::fopen(path.c_str(), "w")) {
  if (!file_) {
    fail(path_, errno);
  }
}

void JsonLines::write(std::string const& line) {
  errno = 0;
  std::string const text = line + "\n";
  std::size_t const written = std::fwrite(text.data(), 1, text.size(), file_.get());
  if (written != text.size() || std::fflush(file_.get()) != 0) {
    fail(path_, errno);
  }
}

}  // namespace espalier::measure
