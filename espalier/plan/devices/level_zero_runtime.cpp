// SPDX-License-Identifier: Apache-2.0

/// @file
/// Level Zero, the interface of Intel's accelerators, by its names and numbers. Programs make
/// contexts of their own, in SYCL for example; a context of ours knows their memory, too, as the
/// driver does.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/plan/devices/device_runtime.hpp"
#include "espalier/plan/devices/loaded_library.hpp"

namespace espalier::plan {
namespace {

using Handle = void*;  // of a driver, a context, a device, a list of commands

constexpr int success = 0;
constexpr int device_memory = 2;
constexpr int synchronous = 1;

/// Numbers by which structures are told apart.
enum class Structure : int { context = 0xd, queue = 0xe, allocation = 0x17 };

struct ContextDescription {
  Structure structure = Structure::context;
  void const* next = nullptr;
  std::uint32_t flags = 0;
};

struct QueueDescription {
  Structure structure = Structure::queue;
  void const* next = nullptr;
  std::uint32_t group = 0;
  std::uint32_t index = 0;
  std::uint32_t flags = 0;
  int mode = synchronous;
  int priority = 0;
};

struct Allocation {
  Structure structure = Structure::allocation;
  void* next = nullptr;
  int type = 0;
  std::uint64_t id = 0;
  std::uint64_t page_size = 0;
};

struct Functions {
  int (*init)(std::uint32_t) = nullptr;
  int (*get_drivers)(std::uint32_t*, Handle*) = nullptr;
  int (*create_context)(Handle, ContextDescription const*, Handle*) = nullptr;
  int (*find_allocation)(Handle, void const*, Allocation*, Handle*) = nullptr;
  int (*create_list)(Handle, Handle, QueueDescription const*, Handle*) = nullptr;
  int (*copy)(Handle, void*, void const*, std::size_t, Handle, std::uint32_t, Handle*) = nullptr;

  [[nodiscard]] bool is_complete() const noexcept {
    return init != nullptr && get_drivers != nullptr && create_context != nullptr &&
           find_allocation != nullptr && create_list != nullptr && copy != nullptr;
  }
};

void check(int code, std::string const& what) {
  if (code != success) {
    throw Error(
        ErrorCode::unsupported,
        "expected Level Zero to " + what + ", got its error " + std::to_string(code)
    );
  }
}

/// One context for each driver; none if there is no driver for a device that is there.
std::vector<Handle> make_contexts(Functions const& functions) {
  std::uint32_t num_drivers = 0;
  if (functions.init(0) != success || functions.get_drivers(&num_drivers, nullptr) != success) {
    return {};
  }
  std::vector<Handle> drivers(num_drivers);
  if (functions.get_drivers(&num_drivers, drivers.data()) != success) {
    return {};
  }
  std::vector<Handle> contexts;
  for (Handle const driver : drivers) {
    ContextDescription const description;
    Handle context = nullptr;
    if (functions.create_context(driver, &description, &context) == success) {
      contexts.push_back(context);
    }
  }
  return contexts;
}

/// Contexts and lists of commands live as long as the process, as the runtime may end before us.
class LevelZeroRuntime final : public DeviceRuntime {
public:
  LevelZeroRuntime(Functions const& functions, std::vector<Handle> contexts)
      : functions_(functions), contexts_(std::move(contexts)) {}

  [[nodiscard]] bool holds(void const* address) const noexcept override {
    return find(address).device != nullptr;
  }

  void copy(void* to, void const* from, std::size_t num_bytes) const override {
    Place const found = find(to);
    Place const place = found.device != nullptr ? found : find(from);
    std::lock_guard const lock(mutex_);
    check(
        functions_.copy(list_of(place), to, from, num_bytes, nullptr, 0, nullptr),
        "copy " + std::to_string(num_bytes) + " bytes from or to device memory"
    );
  }

private:
  struct Place {
    Handle context = nullptr;
    Handle device = nullptr;  ///< null: the processor may touch it
  };

  /// Addresses that a driver does not know are of another type.
  [[nodiscard]] Place find(void const* address) const noexcept {
    for (Handle const context : contexts_) {
      Allocation allocation;
      Handle device = nullptr;
      if (functions_.find_allocation(context, address, &allocation, &device) == success &&
          allocation.type == device_memory) {
        return {.context = context, .device = device};
      }
    }
    return {};
  }

  /// Its commands are complete when the call that adds them returns. One thread at a time may use
  /// it.
  [[nodiscard]] Handle list_of(Place const& place) const {
    Handle& list = lists_[place.device];
    if (list == nullptr) {
      QueueDescription const description;
      check(
          functions_.create_list(place.context, place.device, &description, &list),
          "make a list of commands"
      );
    }
    return list;
  }

  Functions functions_;
  std::vector<Handle> contexts_;
  mutable std::mutex mutex_;                ///< guards what follows
  mutable std::map<Handle, Handle> lists_;  ///< of devices, made on first use
};

}  // namespace

std::shared_ptr<DeviceRuntime const> level_zero_runtime() {
  LoadedLibrary const library({"libze_loader.so.1", "libze_loader.so"});
  Functions const functions{
      .init = library.find<int(std::uint32_t)>("zeInit"),
      .get_drivers = library.find<int(std::uint32_t*, Handle*)>("zeDriverGet"),
      .create_context =
          library.find<int(Handle, ContextDescription const*, Handle*)>("zeContextCreate"),
      .find_allocation =
          library.find<int(Handle, void const*, Allocation*, Handle*)>("zeMemGetAllocProperties"),
      .create_list = library.find<int(Handle, Handle, QueueDescription const*, Handle*)>(
          "zeCommandListCreateImmediate"
      ),
      .copy =
          library
              .find<int(Handle, void*, void const*, std::size_t, Handle, std::uint32_t, Handle*)>(
                  "zeCommandListAppendMemoryCopy"
              ),
  };
  std::vector<Handle> contexts =
      functions.is_complete() ? make_contexts(functions) : std::vector<Handle>{};
  return contexts.empty()
             ? nullptr
             : std::make_shared<LevelZeroRuntime const>(functions, std::move(contexts));
}

}  // namespace espalier::plan
