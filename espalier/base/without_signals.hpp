// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <csignal>

namespace espalier {

/// While it lives, this thread gets no signal, nor do threads that it starts: those are for the
/// program.
class WithoutSignals {
public:
  WithoutSignals() noexcept {
    sigset_t all{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }

  WithoutSignals(WithoutSignals const&) = delete;
  WithoutSignals& operator=(WithoutSignals const&) = delete;
  WithoutSignals(WithoutSignals&&) = delete;
  WithoutSignals& operator=(WithoutSignals&&) = delete;

  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

}  // namespace espalier
