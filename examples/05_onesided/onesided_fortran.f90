! SPDX-License-Identifier: Apache-2.0

! The same as onesided.c.
program onesided_fortran
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use mpi_f08
  use espalier_onesided
  implicit none
  integer, parameter :: num_cells = 16, num_steps = 400, num_sums = 4, left = 0, right = 1
  ! A segment has two counters of border cells, then these cells of even and odd steps, then how
  ! much changed in the last steps, here and everywhere.
  integer(c_int64_t), parameter :: border_at = 16, sums_at = border_at + 32
  integer(c_int64_t), parameter :: segment_bytes = sums_at + 16 * num_sums
  type(espalier_conduit) :: conduit
  type(espalier_team) :: team
  type(espalier_request) :: sums(num_sums)
  real(c_double), pointer, asynchronous :: border(:), change(:), total(:)
  real(c_double) :: x(0:num_cells + 1) = 0
  integer :: rank, num_ranks, step, i

  call MPI_Init()
  call espalier_conduit_attach(MPI_COMM_WORLD, segment_bytes, conduit)
  call espalier_conduit_rank(conduit, rank)
  call espalier_conduit_size(conduit, num_ranks)
  call espalier_team_create(conduit, MPI_COMM_WORLD, team)
  call espalier_conduit_segment(conduit, border, offset=border_at, num_elements=4_c_int64_t)
  call espalier_conduit_segment(conduit, change, offset=sums_at)
  total => change(num_sums + 1:)
  do i = 1, num_sums
    ! What is mine is mine before I start a sum and after I waited.
    call espalier_team_allreduce_init(change(i), total(i), 1, MPI_DOUBLE_PRECISION, MPI_SUM, team, &
      sums(i), options=espalier_onesided_options(in=ESPALIER_MYSYNC, out=ESPALIER_MYSYNC))
  end do

  do step = 0, num_steps - 1
    call tell(rank - 1, right, x(1))
    call tell(rank + 1, left, x(num_cells))
    i = modulo(step, num_sums) + 1
    call espalier_request_wait(sums(i))
    if (step > 0 .and. modulo(step, 100) == 0) call show(step - num_sums, total(i))
    x(0) = hear(rank - 1, left, 1d0)
    x(num_cells + 1) = hear(rank + 1, right, 0d0)
    change(i) = relaxed()
    call espalier_request_start(sums(i))
  end do
  call espalier_team_fence(team)
  call show(num_steps - 1, total(modulo(num_steps - 1, num_sums) + 1))
  do i = 1, num_sums
    call espalier_request_free(sums(i))
  end do
  call espalier_team_free(team)
  call espalier_conduit_detach(conduit)
  call MPI_Finalize()

contains

  ! A border cell of this step goes to a neighbour, at its side `side`.
  subroutine tell(neighbor, side, cell)
    integer, intent(in) :: neighbor, side
    real(c_double), intent(in) :: cell
    if (neighbor < 0 .or. neighbor >= num_ranks) return
    call espalier_put_signal(cell, 8_c_int64_t, &
      espalier_remote(neighbor, border_at + 8 * (2 * modulo(step, 2) + side)), &
      8_c_int64_t * side, 1_c_int64_t, conduit)
  end subroutine

  function hear(neighbor, side, end_of_bar) result(cell)
    integer, intent(in) :: neighbor, side
    real(c_double), intent(in) :: end_of_bar
    real(c_double) :: cell
    cell = end_of_bar
    if (neighbor < 0 .or. neighbor >= num_ranks) return
    call espalier_await(conduit, 8_c_int64_t * side, step + 1_c_int64_t)
    cell = border(2 * modulo(step, 2) + side + 1)
  end function

  ! How much changes in a step; x(0) and x(num_cells + 1) belong to neighbours.
  function relaxed() result(changed)
    real(c_double) :: changed, difference(num_cells)
    difference = 0.25 * (x(:num_cells - 1) - 2 * x(1:num_cells) + x(2:))
    x(1:num_cells) = x(1:num_cells) + difference
    changed = sum(abs(difference))
  end function

  subroutine show(at, changed)
    integer, intent(in) :: at
    real(c_double), intent(in) :: changed
    if (rank == 0) print '("step ",i3,": change ",f6.4)', at, changed
  end subroutine

end program
