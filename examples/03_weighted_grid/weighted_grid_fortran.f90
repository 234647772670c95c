! SPDX-License-Identifier: Apache-2.0

! The same as weighted_grid.c.
program weighted_grid_fortran
  use mpi_f08
  use espalier_mpix
  implicit none
  type(MPI_Comm) :: grid
  integer :: plain(2) = 0, fitted(2) = 0, num_ranks
  logical, parameter :: periods(2) = .false.

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks)
  call MPI_Dims_create(num_ranks, 2, plain)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, plain, periods, .true., grid)
  call show('MPI_Dims_create + MPI_Cart_create', plain)

  call MPIX_Cart_weighted_create(MPI_COMM_WORLD, 2, [1d0 / 1800, 1d0 / 580], periods, &
    MPI_INFO_NULL, fitted, grid)
  call show('MPIX_Cart_weighted_create', fitted)
  call MPI_Finalize()

contains

  subroutine show(how, dims)
    character(len=*), intent(in) :: how
    integer, intent(in) :: dims(2)
    integer :: rank
    call MPI_Comm_rank(grid, rank)
    if (rank == 0) print '(a,": ",i0," x ",i0,", halo of ",i0," points")', how, dims, &
      2 * (1800 / dims(1) + 580 / dims(2))
    call MPI_Comm_free(grid)
  end subroutine

end program
