// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/single_copy.hpp"

#include <sys/uio.h>

namespace espalier::exec::node {

bool read_memory(pid_t process, void const* from, void* to, std::size_t num_bytes) noexcept {
  auto const* source = static_cast<std::byte const*>(from);
  auto* destination = static_cast<std::byte*>(to);
  while (num_bytes > 0) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): reading takes no const pointer.
    iovec const remote{.iov_base = const_cast<std::byte*>(source), .iov_len = num_bytes};
    iovec const local{.iov_base = destination, .iov_len = num_bytes};
    ssize_t const num_read = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (num_read <= 0) {
      return false;
    }
    source += num_read;
    destination += num_read;
    num_bytes -= static_cast<std::size_t>(num_read);
  }
  return true;
}

}  // namespace espalier::exec::node
