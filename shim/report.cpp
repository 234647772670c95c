// SPDX-License-Identifier: Apache-2.0

#include "shim/report.hpp"

#include <cstdio>

namespace espalier::shim {

void print_line(std::string const& line) noexcept {
  std::fprintf(stderr, "espalier: %s\n", line.c_str());
}

}  // namespace espalier::shim
