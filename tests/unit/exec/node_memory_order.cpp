// SPDX-License-Identifier: Apache-2.0

/// The flags of a channel under every interleaving and every value that a load may see. The code is
/// that of the channel; the memory is a model of C++'s, restricted to what the channel uses:
///
/// * Each atomic is a list of stores, in the order of its one writer. A load may see any store that
///   is not older than the last one of this atomic that its thread knows of (coherence).
/// * A thread knows of stores: its own, and with a store that it loads with acquire, and that was
///   made with release, all that the storing thread knew then.
/// * Data is a list of writes, too. Reading it, or writing it, without knowing of the last write is
///   a data race; so is writing it without knowing of the last read.
///
/// Sequential consistency is not assumed, and neither are stores visible at some time: a run is
/// followed until both threads are done or wait for nothing but older values.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/exec/node/flow.hpp"

namespace espalier::exec::node {
namespace {

/// Numbers of stores that are known, by place in memory.
using Knowledge = std::vector<std::size_t>;

void join(Knowledge& knowledge, Knowledge const& other) {
  for (std::size_t i = 0; i < knowledge.size(); ++i) {
    knowledge[i] = std::max(knowledge[i], other[i]);
  }
}

/// One run of the model, which follows given choices and then takes the first of each.
class Memory {
public:
  Memory(std::size_t num_places, std::vector<std::size_t>& choices)
      : choices_(&choices), stores_(num_places, {Store{}}), known_(2, Knowledge(num_places, 0)) {
    for (auto& stores : stores_) {
      stores.front().known.assign(num_places, 0);
    }
  }

  /// One of `num_options`, all of which are taken in some run.
  std::size_t choose(std::size_t num_options) {
    if (next_ == choices_->size()) {
      choices_->push_back(0);
      options_.push_back(num_options);
    } else if (options_.size() <= next_) {
      options_.push_back(num_options);
    }
    return (*choices_)[next_++];
  }

  /// The choices of the next run; false if there is none.
  bool advance() {
    choices_->resize(next_);
    while (!choices_->empty() && choices_->back() + 1 == options_[choices_->size() - 1]) {
      choices_->pop_back();
    }
    if (choices_->empty()) {
      return false;
    }
    ++choices_->back();
    return true;
  }

  void run_as(std::size_t thread) { thread_ = thread; }

  std::uint32_t load(std::size_t place, std::memory_order order) {
    auto const& stores = stores_[place];
    std::size_t const oldest = known()[place];
    // The newest first, so that runs end.
    std::size_t const index = stores.size() - 1 - choose(stores.size() - oldest);
    Store const& seen = stores[index];
    known()[place] = index;
    if (order == std::memory_order_acquire && seen.order == std::memory_order_release) {
      join(known(), seen.known);
    }
    return seen.value;
  }

  void store(std::size_t place, std::uint32_t value, std::memory_order order) {
    known()[place] = stores_[place].size();
    stores_[place].push_back({.value = value, .order = order, .known = known()});
  }

  /// Access to data, of which `readers` has the reads since the last write.
  std::uint32_t read(std::size_t place, std::size_t readers) {
    has_race_ = has_race_ || known()[place] + 1 != stores_[place].size();
    store(readers, 0, std::memory_order_relaxed);
    return stores_[place].back().value;
  }

  void write(std::size_t place, std::size_t readers, std::uint32_t value) {
    has_race_ = has_race_ || known()[place] + 1 != stores_[place].size() ||
                known()[readers] + 1 != stores_[readers].size();
    store(place, value, std::memory_order_relaxed);
  }

  [[nodiscard]] bool has_race() const { return has_race_; }

private:
  struct Store {
    std::uint32_t value = 0;
    std::memory_order order = std::memory_order_relaxed;
    Knowledge known{};
  };

  Knowledge& known() { return known_[thread_]; }

  std::vector<std::size_t>* choices_;
  std::vector<std::size_t> options_;
  std::size_t next_ = 0;
  std::vector<std::vector<Store>> stores_;
  std::vector<Knowledge> known_;
  std::size_t thread_ = 0;
  bool has_race_ = false;
};

/// What the code of the channel takes for an atomic number.
struct ModelFlag {
  Memory* memory = nullptr;
  std::size_t place = 0;

  [[nodiscard]] std::uint32_t load(std::memory_order order) const {
    return memory->load(place, order);
  }

  void store(std::uint32_t value, std::memory_order order) { memory->store(place, value, order); }
};

template <std::uint32_t num, std::uint32_t group> struct Right {
  static constexpr std::uint32_t lines = num;
  static constexpr std::uint32_t at_once = group;
  static constexpr std::uint32_t chunks = num;  ///< for some messages, used in turn
  static constexpr std::uint32_t chunk_room = chunks;
  static constexpr std::uint32_t chunks_at_once = group;
  static constexpr auto store = std::memory_order_release;
  static constexpr auto load = std::memory_order_acquire;
};

/// Fewer chunks than lines, which are given back in smaller groups.
struct FewChunks : Right<4, 2> {
  static constexpr std::uint32_t chunks = 2;
  static constexpr std::uint32_t chunk_room = chunks;
  static constexpr std::uint32_t chunks_at_once = 1;
};

/// A chunk is written as soon as its line may be.
struct ChunksOfOthers : FewChunks {
  static constexpr std::uint32_t chunk_room = lines;
};

struct RelaxedStores : Right<2, 1> {
  static constexpr auto store = std::memory_order_relaxed;
};

struct RelaxedLoads : Right<2, 1> {
  static constexpr auto load = std::memory_order_relaxed;
};

struct Findings {
  long num_runs = 0;
  long num_complete = 0;
  bool has_race = false;
  bool has_wrong_value = false;
};

/// A writer that sends 1, 2, 3, ... and a reader. Steps of one thread lie between two choices of
/// the scheduler; each has at most one access to a flag that the other thread can store to, so
/// nothing is lost by not switching inside.
template <typename Rules> class Run {
public:
  Run(Memory& memory, std::uint32_t num_messages) : memory_(&memory), num_messages_(num_messages) {
    for (std::size_t i = 0; i < flags_.size(); ++i) {
      flags_[i] = {.memory = &memory, .place = i};
    }
  }

  static constexpr std::size_t num_places = 3 * Rules::lines + 1 + 2 * Rules::chunks;

  void run(Findings& findings) {
    Flags<ModelFlag> const flags{
        .first = flags_.data(), .stride_bytes = sizeof(ModelFlag), .consumed = &flags_.back()
    };
    memory_->run_as(0);
    Outflow<ModelFlag, Rules> outflow(flags);
    memory_->run_as(1);
    Inflow<ModelFlag, Rules> inflow(flags);
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    // A thread that finds nothing has to be let wait only so often: it learns no more.
    int patience = 2;
    while (received < num_messages_ && patience > 0) {
      bool const is_writer = sent < num_messages_ && memory_->choose(2) == 0;
      memory_->run_as(is_writer ? 0 : 1);
      bool const has_moved = is_writer ? send(outflow, sent) : receive(inflow, received, findings);
      patience -= has_moved ? 0 : 1;
    }
    findings.num_complete += received == num_messages_ ? 1 : 0;
    findings.has_race = findings.has_race || memory_->has_race();
  }

private:
  // Behind the flags of lines and `consumed`: data, and readers of data.
  static std::size_t data(std::uint32_t line) { return Rules::lines + 1 + line; }

  static std::size_t readers(std::uint32_t line) { return 2 * Rules::lines + 1 + line; }

  static std::size_t chunk(std::uint32_t line) {
    return 3 * Rules::lines + 1 + line % Rules::chunks;
  }

  static std::size_t readers_of_chunk(std::uint32_t line) { return chunk(line) + Rules::chunks; }

  /// Two of three messages: chunks follow on each other, and on messages without one.
  static bool has_chunk(std::uint32_t message) { return message % 3 != 0; }

  bool send(Outflow<ModelFlag, Rules>& outflow, std::uint32_t& sent) {
    bool const is_chunk = has_chunk(sent + 1);
    if (!outflow.has_room(is_chunk ? Rules::chunk_room : Rules::lines)) {
      return false;
    }
    std::uint32_t const line = outflow.line();
    memory_->write(data(line), readers(line), ++sent);
    if (is_chunk) {
      memory_->write(chunk(line), readers_of_chunk(line), sent);
    }
    outflow.publish();
    return true;
  }

  bool receive(Inflow<ModelFlag, Rules>& inflow, std::uint32_t& received, Findings& findings) {
    if (!inflow.has_fragment()) {
      return false;
    }
    std::uint32_t const line = inflow.line();
    bool const is_chunk = has_chunk(++received);
    bool const is_right =
        memory_->read(data(line), readers(line)) == received &&
        (!is_chunk || memory_->read(chunk(line), readers_of_chunk(line)) == received);
    findings.has_wrong_value = findings.has_wrong_value || !is_right;
    inflow.release(is_chunk ? Rules::chunks_at_once : Rules::at_once);
    return true;
  }

  Memory* memory_;
  std::uint32_t num_messages_;
  std::array<ModelFlag, Rules::lines + 1> flags_;
};

template <typename Rules> Findings explore(std::uint32_t num_messages) {
  Findings findings;
  std::vector<std::size_t> choices;
  for (;;) {
    Memory memory(Run<Rules>::num_places, choices);
    Run<Rules>(memory, num_messages).run(findings);
    ++findings.num_runs;
    if (!memory.advance()) {
      return findings;
    }
  }
}

TEST(NodeMemoryOrder, NoLineIsReadOrWrittenBeforeItIsGivenAway) {
  for (Findings const& found :
       {explore<Right<1, 1>>(4),
        explore<Right<2, 1>>(5),
        explore<Right<4, 2>>(7),
        explore<FewChunks>(7)}) {
    EXPECT_GT(found.num_runs, 100);
    EXPECT_GT(found.num_complete, 10);
    EXPECT_FALSE(found.has_race);
    EXPECT_FALSE(found.has_wrong_value);
  }
}

TEST(NodeMemoryOrder, TheModelFindsStoresThatAreTooWeak) {
  EXPECT_TRUE(explore<RelaxedStores>(4).has_race);
}

TEST(NodeMemoryOrder, TheModelFindsAChunkThatIsWrittenTooEarly) {
  EXPECT_TRUE(explore<ChunksOfOthers>(7).has_race);
}

TEST(NodeMemoryOrder, TheModelFindsLoadsThatAreTooWeak) {
  EXPECT_TRUE(explore<RelaxedLoads>(4).has_race);
}

}  // namespace
}  // namespace espalier::exec::node
