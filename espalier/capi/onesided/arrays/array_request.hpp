// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/capi/onesided/arrays/implicit_teams.hpp"
#include "espalier/capi/onesided/arrays/step_queue.hpp"
#include "espalier/capi/onesided/team_options.hpp"
#include "espalier/capi/onesided/team_request.hpp"
#include "espalier/capi/request.hpp"
#include "espalier/onesided/array/movement.hpp"

namespace espalier::capi {

/// What a collective of blocks moves, and how.
struct ArrayElements {
  int count = 0;  ///< of a piece
  std::uint64_t piece_bytes = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

/// A collective of the blocks of arrays: one of their implicit team, and what this member copies.
///
///     [all have started]   pack   collective of the implicit team   unpack   [all are through]
///
/// If any member packs or unpacks, the collective in the middle moves buffers that the program does
/// not know, so it may touch them only while this member is in it. That all have started, and that
/// all are through, then takes barriers of their own; otherwise the collective says it.
class ArrayRequest final : public espalier_request, private OrderedSteps {
public:
  /// Of a member that has none of the blocks: does nothing. Refers to the team of the arrays.
  explicit ArrayRequest(espalier_team& of);
  /// Refers to both teams.
  /// @throws plan::ClassError, Error, on all members.
  ArrayRequest(
      espalier_team& of,
      ImplicitTeam& implicit,
      onesided::Movement const& movement,
      ArrayElements const& elements,
      TeamOptions const& options
  );

  ArrayRequest(ArrayRequest const&) = delete;
  ArrayRequest& operator=(ArrayRequest const&) = delete;
  ArrayRequest(ArrayRequest&&) = delete;
  ArrayRequest& operator=(ArrayRequest&&) = delete;
  ~ArrayRequest() override;

  int start() override;
  int test(bool& is_complete) override;
  int wait() override;

  [[nodiscard]] bool is_active() const noexcept override { return stage_ != Stage::over; }

  void check_caller() const override { of_->conduit->conduit->check_outside_handler(); }

  [[nodiscard]] MPI_Comm user() const noexcept override { return of_->user; }

  [[nodiscard]] std::string explain() const override;

  /// As that of a team. Waits for what this member has started on the implicit team.
  void tune(espalier_tuning_options const* options);

  /// Of the implicit team; none if this member does nothing.
  [[nodiscard]] TeamRequest const* collective() const noexcept { return collective_.get(); }

private:
  enum class Stage : std::uint8_t { begun, entering, moving, leaving, over };

  bool move_on() override;

  [[nodiscard]] bool is_over() const noexcept override { return stage_ == Stage::over; }

  void enter();
  void begin_to_move();
  void leave();
  void pack();
  void unpack();
  void combine(
      std::byte const* operands, onesided::Combination const& combination, std::byte* result
  ) const;
  [[nodiscard]] TeamCall call(onesided::Movement const& movement);
  [[nodiscard]] std::byte* memory(onesided::BlockBuffer const& buffer, std::vector<std::byte>& own);
  [[nodiscard]] std::byte* segment() const noexcept;

  espalier_team* of_;
  ImplicitTeam* implicit_ = nullptr;
  ArrayElements elements_;
  onesided::MemberWork work_;
  std::vector<std::byte> input_;   ///< if it is not direct
  std::vector<std::byte> output_;  ///< if it is not direct
  std::unique_ptr<TeamRequest> entry_;
  std::unique_ptr<TeamRequest> collective_;
  std::unique_ptr<TeamRequest> exit_;
  Stage stage_ = Stage::over;
};

}  // namespace espalier::capi
