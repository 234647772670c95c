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

constexpr int success = 0;
constexpr int pointer_context = 1;
constexpr int pointer_memory_type = 2;
constexpr int pointer_is_managed = 8;
constexpr unsigned int device_memory = 2;

struct Functions {
  int (*pointer_attribute)(void*, int, Pointer) = nullptr;
  int (*copy)(Pointer, Pointer, std::size_t) = nullptr;
  int (*push)(Context) = nullptr;
  int (*pop)(Context*) = nullptr;
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

  /// The calling thread may have another context, or none.
  void copy(void* to, void const* from, std::size_t num_bytes) const override {
    void const* const device = holds(to) ? to : from;
    Context context = nullptr;
    int code = functions_.pointer_attribute(&context, pointer_context, number_of(device));
    if (code == success) {
      code = functions_.push(context);
    }
    if (code == success) {
      code = functions_.copy(number_of(to), number_of(from), num_bytes);
      Context popped = nullptr;
      functions_.pop(&popped);
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
  };
  bool const is_complete = functions.pointer_attribute != nullptr && functions.copy != nullptr &&
                           functions.push != nullptr && functions.pop != nullptr;
  return is_complete ? std::make_shared<CudaRuntime const>(functions) : nullptr;
}

}  // namespace espalier::plan
