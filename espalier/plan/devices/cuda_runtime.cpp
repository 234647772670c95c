// SPDX-License-Identifier: Apache-2.0

/// @file
/// The driver interface of CUDA, by its names and numbers. Whatever programs use above it, their
/// device memory is known here.

#include <cstdint>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/plan/devices/device_runtime.hpp"
#include "espalier/plan/devices/loaded_library.hpp"

namespace espalier::plan {
namespace {

using Pointer = unsigned long long;  // CUdeviceptr
using Context = void*;               // CUcontext
using Device = int;                  // CUdevice, which is its ordinal

constexpr int success = 0;
constexpr int pointer_context = 1;
constexpr int pointer_memory_type = 2;
constexpr int pointer_is_managed = 8;
constexpr int pointer_device_ordinal = 9;
constexpr unsigned int device_memory = 2;

struct Functions {
  int (*pointer_attribute)(void*, int, Pointer) = nullptr;
  int (*copy)(Pointer, Pointer, std::size_t) = nullptr;
  int (*push)(Context) = nullptr;
  int (*pop)(Context*) = nullptr;
  int (*retain)(Context*, Device) = nullptr;
  int (*release)(Device) = nullptr;

  [[nodiscard]] bool are_complete() const noexcept {
    return pointer_attribute != nullptr && copy != nullptr && push != nullptr && pop != nullptr &&
           retain != nullptr && release != nullptr;
  }
};

Pointer number_of(void const* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

class CudaRuntime final : public DeviceRuntime {
public:
  explicit CudaRuntime(Functions functions) noexcept : functions_(functions) {}

  /// Addresses that CUDA does not know, and all of them before it is initialised, are errors.
  [[nodiscard]] bool holds(void const* address) const noexcept override {
    unsigned int type = 0;
    if (functions_.pointer_attribute(&type, pointer_memory_type, number_of(address)) != success ||
        type != device_memory) {
      return false;
    }
    unsigned int is_managed = 0;
    functions_.pointer_attribute(&is_managed, pointer_is_managed, number_of(address));
    return is_managed == 0;
  }

  /// The calling thread may have another context, or none. Memory of pools (cudaMallocAsync) and of
  /// virtual addresses belongs to none; the primary one of its device reaches it.
  void copy(void* to, void const* from, std::size_t num_bytes) const override {
    Pointer const device = number_of(holds(to) ? to : from);
    Context context = nullptr;
    int code =
        functions_.pointer_attribute(reinterpret_cast<void*>(&context), pointer_context, device);
    if (code == success && context != nullptr) {
      code = copy_in(context, to, from, num_bytes);
    } else {
      code = copy_in_primary(device, to, from, num_bytes);
    }
    if (code != success) {
      throw Error(
          ErrorCode::unsupported,
          "expected CUDA to copy " + std::to_string(num_bytes) +
              " bytes from or to device memory, got its error " + std::to_string(code)
      );
    }
  }

private:
  int copy_in(Context context, void* to, void const* from, std::size_t num_bytes) const noexcept {
    int code = functions_.push(context);
    if (code == success) {
      code = functions_.copy(number_of(to), number_of(from), num_bytes);
      Context popped = nullptr;
      functions_.pop(&popped);
    }
    return code;
  }

  int copy_in_primary(Pointer pointer, void* to, void const* from, std::size_t num_bytes)
      const noexcept {
    Device device = 0;
    Context context = nullptr;
    int code = functions_.pointer_attribute(&device, pointer_device_ordinal, pointer);
    if (code == success) {
      code = functions_.retain(&context, device);
    }
    if (code == success) {
      code = copy_in(context, to, from, num_bytes);
      functions_.release(device);
    }
    return code;
  }

  Functions functions_;
};

}  // namespace

std::shared_ptr<DeviceRuntime const> cuda_runtime() {
  LoadedLibrary const library({"libcuda.so.1", "libcuda.so"});
  Functions const functions{
      .pointer_attribute = library.find<int(void*, int, Pointer)>("cuPointerGetAttribute"),
      .copy = library.find<int(Pointer, Pointer, std::size_t)>("cuMemcpy"),
      .push = library.find<int(Context)>("cuCtxPushCurrent_v2"),
      .pop = library.find<int(Context*)>("cuCtxPopCurrent_v2"),
      .retain = library.find<int(Context*, Device)>("cuDevicePrimaryCtxRetain"),
      .release = library.find<int(Device)>("cuDevicePrimaryCtxRelease_v2"),
  };
  return functions.are_complete() ? std::make_shared<CudaRuntime const>(functions) : nullptr;
}

}  // namespace espalier::plan
