// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include "espalier/onesided/ucx/ucx_mail.hpp"

namespace espalier::onesided {

/// Mail in the order in which it came, in a bounded ring.
class UcxRing {
public:
  explicit UcxRing(std::size_t capacity) : mail_(capacity) {}

  [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }

  /// False if the ring is full.
  [[nodiscard]] bool push(UcxMail const& mail) noexcept {
    if (size_ == mail_.size()) {
      return false;
    }
    mail_[(first_ + size_) % mail_.size()] = mail;
    ++size_;
    return true;
  }

  /// Takes the oldest one out of a ring that is not empty.
  [[nodiscard]] UcxMail pop() noexcept {
    UcxMail const mail = mail_[first_];
    first_ = (first_ + 1) % mail_.size();
    --size_;
    return mail;
  }

private:
  std::vector<UcxMail> mail_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace espalier::onesided
