// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/call_in_file.hpp"

#include "espalier/base/error.hpp"

namespace espalier::profile {

Call call_in_file(Field const& field) {
  try {
    return parse_call(field.text());
  } catch (Error const& error) {
    field.fail("a known collective", "'" + field.text() + "' (" + error.what() + ")");
  }
}

}  // namespace espalier::profile
