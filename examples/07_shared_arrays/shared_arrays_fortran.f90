! SPDX-License-Identifier: Apache-2.0

! C = A B with matrices whose blocks are dealt to a grid of processes, as SUMMA multiplies them: in
! step k the owners of column k of A and of row k of B hand their blocks to whoever needs them. The
! program names blocks; which processes take part follows from them. While one step is computed,
! the blocks of the next one are under way.
program shared_arrays_fortran
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use mpi_f08
  use espalier_onesided
  implicit none
  integer, parameter :: b = 4, num_blocks = 6, n = b * num_blocks
  type :: step
    type(espalier_request) :: requests(2 * num_blocks)
    integer :: num_requests = 0
  end type
  type(espalier_conduit) :: conduit
  type(espalier_team) :: team
  type(espalier_array) :: first, second, product, first_panel(0:1), second_panel(0:1)
  type(step) :: steps(0:1)
  integer(c_int64_t) :: end_of_arrays
  real(c_double) :: largest
  integer :: rank, num_ranks, num_teams, grid(2), position(2), i, k

  call MPI_Init()
  call espalier_conduit_attach(MPI_COMM_WORLD, 1048576_c_int64_t, conduit)
  call espalier_team_create(conduit, MPI_COMM_WORLD, team)
  call espalier_team_rank(team, rank)
  call espalier_team_size(team, num_ranks)
  grid = 0
  call MPI_Dims_create(num_ranks, 2, grid)
  position = [rank / grid(2), modulo(rank, grid(2))]
  end_of_arrays = 0
  call make_array(num_blocks, num_blocks, first)
  call make_array(num_blocks, num_blocks, second)
  call make_array(num_blocks, num_blocks, product)
  do i = 0, 1
    call make_array(num_blocks, grid(2), first_panel(i))  ! a column for each process of a row
    call make_array(grid(1), num_blocks, second_panel(i))
  end do
  call fill()
  call start_step(0)
  do k = 0, num_blocks - 1
    if (k + 1 < num_blocks) call start_step(k + 1)
    call finish_step(k)
    call multiply(k)
  end do
  largest = error()
  call MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  call espalier_team_cache_size(team, num_teams)
  if (rank == 0) then
    print '(i0, a, i0, a, i0, a, i0, a, i0, a, i0)', n, ' x ', n, ' matrices on ', grid(1), ' x ', &
      grid(2), ' processes, ', num_teams, ' implicit teams, largest error ', ceiling(largest)
  end if
  call espalier_array_free(first)
  call espalier_array_free(second)
  call espalier_array_free(product)
  do i = 0, 1
    call espalier_array_free(first_panel(i))
    call espalier_array_free(second_panel(i))
  end do
  call espalier_team_free(team)
  call espalier_conduit_detach(conduit)
  call MPI_Finalize()

contains

  ! An array of blocks of b x b, behind those before.
  subroutine make_array(num_rows, num_columns, array)
    integer, intent(in) :: num_rows, num_columns
    type(espalier_array), intent(inout) :: array
    type(espalier_distribution) :: blocks
    integer(c_int64_t) :: num_bytes
    blocks%ndims = 2
    blocks%extents(:2) = b * [num_rows, num_columns]
    blocks%block(:2) = b
    blocks%grid(:2) = grid
    call espalier_array_create(team, blocks, MPI_DOUBLE_PRECISION, end_of_arrays, array)
    call espalier_distribution_bytes(blocks, MPI_DOUBLE_PRECISION, num_ranks, num_bytes)
    end_of_arrays = end_of_arrays + num_bytes
  end subroutine

  ! A block of this process. Its rows lie one behind the other, so element (i, j) is x(j, i).
  function block_of(array, row, column) result(x)
    type(espalier_array), intent(in) :: array
    integer, intent(in) :: row, column
    real(c_double), pointer, asynchronous :: x(:, :), all_of_it(:)
    type(espalier_remote) :: place
    call espalier_array_place(array, int(b * [row, column], c_int64_t), place)
    call espalier_conduit_segment(conduit, all_of_it, offset=place%offset, &
      num_elements=int(b * b, c_int64_t))
    x(0:b - 1, 0:b - 1) => all_of_it
  end function

  ! Brings blocks (:, k) of A to all processes of their row, and blocks (k, :) of B to all of their
  ! column. Who takes no part in one of them need not call. A panel belongs to its process before it
  ! starts and after it waited.
  subroutine start_step(number)
    integer, intent(in) :: number
    type(espalier_onesided_options), parameter :: own = &
      espalier_onesided_options(in=ESPALIER_MYSYNC, out=ESPALIER_MYSYNC)
    type(espalier_blocks) :: here, there
    integer :: i, parity, which
    parity = modulo(number, 2)
    there = espalier_blocks(first=number)
    i = 0
    do which = position(1), num_blocks - 1, grid(1)
      i = i + 1
      here = espalier_blocks(first=which)
      call espalier_array_bcast_init(espalier_region(first, here, there), &
        espalier_region(first_panel(parity), here, ESPALIER_ALL_BLOCKS), b * b, &
        steps(parity)%requests(i), options=own)
    end do
    do which = position(2), num_blocks - 1, grid(2)
      i = i + 1
      here = espalier_blocks(first=which)
      call espalier_array_bcast_init(espalier_region(second, there, here), &
        espalier_region(second_panel(parity), ESPALIER_ALL_BLOCKS, here), b * b, &
        steps(parity)%requests(i), options=own)
    end do
    steps(parity)%num_requests = i
    do i = 1, steps(parity)%num_requests
      call espalier_request_start(steps(parity)%requests(i))
    end do
  end subroutine

  subroutine finish_step(number)
    integer, intent(in) :: number
    integer :: i, parity
    parity = modulo(number, 2)
    do i = 1, steps(parity)%num_requests
      call espalier_request_wait(steps(parity)%requests(i))
      call espalier_request_free(steps(parity)%requests(i))
    end do
  end subroutine

  ! Adds what step k gives to all blocks of this process; transposed, as they are here.
  subroutine multiply(number)
    integer, intent(in) :: number
    real(c_double), pointer, asynchronous :: left(:, :), right(:, :), sums(:, :)
    integer :: row, column, parity
    parity = modulo(number, 2)
    do row = position(1), num_blocks - 1, grid(1)
      do column = position(2), num_blocks - 1, grid(2)
        left => block_of(first_panel(parity), row, position(2))
        right => block_of(second_panel(parity), position(1), column)
        sums => block_of(product, row, column)
        sums = sums + matmul(right, left)
      end do
    end do
  end subroutine

  ! A = i + j and B = i - j, so that C is known.
  subroutine fill()
    real(c_double), pointer, asynchronous :: x(:, :), y(:, :)
    integer :: row, column, i, j
    do row = position(1), num_blocks - 1, grid(1)
      do column = position(2), num_blocks - 1, grid(2)
        x => block_of(first, row, column)
        y => block_of(second, row, column)
        do i = 0, b - 1
          do j = 0, b - 1
            x(j, i) = (row * b + i) + (column * b + j)
            y(j, i) = (row * b + i) - (column * b + j)
          end do
        end do
      end do
    end do
  end subroutine

  function error() result(found)
    real(c_double), pointer, asynchronous :: x(:, :)
    real(c_double) :: found, right
    integer :: row, column, i, j
    found = 0
    do row = position(1), num_blocks - 1, grid(1)
      do column = position(2), num_blocks - 1, grid(2)
        x => block_of(product, row, column)
        do i = row * b, row * b + b - 1
          do j = column * b, column * b + b - 1
            right = n * (n - 1) * (2 * n - 1) / 6 + (i - j) * (n * (n - 1) / 2) - n * i * j
            found = max(found, abs(x(j - column * b, i - row * b) - right))
          end do
        end do
      end do
    end do
  end function

end program
