// SPDX-License-Identifier: Apache-2.0

#include "espalier/simulation/journal.hpp"

#include <chrono>
#include <cstdio>
#include <string_view>
#include <sys/resource.h>

#include <fmt/core.h>
#include <simgrid/s4u.hpp>

#include "espalier/base/error.hpp"

namespace espalier::simulation {
namespace {

using Clock = std::chrono::steady_clock;
using simgrid::s4u::Engine;

constexpr std::chrono::milliseconds between_lines{250};

/// Steps of the simulator are shorter than a look at the clock is worth.
constexpr int steps_between_looks = 64;

class Journal {
public:
  explicit Journal(std::string const& path) : file_(std::fopen(path.c_str(), "we")) {
    if (file_ == nullptr) {
      throw Error(
          ErrorCode::io,
          path + ": expected a file that can be written, for ESPALIER_SIMULATED_JOURNAL"
      );
    }
  }

  void start(int num_hosts) { write(fmt::format(R"("start", "num_hosts": {})", num_hosts)); }

  void deadlock() { write(fmt::format(R"("deadlock", "seconds": {})", Engine::get_clock())); }

  void end() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    write(fmt::format(
        R"("end", "seconds": {}, "memory_bytes": {})", Engine::get_clock(), usage.ru_maxrss * 1024
    ));
  }

  void step() {
    if (++num_steps_ % steps_between_looks != 0) {
      return;
    }
    Clock::time_point const now = Clock::now();
    if (now - last_ >= between_lines) {
      last_ = now;
      write(fmt::format(R"("clock", "seconds": {})", Engine::get_clock()));
    }
  }

private:
  void write(std::string_view body) {
    fmt::print(file_, "{{\"kind\": {}}}\n", body);
    std::fflush(file_);
  }

  std::FILE* file_;
  Clock::time_point last_ = Clock::now();
  int num_steps_ = 0;
};

}  // namespace

void keep_journal(std::string const& path, int num_hosts) {
  // Lives as long as the process: the simulator may call it until its own end.
  static auto* const journal = new Journal(path);
  journal->start(num_hosts);
  Engine::on_time_advance_cb([](double) { journal->step(); });
  Engine::on_deadlock_cb([] { journal->deadlock(); });
  Engine::on_simulation_end_cb([] { journal->end(); });
}

}  // namespace espalier::simulation
