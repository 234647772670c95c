// SPDX-License-Identifier: Apache-2.0

/// Operations that are underway at the same time, and how they are completed.

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/onesided/suite/suite.hpp"

namespace espalier::onesided::suite {
namespace {

constexpr int num_operations = 2000;
constexpr std::uint64_t slot_bytes = 11;

/// Each rank has a part of every segment, with a place for each of its operations.
class Flight : public Work {
public:
  [[nodiscard]] std::uint64_t segment_bytes(int /*rank*/) const override {
    return std::uint64_t{8} * num_operations * slot_bytes;
  }

protected:
  static Remote place(Conduit const& conduit, int writer, int operation) {
    int const index = writer * num_operations + operation;
    return {
        (writer + operation) % conduit.num_ranks(), static_cast<std::uint64_t>(index) * slot_bytes
    };
  }

  static std::uint64_t seed(int writer, int operation) {
    return static_cast<std::uint64_t>(writer) * 1'000'003 + static_cast<std::uint64_t>(operation);
  }

  static std::vector<std::byte> all_data(int writer) {
    std::vector<std::byte> data;
    for (int i = 0; i < num_operations; ++i) {
      auto const bytes = patterned(seed(writer, i), slot_bytes);
      data.insert(data.end(), bytes.begin(), bytes.end());
    }
    return data;
  }

  /// Whether what others wrote to this rank is there.
  static void check_own(Conduit const& conduit, Checks& checks) {
    int num_wrong = 0;
    for (int writer = 0; writer < conduit.num_ranks(); ++writer) {
      for (int i = 0; i < num_operations; ++i) {
        Remote const at = place(conduit, writer, i);
        if (at.rank == conduit.rank()) {
          auto const bytes = conduit.segment().subspan(at.offset, slot_bytes);
          num_wrong += has_pattern(bytes, seed(writer, i)) ? 0 : 1;
        }
      }
    }
    checks.expect(num_wrong == 0, std::to_string(num_wrong) + " puts are not there");
  }
};

class Handles final : public Flight {
  void run(Conduit& conduit, Checks& checks) override {
    auto data = all_data(conduit.rank());
    std::vector<Handle> handles;
    for (int i = 0; i < num_operations; ++i) {
      auto const* const from = data.data() + static_cast<std::uint64_t>(i) * slot_bytes;
      handles.push_back(conduit.start_put(place(conduit, conduit.rank(), i), from, slot_bytes));
    }
    complete_in_any_order(conduit, handles);
    conduit.barrier();
    check_own(conduit, checks);
    std::vector<std::byte> back(data.size());
    handles.clear();
    for (int i = 0; i < num_operations; ++i) {
      auto* const to = back.data() + static_cast<std::uint64_t>(i) * slot_bytes;
      handles.push_back(conduit.start_get(to, place(conduit, conduit.rank(), i), slot_bytes));
    }
    complete_in_any_order(conduit, handles);
    checks.expect(back == data, "gets bring what was put");
    conduit.barrier();
  }

  /// Waits for some, and tests others until they are over.
  static void complete_in_any_order(Conduit& conduit, std::vector<Handle>& handles) {
    std::mt19937 random(static_cast<unsigned>(conduit.rank()) + 17);
    std::shuffle(handles.begin(), handles.end(), random);
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (i % 3 == 0) {
        poll_until(conduit, [&] { return conduit.test(handles[i]); });
      } else {
        conduit.wait(handles[i]);
      }
    }
  }
};

class Posted final : public Flight {
  void run(Conduit& conduit, Checks& checks) override {
    auto data = all_data(conduit.rank());
    std::vector<std::byte> back(data.size());
    for (int i = 0; i < num_operations; ++i) {
      auto const* const from = data.data() + static_cast<std::uint64_t>(i) * slot_bytes;
      conduit.post_put(place(conduit, conduit.rank(), i), from, slot_bytes);
    }
    conduit.fence();
    for (int i = 0; i < num_operations; ++i) {
      auto* const to = back.data() + static_cast<std::uint64_t>(i) * slot_bytes;
      conduit.post_get(to, place(conduit, conduit.rank(), i), slot_bytes);
    }
    conduit.fence();
    checks.expect(back == data, "gets behind a fence bring what was put before it");
    conduit.barrier();
    check_own(conduit, checks);
    conduit.barrier();
  }
};

/// A handle that is dropped leaves its operation to the fence.
class Dropped final : public Flight {
  void run(Conduit& conduit, Checks& checks) override {
    auto data = all_data(conduit.rank());
    std::vector<std::byte> back(data.size());
    for (int i = 0; i < num_operations; ++i) {
      auto const* const from = data.data() + static_cast<std::uint64_t>(i) * slot_bytes;
      Handle const dropped = conduit.start_put(place(conduit, conduit.rank(), i), from, slot_bytes);
    }
    conduit.fence();
    for (int i = 0; i < num_operations; ++i) {
      auto* const to = back.data() + static_cast<std::uint64_t>(i) * slot_bytes;
      Handle dropped = conduit.start_get(to, place(conduit, conduit.rank(), i), slot_bytes);
      dropped = Handle();
    }
    conduit.wait_until([&] { return conduit.test_fence(); });
    checks.expect(back == data, "a fence completes what dropped handles began");
    conduit.barrier();
    check_own(conduit, checks);
    conduit.barrier();
  }
};

/// The source of a put may be written again when it is locally complete.
class LocalCompletion final : public Work {
  void run(Conduit& conduit, Checks& checks) override {
    for (std::size_t const num_bytes : {std::size_t{8}, std::size_t{50'001}}) {
      auto const seed = static_cast<std::uint64_t>(conduit.rank()) + num_bytes;
      auto data = patterned(seed, num_bytes);
      Handle by_wait = conduit.start_put({right(conduit), 3}, data.data(), num_bytes);
      conduit.wait_local(by_wait);
      std::ranges::fill(data, std::byte{0});
      checks.expect(by_wait.is_open(), "a handle stays open when it is locally complete");
      checks.expect(conduit.test_local(by_wait), "local completion can be asked for again");
      conduit.wait(by_wait);
      checks.expect(!by_wait.is_open(), "a handle is over after its wait");
      std::vector<std::byte> back(num_bytes);
      conduit.get(back.data(), {right(conduit), 3}, num_bytes);
      checks.expect(has_pattern(back, seed), "data that was replaced after local completion");
    }
    conduit.barrier();
  }
};

}  // namespace

std::vector<Case> flight_cases() {
  return {
      {"handles", make<Handles>},
      {"posted", make<Posted>},
      {"dropped_handles", make<Dropped>},
      {"local_completion", make<LocalCompletion>},
  };
}

}  // namespace espalier::onesided::suite
