// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the tests of errors of espalier_onesided.h share.

#pragma once

#include <string>

#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace espalier::test {

/// What is said of wrong calls.
class Errors {
public:
  explicit Errors(Checks& checks) : checks_(&checks) {}

  /// The code has the class, a handler heard of it once, and the text has this in it; nothing where
  /// there is no text.
  void expect(int code, int error_class, std::string const& part, std::string const& what) {
    std::string const text = last_text();
    checks_->expect(part.empty() || text.find(part) != std::string::npos, what + ": " + text);
    expect_handled(*checks_, code, error_class, what);
  }

private:
  Checks* checks_;
};

}  // namespace espalier::test
