// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/devices/spans.hpp"

#include "espalier/exec/messages/mpi_datatype.hpp"

namespace espalier::plan {
namespace {

/// Makes `span` hold elements that begin so many bytes behind its address.
void add(Span& span, std::int64_t begin, std::int64_t count, exec::TypeShape const& shape) {
  if (count <= 0 || shape.true_extent_bytes <= 0) {
    return;
  }
  std::int64_t const last = (count - 1) * shape.extent_bytes;
  std::int64_t const first = begin + shape.true_lower_bound_bytes + std::min<std::int64_t>(0, last);
  std::int64_t const end = begin + shape.true_lower_bound_bytes + shape.true_extent_bytes +
                           std::max<std::int64_t>(0, last);
  bool const is_new = span.is_empty();
  span.first = is_new ? first : std::min(span.first, first);
  span.end = is_new ? end : std::max(span.end, end);
}

}  // namespace

Span span_of(void const* address, std::int64_t count, MPI_Datatype type) {
  Span span{.address = address};
  if (count > 0) {
    add(span, 0, count, exec::describe(type));
  }
  return span;
}

Span span_of(void const* address, Blocks const& blocks, MPI_Datatype type) {
  Span span{.address = address};
  exec::TypeShape const shape = exec::describe(type);
  for (int i = 0; i < blocks.num_blocks; ++i) {
    add(span, blocks.displacements[i] * shape.extent_bytes, blocks.counts[i], shape);
  }
  return span;
}

Span span_of(void const* address, Blocks const& blocks, MPI_Datatype const* types) {
  Span span{.address = address};
  for (int i = 0; i < blocks.num_blocks; ++i) {
    if (blocks.counts[i] > 0) {
      add(span, blocks.displacements[i], blocks.counts[i], exec::describe(types[i]));
    }
  }
  return span;
}

Span span_of(void const* address, exec::MpiBlocks const& blocks) {
  Span span{.address = address};
  bool const is_mixed = !blocks.types.empty();
  exec::TypeShape const shared = is_mixed ? exec::TypeShape{} : exec::describe(blocks.type);
  for (int i = 0; i < blocks.layout.num_blocks(); ++i) {
    exec::Extent const place = blocks.layout.block(i);
    if (place.num_elements > 0) {
      auto const block = static_cast<std::size_t>(i);
      auto const shape = is_mixed ? exec::describe(blocks.types[block]) : shared;
      add(span, place.offset_bytes, place.num_elements, shape);
    }
  }
  return span;
}

std::int64_t sum_of(exec::Integers counts, int num_counts) noexcept {
  std::int64_t sum = 0;
  for (int i = 0; i < num_counts; ++i) {
    sum += std::max<std::int64_t>(0, counts[i]);
  }
  return sum;
}

}  // namespace espalier::plan
