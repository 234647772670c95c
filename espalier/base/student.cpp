// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/student.hpp"

namespace espalier {

// From three degrees on: expansion in 1 / degrees around the normal quantile z, whose coefficients
// are polynomials in z [abramowitz1964, 26.7.5]; the first two have closed forms.
double student_quantile(std::size_t degrees_of_freedom) noexcept {
  constexpr double z = 1.959963984540054;
  constexpr double z2 = z * z;
  if (degrees_of_freedom == 1) {
    return 12.706204736432095;
  }
  if (degrees_of_freedom == 2) {
    return 4.302652729696142;
  }
  constexpr double first = z * (z2 + 1) / 4;
  constexpr double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  constexpr double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  constexpr double fourth = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  double const n = 1.0 / static_cast<double>(degrees_of_freedom);
  return z + n * (first + n * (second + n * (third + n * fourth)));
}

}  // namespace espalier
