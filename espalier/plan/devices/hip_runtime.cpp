// SPDX-License-Identifier: Apache-2.0

/// @file
/// HIP, the runtime of ROCm, by its names and numbers.

#include <string>

#include "espalier/base/error.hpp"
#include "espalier/plan/devices/device_runtime.hpp"
#include "espalier/plan/devices/loaded_library.hpp"

namespace espalier::plan {
namespace {

constexpr int success = 0;
constexpr int pointer_memory_type = 2;
constexpr int copy_by_addresses = 4;  // hipMemcpyDefault
// From this version on, 0 is memory that HIP does not know, and device memory is 2; before, 0 is
// that of the host, and device memory is 1.
constexpr int version_with_unregistered = 60000000;

struct Functions {
  int (*pointer_attribute)(void*, int, void*) = nullptr;
  int (*copy)(void*, void const*, std::size_t, int) = nullptr;
  int (*version)(int*) = nullptr;
};

class HipRuntime final : public DeviceRuntime {
public:
  explicit HipRuntime(Functions functions) noexcept : functions_(functions) {
    int version = 0;
    functions_.version(&version);
    device_memory_ = version >= version_with_unregistered ? 2U : 1U;
  }

  /// Addresses that HIP does not know are errors, or of another type.
  [[nodiscard]] bool holds(void const* address) const noexcept override {
    unsigned int type = 0;
    int const code =
        functions_.pointer_attribute(&type, pointer_memory_type, const_cast<void*>(address));
    return code == success && type == device_memory_;
  }

  void copy(void* to, void const* from, std::size_t num_bytes) const override {
    int const code = functions_.copy(to, from, num_bytes, copy_by_addresses);
    if (code != success) {
      throw Error(
          ErrorCode::unsupported,
          "expected HIP to copy " + std::to_string(num_bytes) +
              " bytes from or to device memory, got its error " + std::to_string(code)
      );
    }
  }

private:
  Functions functions_;
  unsigned int device_memory_ = 0;
};

}  // namespace

std::shared_ptr<DeviceRuntime const> hip_runtime() {
  LoadedLibrary const library(
      {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}
  );
  Functions const functions{
      .pointer_attribute = library.find<int(void*, int, void*)>("hipPointerGetAttribute"),
      .copy = library.find<int(void*, void const*, std::size_t, int)>("hipMemcpy"),
      .version = library.find<int(int*)>("hipRuntimeGetVersion"),
  };
  bool const is_complete = functions.pointer_attribute != nullptr && functions.copy != nullptr &&
                           functions.version != nullptr;
  return is_complete ? std::make_shared<HipRuntime const>(functions) : nullptr;
}

}  // namespace espalier::plan
