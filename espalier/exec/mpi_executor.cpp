// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/mpi_executor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/exec/mpi_datatype.hpp"
#include "espalier/exec/mpi_program.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::RankProgram;
using Action = MpiStep::Action;

constexpr std::size_t memory_alignment = 64;

/// Uninitialised memory, aligned to a cache line.
class Memory {
public:
  explicit Memory(std::int64_t num_bytes)
      : num_bytes_(static_cast<std::size_t>(num_bytes)),
        data_(num_bytes == 0 ? nullptr : allocate(num_bytes_)) {}

  [[nodiscard]] std::byte* get() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t num_bytes() const noexcept { return num_bytes_; }

private:
  struct Release {
    void operator()(std::byte* data) const noexcept {
      ::operator delete(data, std::align_val_t{memory_alignment});
    }
  };

  static std::byte* allocate(std::size_t num_bytes) {
    return static_cast<std::byte*>(
        ::operator new(num_bytes, std::align_val_t{memory_alignment})
    );
  }

  std::size_t num_bytes_;
  std::unique_ptr<std::byte, Release> data_;
};

/// Addresses of the buffers of one run. MPI_BOTTOM is an address like any other here, so sums are
/// made on integers.
struct Bases {
  std::array<std::uintptr_t, 3> of_buffer{};

  [[nodiscard]] void* at(Buffer buffer, std::int64_t offset_bytes) const noexcept {
    auto const base = of_buffer[static_cast<std::size_t>(buffer)];
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<void*>(base + static_cast<std::uintptr_t>(offset_bytes));
  }

  [[nodiscard]] bool is_bottom(Buffer buffer) const noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return at(buffer, 0) == MPI_BOTTOM;
  }

  [[nodiscard]] void* at(MpiRegion const& region) const noexcept {
    return at(region.buffer, region.offset_bytes);
  }
};

std::uintptr_t address(void const* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

void gather(Bases const& bases, MpiStep const& step, Piece const* pieces) noexcept {
  auto* to = static_cast<std::byte*>(bases.at(step.region));
  for (int i = step.pieces.begin; i < step.pieces.end; ++i) {
    for_each_run({&pieces[i], 1}, [&](std::int64_t offset_bytes, std::int64_t num_bytes) {
      std::memcpy(to, bases.at(step.source, offset_bytes), static_cast<std::size_t>(num_bytes));
      to += num_bytes;
    });
  }
}

void scatter(Bases const& bases, MpiStep const& step, Piece const* pieces) noexcept {
  auto const* from = static_cast<std::byte const*>(bases.at(step.region));
  for (int i = step.pieces.begin; i < step.pieces.end; ++i) {
    for_each_run({&pieces[i], 1}, [&](std::int64_t offset_bytes, std::int64_t num_bytes) {
      std::memcpy(bases.at(step.source, offset_bytes), from, static_cast<std::size_t>(num_bytes));
      from += num_bytes;
    });
  }
}

/// The largest tag of a communicator; the attribute is the same for all of one MPI_COMM_WORLD.
std::int64_t tag_limit(MPI_Comm comm) {
  void* value = nullptr;
  int is_found = 0;
  require_success(
      PMPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&value), &is_found),
      "MPI_Comm_get_attr"
  );
  return is_found != 0 ? *static_cast<int*>(value) : std::numeric_limits<std::int16_t>::max();
}

void require_tags(RankProgram const& program, MPI_Comm comm) {
  int largest = 0;
  for (schedule::Operation const& operation : program.operations) {
    largest = std::max(largest, operation.tag);
  }
  if (largest > 0 && largest > tag_limit(comm)) {
    throw Error(
        ErrorCode::unsupported,
        "the program needs tags up to " + std::to_string(largest) + ", this MPI has " +
            std::to_string(tag_limit(comm)) + ": use fewer segments"
    );
  }
}

/// The layout as messages see it: bytes where elements have no gaps, nothing where they hold no data.
Layout travelling(Layout const& layout, TypeShape const& shape) {
  if (shape.is_gapless) {
    return layout.in_bytes();
  }
  return shape.size_bytes == 0 ? layout.without_elements() : layout;
}


}  // namespace

class MpiExecutor::Implementation {
public:
  Implementation(RankProgram const& program, MpiSpec const& spec)
      : comm_(spec.comm), output_shape_(describe(spec.output_type)),
        program_(compiled(program, spec)), scratch_(program_.scratch_bytes),
        packed_(packed_bytes(spec)), contributes_(spec.packed.contributes),
        requests_(static_cast<std::size_t>(program_.num_requests), MPI_REQUEST_NULL),
        statuses_(program_.dataflow ? requests_.size() : 0) {
    require_tags(program, comm_);
    require_success(PMPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    prepare_packing(spec);
    prepare_dataflow();
  }

  int run(void const* input, void* output) noexcept {
    if (first_error_ != MPI_SUCCESS) {
      return first_error_;
    }
    Bases bases{{address(input), address(output), address(scratch_.get())}};
    int const code = is_packed() ? run_packed(bases) : run_program(bases);
    return code == MPI_SUCCESS ? code : fail(code);
  }

  [[nodiscard]] bool is_broken() const noexcept { return first_error_ != MPI_SUCCESS; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + program_.memory_bytes() + scratch_.num_bytes() + packed_.num_bytes() +
           requests_.capacity() * sizeof(MPI_Request) + statuses_.capacity() * sizeof(MPI_Status) +
           (open_waits_.capacity() + ready_.capacity() + active_.capacity() + done_.capacity()) *
               sizeof(int);
  }

private:
  MpiProgram compiled(RankProgram const& program, MpiSpec const& spec) {
    MpiElements elements{.output = MPI_BYTE, .input = MPI_BYTE};
    if (!output_shape_.is_gapless) {
      output_type_ = MpiType::duplicate(spec.output_type);
      elements.output = output_type_.get();
    }
    BindOptions options{.is_in_place = spec.input.type == MPI_DATATYPE_NULL};
    std::optional<Layout> input;
    if (!options.is_in_place && program.frame.num_blocks(Buffer::input) > 0) {
      TypeShape const shape = describe(spec.input.type);
      require_contribution(program, spec, shape);
      if (!shape.is_gapless) {
        input_type_ = MpiType::duplicate(spec.input.type);
        elements.input = input_type_.get();
      }
      input = travelling(Layout::uniform(1, spec.input.count, shape.extent_bytes), shape);
      options.input = &*input;
    }
    if (!output_shape_.is_gapless) {
      options.footprint = {output_shape_.true_lower_bound_bytes, output_shape_.true_extent_bytes};
    }
    return compile(bind(program, travelling(spec.output, output_shape_), options), elements);
  }

  void require_contribution(
      RankProgram const& program,
      MpiSpec const& spec,
      TypeShape const& input_shape
  ) const {
    Extent const own = spec.output.block(program.frame.like(Buffer::input, 0));
    std::int64_t const expected = own.num_elements * output_shape_.size_bytes;
    std::int64_t const found = spec.input.count * input_shape.size_bytes;
    if (expected != found) {
      throw Error(
          ErrorCode::argument,
          "the contribution of rank " + std::to_string(program.rank) + " must have " +
              std::to_string(expected) + " bytes as its block of the result has, got " +
              std::to_string(found)
      );
    }
  }

  [[nodiscard]] bool is_packed() const noexcept { return packed_.num_bytes() > 0; }

  static std::int64_t packed_bytes(MpiSpec const& spec) {
    return spec.packed.message.type == MPI_DATATYPE_NULL ? 0 : spec.output.num_elements();
  }

  /// Between the elements of the user and the same data as bytes, which stand for scratch here.
  void prepare_packing(MpiSpec const& spec) {
    if (!is_packed()) {
      return;
    }
    output_type_ = MpiType::duplicate(spec.packed.message.type);
    Piece const elements{.num_elements = spec.packed.message.count};
    Piece const bytes{.num_elements = packed_bytes(spec)};
    auto const user =
        make_region(Buffer::output, {&elements, 1}, output_type_.get(), program_.types);
    auto const packed = make_region(Buffer::scratch, {&bytes, 1}, MPI_BYTE, program_.types);
    packing_ = contributes_ ? make_transfer(packed, user, bytes.num_elements)
                            : make_transfer(user, packed, bytes.num_elements);
  }

  void prepare_dataflow() {
    if (program_.dataflow) {
      std::size_t const num_operations = program_.dataflow->num_waits.size();
      open_waits_.resize(num_operations);
      ready_.reserve(num_operations);
      active_.resize(requests_.size());
      done_.resize(requests_.size());
    }
  }

  int run_packed(Bases const& user) noexcept {
    Bases const packing{
        {user.of_buffer[0], user.of_buffer[1], address(packed_.get())},
    };
    Bases const bytes{
        {user.of_buffer[0], address(packed_.get()), user.of_buffer[2]},
    };
    int code = MPI_SUCCESS;
    if (contributes_) {
      code = transfer(packing, packing_);
    }
    if (code == MPI_SUCCESS) {
      code = run_program(bytes);
    }
    if (code == MPI_SUCCESS && !contributes_) {
      code = transfer(packing, packing_);
    }
    return code;
  }

  int run_program(Bases const& bases) noexcept {
    if (program_.dataflow) {
      return run_dataflow(bases);
    }
    for (MpiStep const& step : program_.steps) {
      int const code = step.action == Action::wait
                           ? wait(step.request, step.num_requests)
                           : perform(bases, step, step.request);
      if (code != MPI_SUCCESS) [[unlikely]] {
        return code;
      }
    }
    return MPI_SUCCESS;
  }

  /// Any step but a wait. `request`: place of the request of a send or recv.
  int perform(Bases const& bases, MpiStep const& step, int request) noexcept {
    MpiRegion const& region = step.region;
    switch (step.action) {
    case Action::send:
      return PMPI_Isend(
          bases.at(region),
          region.count,
          region.type,
          step.peer,
          step.tag,
          comm_,
          &requests_[static_cast<std::size_t>(request)]
      );
    case Action::recv:
      return PMPI_Irecv(
          bases.at(region),
          region.count,
          region.type,
          step.peer,
          step.tag,
          comm_,
          &requests_[static_cast<std::size_t>(request)]
      );
    case Action::recv_now:
      return PMPI_Recv(
          bases.at(region),
          region.count,
          region.type,
          step.peer,
          step.tag,
          comm_,
          MPI_STATUS_IGNORE
      );
    case Action::copy:
      std::memmove(
          bases.at(region),
          bases.at(step.source, step.source_offset_bytes),
          static_cast<std::size_t>(step.num_bytes)
      );
      return MPI_SUCCESS;
    case Action::gather:
      gather(bases, step, program_.piece_pool.data());
      return MPI_SUCCESS;
    case Action::scatter:
      scatter(bases, step, program_.piece_pool.data());
      return MPI_SUCCESS;
    case Action::transfer:
      return transfer(bases, program_.transfers[static_cast<std::size_t>(step.request)]);
    case Action::wait:
      break;
    }
    return MPI_SUCCESS;
  }

  /// One by one: all of them are needed, and so the code of an error needs no statuses.
  int wait(int first, int num_requests) noexcept {
    MPI_Request* const requests = &requests_[static_cast<std::size_t>(first)];
    for (int i = 0; i < num_requests; ++i) {
      if (int const code = PMPI_Wait(&requests[i], MPI_STATUS_IGNORE); code != MPI_SUCCESS) {
        return code;
      }
    }
    return MPI_SUCCESS;
  }

  [[nodiscard]] int error_in_statuses(int num_statuses) const noexcept {
    for (int i = 0; i < num_statuses; ++i) {
      int const code = statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
      if (code != MPI_SUCCESS && code != MPI_ERR_PENDING) {
        return code;
      }
    }
    return MPI_ERR_IN_STATUS;
  }

  int transfer(Bases const& bases, MpiTransfer const& transfer) noexcept {
    MpiRegion const& to = transfer.destination;
    MpiRegion const& from = transfer.source;
    int position = 0;
    // Some MPIs take MPI_BOTTOM for a missing buffer when they pack.
    bool const is_bottom = bases.is_bottom(to.buffer) || bases.is_bottom(from.buffer);
    switch (is_bottom ? MpiTransfer::Method::exchange : transfer.method) {
    case MpiTransfer::Method::pack:
      return PMPI_Pack(
          bases.at(from), from.count, from.type, bases.at(to), to.count, &position, comm_
      );
    case MpiTransfer::Method::unpack:
      return PMPI_Unpack(
          bases.at(from), from.count, &position, bases.at(to), to.count, to.type, comm_
      );
    case MpiTransfer::Method::exchange:
      break;
    }
    return PMPI_Sendrecv(
        bases.at(from),
        from.count,
        from.type,
        rank_,
        0,
        bases.at(to),
        to.count,
        to.type,
        rank_,
        0,
        comm_,
        MPI_STATUS_IGNORE
    );
  }

  /// Starts what is ready, lowest number first, and lets completed messages make more ready.
  int run_dataflow(Bases const& bases) noexcept {
    MpiDataflow const& flow = *program_.dataflow;
    std::ranges::copy(flow.num_waits, open_waits_.begin());
    ready_.assign(flow.initially_ready.begin(), flow.initially_ready.end());
    num_active_ = 0;
    for (;;) {
      if (int const code = start_ready(bases, flow); code != MPI_SUCCESS) {
        return code;
      }
      if (num_active_ == 0) {
        return MPI_SUCCESS;
      }
      if (int const code = finish_some(flow); code != MPI_SUCCESS) {
        return code;
      }
    }
  }

  int start_ready(Bases const& bases, MpiDataflow const& flow) noexcept {
    while (!ready_.empty()) {
      std::ranges::pop_heap(ready_, std::greater{});
      int const operation = ready_.back();
      ready_.pop_back();
      auto const i = static_cast<std::size_t>(operation);
      bool is_message = false;
      for (int s = flow.step_begin[i]; s < flow.step_begin[i + 1]; ++s) {
        MpiStep const& step = program_.steps[static_cast<std::size_t>(s)];
        int const code = perform(bases, step, num_active_);
        if (code != MPI_SUCCESS) {
          return code;
        }
        is_message = step.action == Action::send || step.action == Action::recv;
      }
      if (is_message) {
        active_[static_cast<std::size_t>(num_active_++)] = operation;
      } else {
        complete(flow, operation);
      }
    }
    return MPI_SUCCESS;
  }

  int finish_some(MpiDataflow const& flow) noexcept {
    int num_done = 0;
    int const code = PMPI_Waitsome(
        num_active_, requests_.data(), &num_done, done_.data(), statuses_.data()
    );
    if (code != MPI_SUCCESS) {
      return code == MPI_ERR_IN_STATUS ? error_in_statuses(num_done) : code;
    }
    for (int i = 0; i < num_done; ++i) {
      int& operation = active_[static_cast<std::size_t>(done_[static_cast<std::size_t>(i)])];
      complete(flow, operation);
      operation = -1;
    }
    drop_done();
    return MPI_SUCCESS;
  }

  void complete(MpiDataflow const& flow, int operation) noexcept {
    auto const i = static_cast<std::size_t>(operation);
    for (int s = flow.successor_begin[i]; s < flow.successor_begin[i + 1]; ++s) {
      int const next = flow.successors[static_cast<std::size_t>(s)];
      if (--open_waits_[static_cast<std::size_t>(next)] == 0) {
        ready_.push_back(next);
        std::ranges::push_heap(ready_, std::greater{});
      }
    }
  }

  /// Closes the gaps that finished messages left among the active ones.
  void drop_done() noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(num_active_); ++i) {
      if (active_[i] >= 0) {
        active_[kept] = active_[i];
        requests_[kept] = requests_[i];
        ++kept;
      }
    }
    std::fill(
        requests_.begin() + static_cast<std::ptrdiff_t>(kept),
        requests_.begin() + num_active_,
        MPI_REQUEST_NULL
    );
    num_active_ = static_cast<int>(kept);
  }

  /// Remembers the error and leaves no request behind. A message that cannot be cancelled gets some
  /// time to complete and is then left to MPI.
  int fail(int code) noexcept {
    constexpr int num_tests = 1000;
    first_error_ = code;
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) {
        continue;
      }
      PMPI_Cancel(&request);
      int is_complete = 0;
      for (int i = 0; i < num_tests && is_complete == 0; ++i) {
        if (PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
          break;
        }
      }
      if (request != MPI_REQUEST_NULL) {
        PMPI_Request_free(&request);
      }
    }
    return code;
  }

  MPI_Comm comm_;
  int rank_ = 0;
  TypeShape output_shape_;
  MpiType output_type_;
  MpiType input_type_;
  MpiProgram program_;
  Memory scratch_;
  Memory packed_;
  bool contributes_;
  MpiTransfer packing_{};
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<int> open_waits_;
  std::vector<int> ready_;   ///< heap, lowest number of operation on top
  std::vector<int> active_;  ///< operation of each of the first num_active_ requests
  std::vector<int> done_;
  int num_active_ = 0;
  int first_error_ = MPI_SUCCESS;
};

MpiExecutor::MpiExecutor(RankProgram const& program, MpiSpec const& spec)
    : implementation_(std::make_unique<Implementation>(program, spec)) {}

MpiExecutor::MpiExecutor(MpiExecutor&&) noexcept = default;
MpiExecutor& MpiExecutor::operator=(MpiExecutor&&) noexcept = default;
MpiExecutor::~MpiExecutor() = default;

int MpiExecutor::run(void const* input, void* output) noexcept {
  return implementation_->run(input, output);
}

bool MpiExecutor::is_broken() const noexcept { return implementation_->is_broken(); }

std::size_t MpiExecutor::memory_bytes() const noexcept {
  return sizeof(*this) + implementation_->memory_bytes();
}

namespace {

/// The program with a copy of the contribution in front, where it is separate and not yet copied.
MpiExecutor gathering_executor(RankProgram const& program, MpiSpec const& spec) {
  bool const needs_copy =
      spec.input.type != MPI_DATATYPE_NULL && program.frame.num_blocks(Buffer::input) == 0;
  return needs_copy ? MpiExecutor(schedule::from_input(program, program.rank), spec)
                    : MpiExecutor(program, spec);
}

}  // namespace

MpiExecutor allgather_executor(
    RankProgram const& program,
    MPI_Comm comm,
    TypedCount input,
    TypedCount block
) {
  MpiSpec const spec{
      .comm = comm,
      .output_type = block.type,
      .output = Layout::uniform(
          program.frame.num_ranks, block.count, describe(block.type).extent_bytes
      ),
      .input = input,
  };
  return gathering_executor(program, spec);
}

MpiExecutor allgatherv_executor(
    RankProgram const& program,
    MPI_Comm comm,
    TypedCount input,
    MPI_Datatype output_type,
    std::span<int const> counts,
    std::span<int const> displacements
) {
  MpiSpec const spec{
      .comm = comm,
      .output_type = output_type,
      .output = Layout::varying(counts, displacements, describe(output_type).extent_bytes),
      .input = input,
  };
  return gathering_executor(program, spec);
}

MpiExecutor
bcast_executor(RankProgram const& program, MPI_Comm comm, TypedCount message, int root) {
  TypeShape const shape = describe(message.type);
  int const num_blocks = program.frame.num_output_blocks;
  if (num_blocks == 1) {
    return {
        program,
        {.comm = comm,
         .output_type = message.type,
         .output = Layout::uniform(1, message.count, shape.extent_bytes)},
    };
  }
  MpiSpec spec{
      .comm = comm,
      .output_type = MPI_BYTE,
      .output = Layout::pieces(message.count * shape.size_bytes, num_blocks, 1),
  };
  if (!shape.is_gapless) {
    spec.packed = {.message = message, .contributes = program.rank == root};
  }
  return {program, spec};
}

}  // namespace espalier::exec
