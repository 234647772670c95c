! SPDX-License-Identifier: Apache-2.0

! The same with the Fortran module.
program consumer
  use mpi_f08
  use espalier_mpix
  implicit none
  integer :: dims(2), num_ranks, rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks)
  dims = 0
  call MPIX_Dims_weighted_create(num_ranks, 2, [1d0 / 1800, 1d0 / 580], [.false., .false.], &
    MPI_INFO_NULL, dims)
  if (rank == 0) print '(i0, a, i0)', dims(1), ' x ', dims(2)
  call MPI_Finalize()
end program
