// SPDX-License-Identifier: Apache-2.0

/// @file
/// Irregular calls in which a rank has one part of its own: bcast, allgather, gather, scatter.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "espalier/plan/irregular/irregular.hpp"
#include "espalier/plan/irregular/irregular_parts.hpp"
#include "espalier/plan/irregular/mend.hpp"

namespace espalier::plan {
namespace {

/// A count of the question about data that do not move: any of them will do.
std::int64_t as_int(std::int64_t count) noexcept {
  return std::min<std::int64_t>(count, std::numeric_limits<int>::max());
}

/// What the library says of a call with one part sent and one place for it; nothing is moved unless
/// both are the same memory.
template <typename Call>
int says_of(Library const& library, Call call, Elements const& sent, Elements const& own_place) {
  bool const is_questionable = plan::is_questionable(sent, library.self()) ||
                               plan::is_questionable(own_place, library.self());
  bool const is_alias = sent.address == own_place.address && sent.address != nullptr;
  if (!is_questionable && !is_alias) {
    return MPI_SUCCESS;
  }
  // Data may move only onto themselves.
  bool const moves_nothing = is_alias && sent == own_place;
  call.sendbuf = sent.address;
  call.sendcount = moves_nothing ? as_int(sent.count) : 0;
  call.sendtype = sent.type;
  call.recvbuf = const_cast<void*>(own_place.address);
  call.recvcount = moves_nothing ? as_int(own_place.count) : 0;
  call.recvtype = own_place.type;
  return library.says(call);
}

/// An allgather or gather whose own part is moved to its place first; then it is in place. Calls
/// with counts are asked about as those without.
template <typename Asked, typename Call>
void put_own_part(Mended<Call>& mended, Elements const& own_place, Library const& library) {
  Call& call = mended.call;
  require_possible(own_place);
  if (call.is_in_place()) {
    mended.code = is_questionable(own_place, library.self())
                      ? library.says(Asked{
                            MPI_IN_PLACE,
                            0,
                            MPI_DATATYPE_NULL,
                            const_cast<void*>(own_place.address),
                            0,
                            own_place.type,
                        })
                      : MPI_SUCCESS;
  } else {
    Elements const sent{call.sendbuf, call.sendcount, call.sendtype};
    require_possible(sent);
    mended.code = says_of(library, Asked{}, sent, own_place);
    // Roots that expect nothing of themselves do not look at what there is.
    mended.first = own_place.is_empty() ? std::nullopt : own_part(sent, own_place);
    call.sendbuf = MPI_IN_PLACE;
  }
  call.recvtype = with_type(own_place).type;
}

/// A rank that only sends.
template <typename Call> void mend_leaf_of_gather(Mended<Call>& mended, Library const& library) {
  Elements const sent{mended.call.sendbuf, mended.call.sendcount, mended.call.sendtype};
  require_possible(sent);
  if (is_questionable(sent, library.self())) {
    char nothing = 0;
    mended.code = library.says(GatherCall{sent.address, 0, sent.type, &nothing, 0, MPI_BYTE, 0});
  }
  mended.call.sendtype = with_type(sent).type;
}

/// A rank that only receives.
template <typename Call> void mend_leaf_of_scatter(Mended<Call>& mended, Library const& library) {
  Elements const received{mended.call.recvbuf, mended.call.recvcount, mended.call.recvtype};
  require_possible(received);
  if (is_questionable(received, library.self())) {
    char const nothing = 0;
    mended.code =
        library.says(ScatterCall{&nothing, 0, MPI_BYTE, mended.call.recvbuf, 0, received.type, 0});
  }
  mended.call.recvtype = with_type(received).type;
}

/// The root of a scatter gets its own part when all others are sent.
template <typename Call>
void get_own_part(Mended<Call>& mended, Elements const& own_place, Library const& library) {
  Call& call = mended.call;
  require_possible(own_place);
  if (!call.is_in_place()) {
    Elements const received{call.recvbuf, call.recvcount, call.recvtype};
    require_possible(received);
    mended.code = says_of(library, ScatterCall{}, own_place, received);
    mended.last = own_part(own_place, received);
    call.recvbuf = MPI_IN_PLACE;
  } else if (is_questionable(own_place, library.self())) {
    mended.code = library.says(
        ScatterCall{own_place.address, 0, own_place.type, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0}
    );
  }
  call.sendtype = with_type(own_place).type;
}

/// The own one of blocks of equal size.
Elements own_block(
    void const* address, std::int64_t count, MPI_Datatype type, CommunicatorFacts const& facts
) {
  require_possible({address, count, type});
  return {at_extent(address, product(count, facts.rank), type), count, type};
}

/// The own one of blocks with counts and displacements.
Elements own_block(void const* address, BlockList const& blocks, MPI_Datatype type, int rank) {
  require_counts(blocks.counts, blocks.num_blocks);
  require_list(blocks.displacements.data(), "displacements");
  require_possible({address, *total_of(blocks.counts, blocks.num_blocks), type});
  return {at_extent(address, blocks.displacements[rank], type), blocks.counts[rank], type};
}

std::int64_t bytes_of_all(Elements const& block, CommunicatorFacts const& facts) {
  return product(size_bytes(block), facts.num_ranks);
}

}  // namespace

Mended<BarrierCall> mend(BarrierCall const& call, CommunicatorFacts const&, Library const&) {
  return {.call = call};
}

Mended<BcastCall>
mend(BcastCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_root(call.root, facts);
  Elements const message{call.buffer, call.count, call.datatype};
  require_possible(message);
  Mended<BcastCall> mended{.call = call, .bytes = size_bytes(message)};
  if (is_questionable(message, library.self())) {
    mended.code = library.says(call);
  }
  mended.call.datatype = with_type(message).type;
  return mended;
}

Mended<AllgatherCall>
mend(AllgatherCall const& call, CommunicatorFacts const& facts, Library const& library) {
  Mended<AllgatherCall> mended{.call = call};
  Elements const own = own_block(call.recvbuf, call.recvcount, call.recvtype, facts);
  mended.bytes = bytes_of_all(own, facts);
  put_own_part<AllgatherCall>(mended, own, library);
  return mended;
}

Mended<AllgathervCall>
mend(AllgathervCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_lists(call, library, {call.recvcounts.data(), call.displs.data()});
  Mended<AllgathervCall> mended{.call = call};
  BlockList const blocks{call.recvcounts, call.displs, facts.num_ranks};
  Elements const own = own_block(call.recvbuf, blocks, call.recvtype, facts.rank);
  mended.bytes = size_bytes({nullptr, *total_of(call.recvcounts, facts.num_ranks), call.recvtype});
  put_own_part<AllgatherCall>(mended, own, library);
  return mended;
}

Mended<GatherCall>
mend(GatherCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_root(call.root, facts);
  Mended<GatherCall> mended{.call = call};
  if (facts.rank != call.root) {
    mend_leaf_of_gather(mended, library);
    mended.bytes = bytes_of_all({nullptr, call.sendcount, call.sendtype}, facts);
    return mended;
  }
  Elements const own = own_block(call.recvbuf, call.recvcount, call.recvtype, facts);
  mended.bytes = bytes_of_all(own, facts);
  put_own_part<GatherCall>(mended, own, library);
  return mended;
}

Mended<GathervCall>
mend(GathervCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_root(call.root, facts);
  Mended<GathervCall> mended{.call = call};
  if (facts.rank != call.root) {
    mend_leaf_of_gather(mended, library);
    return mended;
  }
  require_lists(call, library, {call.recvcounts.data(), call.displs.data()});
  BlockList const blocks{call.recvcounts, call.displs, facts.num_ranks};
  put_own_part<GatherCall>(
      mended, own_block(call.recvbuf, blocks, call.recvtype, facts.rank), library
  );
  return mended;
}

Mended<ScatterCall>
mend(ScatterCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_root(call.root, facts);
  Mended<ScatterCall> mended{.call = call};
  if (facts.rank != call.root) {
    mend_leaf_of_scatter(mended, library);
    mended.bytes = bytes_of_all({nullptr, call.recvcount, call.recvtype}, facts);
    return mended;
  }
  Elements const own = own_block(call.sendbuf, call.sendcount, call.sendtype, facts);
  mended.bytes = bytes_of_all(own, facts);
  get_own_part(mended, own, library);
  return mended;
}

Mended<ScattervCall>
mend(ScattervCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_root(call.root, facts);
  Mended<ScattervCall> mended{.call = call};
  if (facts.rank != call.root) {
    mend_leaf_of_scatter(mended, library);
    return mended;
  }
  require_lists(call, library, {call.sendcounts.data(), call.displs.data()});
  BlockList const blocks{call.sendcounts, call.displs, facts.num_ranks};
  get_own_part(mended, own_block(call.sendbuf, blocks, call.sendtype, facts.rank), library);
  return mended;
}

}  // namespace espalier::plan
