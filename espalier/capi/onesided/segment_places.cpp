// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/segment_places.hpp"

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::capi {

using onesided::counter_bytes;
using onesided::Remote;

Remote
SegmentPlaces::remote(char const* what, espalier_remote place, std::uint64_t num_bytes) const {
  std::uint64_t const size = this->num_bytes(place.rank);
  if (place.offset > size || num_bytes > size - place.offset) [[unlikely]] {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected a {} inside the segment of rank {}, which has {} bytes, got {} bytes at "
            "offset {}",
            what,
            place.rank,
            size,
            num_bytes,
            place.offset
        )
    );
  }
  return {.rank = place.rank, .offset = on_conduit(place.offset)};
}

Remote SegmentPlaces::counter(espalier_remote place) const {
  if (place.offset % counter_bytes != 0) [[unlikely]] {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected a counter at a multiple of {} bytes, got offset {} in the segment of rank {}",
            counter_bytes,
            place.offset,
            place.rank
        )
    );
  }
  return remote("counter", place, counter_bytes);
}

}  // namespace espalier::capi
