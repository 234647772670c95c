// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/buffers.hpp"

#include <cstdio>

namespace bent {

void Digest::add(void const* bytes, std::size_t length) {
  auto const* const first = static_cast<unsigned char const*>(bytes);
  for (std::size_t i = 0; i < length; ++i) {
    state_ = (state_ ^ first[i]) * 0x100000001B3U;
  }
}

std::string Digest::text() const {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state_));
  return text;
}

void Buffer::fill(Random random) {
  for (unsigned char& byte : bytes_) {
    byte = static_cast<unsigned char>(random.next());
  }
}

}  // namespace bent
