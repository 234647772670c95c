// SPDX-License-Identifier: Apache-2.0

// The header also compiles alone.
#include "tests/shim/planned.hpp"
