// SPDX-License-Identifier: Apache-2.0

/// @file
/// Irregular alltoalls: what a rank sends is copied before anything is received, so that it may lie
/// anywhere, and its own part is moved first, so that it may have another size than its place.

#include <algorithm>
#include <cstdint>

#include "espalier/plan/irregular/irregular.hpp"
#include "espalier/plan/irregular/irregular_parts.hpp"
#include "espalier/plan/irregular/mend.hpp"

namespace espalier::plan {
namespace {

using Blocks = std::vector<Elements>;

/// Whether a rank that expects nothing of itself complains about what it sends itself.
#ifdef OPEN_MPI
constexpr bool reports_unexpected_own_part = true;
#else
constexpr bool reports_unexpected_own_part = false;
#endif

Blocks blocks_of(
    void const* address,
    exec::Integers counts,
    exec::Integers displacements,
    MPI_Datatype type,
    CommunicatorFacts const& facts
) {
  require_counts(counts, facts.num_ranks);
  require_list(displacements.data(), "displacements");
  Blocks result;
  for (int i = 0; i < facts.num_ranks; ++i) {
    result.push_back({at_extent(address, displacements[i], type), counts[i], type});
  }
  // What is wrong with the address, nobody sees in the addresses of blocks.
  require_possible({address, *total_of(counts, facts.num_ranks), type});
  return result;
}

Blocks blocks_of(
    void const* address,
    exec::Integers counts,
    exec::Integers displacements,
    MPI_Datatype const* types,
    CommunicatorFacts const& facts
) {
  require_counts(counts, facts.num_ranks);
  require_list(displacements.data(), "displacements");
  require_list(types, "types");
  Blocks result;
  for (int i = 0; i < facts.num_ranks; ++i) {
    require_possible({address, counts[i], types[i]});
    result.push_back({at_extent(address, displacements[i], MPI_BYTE), counts[i], types[i]});
  }
  return result;
}

/// A block that some libraries complain about, with data if there is one; null if there is none.
Elements const* questionable(Blocks const& blocks, MPI_Comm self) {
  Elements const* found = nullptr;
  for (Elements const& block : blocks) {
    bool const is_better = found == nullptr || (found->is_empty() && !block.is_empty());
    if (is_better && is_questionable(block, self)) {
      found = &block;
    }
  }
  return found;
}

bool share_memory(Blocks const& a, Blocks const& b) {
  return std::ranges::any_of(a, [&](Elements const& x) {
    return std::ranges::any_of(b, [&](Elements const& y) { return plan::share_memory(x, y); });
  });
}

/// What the library says of one block sent in an alltoallw. MPICH looks at types of data only, so
/// there is one element, which goes to memory of ours.
int says_of_sent(Library const& library, Elements const& block) {
  int const count = block.is_empty() ? 0 : 1;
  std::vector<std::byte> memory(static_cast<std::size_t>(size_bytes({nullptr, count, block.type})));
  auto const size = static_cast<int>(memory.size());
  int const zero = 0;
  MPI_Datatype const byte = MPI_BYTE;
  return library.says(
      AlltoallwCall{block.address, &count, &zero, &block.type, memory.data(), &size, &zero, &byte}
  );
}

/// The same of one that is received: in place, so that nothing moves, or from memory of ours.
int says_of_received(Library const& library, void const* sendbuf, Elements const& block) {
  int const count = block.is_empty() ? 0 : 1;
  std::vector<std::byte> const memory(
      static_cast<std::size_t>(size_bytes({nullptr, count, block.type}))
  );
  auto const size = static_cast<int>(memory.size());
  int const zero = 0;
  MPI_Datatype const byte = MPI_BYTE;
  auto* const place = const_cast<void*>(block.address);
  void const* const from = sendbuf == MPI_IN_PLACE ? sendbuf : memory.data();
  return library.says(AlltoallwCall{from, &size, &zero, &byte, place, &count, &zero, &block.type});
}

/// What is sent, as bytes in memory of ours: block after block.
struct Sent {
  std::byte const* address = nullptr;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> displacements;
};

/// @param left_out  this block is empty
Sent copy_of(Blocks const& blocks, std::optional<std::size_t> left_out, Substitutes& substitutes) {
  std::vector<std::byte>& memory = substitutes.memory.emplace_back();
  Sent result;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::vector<std::byte> const data =
        i == left_out ? std::vector<std::byte>{} : packed(blocks[i]);
    result.counts.push_back(static_cast<std::int64_t>(data.size()));
    result.displacements.push_back(static_cast<std::int64_t>(memory.size()));
    memory.insert(memory.end(), data.begin(), data.end());
  }
  result.address = memory.data();
  return result;
}

std::vector<std::int64_t> without_own(exec::Integers counts, CommunicatorFacts const& facts) {
  std::vector<std::int64_t> result;
  for (int rank = 0; rank < facts.num_ranks; ++rank) {
    result.push_back(counts[rank]);
  }
  result[static_cast<std::size_t>(facts.rank)] = 0;
  return result;
}

template <typename Value>
std::vector<Value> const& keep(std::list<std::vector<Value>>& lists, std::vector<Value> list) {
  return lists.emplace_back(std::move(list));
}

/// All that is sent is copied. An own part of which not as much is received moves before the run,
/// and the program has none.
template <typename Call>
void send_copies(
    Mended<Call>& mended, Blocks const& sent, Blocks const& received, CommunicatorFacts const& facts
) {
  Call& call = mended.call;
  auto const own = static_cast<std::size_t>(facts.rank);
  bool const has_own_part = size_bytes(sent[own]) != size_bytes(received[own]);
  Sent copy = copy_of(sent, has_own_part ? std::optional(own) : std::nullopt, mended.substitutes);
  call.sendbuf = copy.address;
  call.sendcounts = keep(mended.substitutes.numbers, std::move(copy.counts));
  call.sdispls = keep(mended.substitutes.numbers, std::move(copy.displacements));
  if (has_own_part) {
    bool const is_looked_at = reports_unexpected_own_part || !received[own].is_empty();
    mended.first = is_looked_at ? own_part(sent[own], received[own]) : std::nullopt;
    call.recvcounts = keep(mended.substitutes.numbers, without_own(call.recvcounts, facts));
  }
}

std::vector<MPI_Datatype> with_types(MPI_Datatype const* types, CommunicatorFacts const& facts) {
  std::vector<MPI_Datatype> result(types, types + facts.num_ranks);
  std::ranges::replace(result, MPI_DATATYPE_NULL, MPI_BYTE);
  return result;
}

}  // namespace

Mended<AlltoallCall>
mend(AlltoallCall const& call, CommunicatorFacts const& facts, Library const& library) {
  Mended<AlltoallCall> mended{.call = call};
  Elements const received{call.recvbuf, call.recvcount, call.recvtype};
  require_possible(received);
  mended.bytes = product(size_bytes(received), facts.num_ranks);
  mended.call.recvtype = with_type(received).type;
  if (call.is_in_place()) {
    if (is_questionable(received, library.self())) {
      mended.code = library.says(
          AlltoallCall{MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, call.recvbuf, 0, call.recvtype}
      );
    }
    return mended;
  }
  Elements const sent{call.sendbuf, call.sendcount, call.sendtype};
  require_possible(sent);
  if (sent == received) {
    mended.code = library.says(call);
  } else if (is_questionable(sent, library.self()) || is_questionable(received, library.self())) {
    mended.code =
        library.says(AlltoallCall{call.sendbuf, 0, call.sendtype, call.recvbuf, 0, call.recvtype});
  }
  // Blocks of one size for everybody: what is too long is cut, what is too short filled up.
  auto const block_bytes = static_cast<std::size_t>(size_bytes(received));
  std::vector<std::byte>& memory = mended.substitutes.memory.emplace_back();
  for (int i = 0; i < facts.num_ranks; ++i) {
    std::vector<std::byte> data = packed(
        {at_extent(call.sendbuf, std::int64_t{i} * call.sendcount, call.sendtype),
         call.sendcount,
         call.sendtype}
    );
    if (data.size() > block_bytes && i == facts.rank && mended.code == MPI_SUCCESS) {
      mended.code = unpack(data, {memory.data(), 0, MPI_BYTE});
    }
    data.resize(block_bytes);
    memory.insert(memory.end(), data.begin(), data.end());
  }
  mended.call.sendbuf = memory.data();
  mended.call.sendtype = MPI_BYTE;
  mended.call.sendcount = static_cast<std::int64_t>(block_bytes);
  return mended;
}

Mended<AlltoallvCall>
mend(AlltoallvCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_lists(call, library, {call.recvcounts.data(), call.rdispls.data()});
  if (!call.is_in_place()) {
    require_lists(call, library, {call.sendcounts.data(), call.sdispls.data()});
  }
  Mended<AlltoallvCall> mended{.call = call};
  Blocks const received =
      blocks_of(call.recvbuf, call.recvcounts, call.rdispls, call.recvtype, facts);
  mended.call.recvtype = with_type(received.front()).type;
  MPI_Comm const self = library.self();
  int const zero = 0;
  if (call.is_in_place()) {
    if (is_questionable(received.front(), self)) {
      mended.code = library.says(AlltoallvCall{
          MPI_IN_PLACE, &zero, &zero, MPI_DATATYPE_NULL, call.recvbuf, &zero, &zero, call.recvtype
      });
    }
    return mended;
  }
  Blocks const sent = blocks_of(call.sendbuf, call.sendcounts, call.sdispls, call.sendtype, facts);
  if (is_questionable(sent.front(), self) || is_questionable(received.front(), self)) {
    mended.code = library.says(AlltoallvCall{
        call.sendbuf, &zero, &zero, call.sendtype, call.recvbuf, &zero, &zero, call.recvtype
    });
  } else if (call.sendbuf == call.recvbuf) {
    // MPICH looks at the addresses of the lists.
    bool const is_same_list = call.sendcounts == call.recvcounts;
    int const other_zero = 0;
    mended.code = library.says(AlltoallvCall{
        call.sendbuf,
        &zero,
        &zero,
        call.sendtype,
        call.recvbuf,
        is_same_list ? &zero : &other_zero,
        &zero,
        call.recvtype,
    });
  }
  send_copies(mended, sent, received, facts);
  mended.call.sendtype = MPI_BYTE;
  return mended;
}

Mended<AlltoallwCall>
mend(AlltoallwCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_lists(call, library, {call.recvcounts.data(), call.rdispls.data(), call.recvtypes});
  if (!call.is_in_place()) {
    require_lists(call, library, {call.sendcounts.data(), call.sdispls.data(), call.sendtypes});
  }
  Mended<AlltoallwCall> mended{.call = call};
  Blocks const received =
      blocks_of(call.recvbuf, call.recvcounts, call.rdispls, call.recvtypes, facts);
  mended.call.recvtypes = keep(mended.substitutes.types, with_types(call.recvtypes, facts)).data();
  MPI_Comm const self = library.self();
  int const zero = 0;
  MPI_Datatype const byte = MPI_BYTE;
  Elements const* const to = questionable(received, self);
  if (call.is_in_place()) {
    mended.code = to == nullptr ? MPI_SUCCESS : says_of_received(library, call.sendbuf, *to);
    return mended;
  }
  Blocks const sent = blocks_of(call.sendbuf, call.sendcounts, call.sdispls, call.sendtypes, facts);
  Elements const* const from = questionable(sent, self);
  if (from != nullptr || to != nullptr) {
    mended.code = from == nullptr ? MPI_SUCCESS : says_of_sent(library, *from);
    mended.add(to == nullptr ? MPI_SUCCESS : says_of_received(library, call.sendbuf, *to));
  } else if (call.sendbuf == call.recvbuf && call.sendcounts == call.recvcounts &&
             call.sendtypes == call.recvtypes) {
    mended.code = library.says(
        AlltoallwCall{call.sendbuf, &zero, &zero, &byte, call.recvbuf, &zero, &zero, &byte}
    );
  }
  auto const own = static_cast<std::size_t>(facts.rank);
  bool const is_own_equal = size_bytes(sent[own]) == size_bytes(received[own]);
  if (is_own_equal && !share_memory(sent, received)) {
    mended.call.sendtypes =
        keep(mended.substitutes.types, with_types(call.sendtypes, facts)).data();
    return mended;
  }
  send_copies(mended, sent, received, facts);
  std::vector<MPI_Datatype> bytes(sent.size(), MPI_BYTE);
  mended.call.sendtypes = keep(mended.substitutes.types, std::move(bytes)).data();
  return mended;
}

}  // namespace espalier::plan
