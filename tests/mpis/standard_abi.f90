! SPDX-License-Identifier: Apache-2.0

! Calls of procedures for the standard ABI, for which no package has a module or mpif.h. The
! constants are those of mpi_abi.h.
program standard_abi
  implicit none
  external :: MPI_Init, MPI_Comm_rank, MPI_Comm_size, MPI_Allgather, MPI_Allreduce, MPI_Bcast
  external :: MPI_Finalize
  integer, parameter :: MPI_COMM_WORLD = 257, MPI_INTEGER = 537, MPI_SUM = 33
  integer :: rank, num_ranks, code, i, mine, total
  integer, allocatable :: all_ranks(:)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, code)
  allocate(all_ranks(num_ranks))

  mine = rank + 1
  call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (total /= num_ranks * (num_ranks + 1) / 2) error stop 'allreduce'
  call MPI_Bcast(mine, 1, MPI_INTEGER, num_ranks - 1, MPI_COMM_WORLD, code)
  if (mine /= num_ranks) error stop 'bcast'
  all_ranks = -1
  call MPI_Allgather(rank, 1, MPI_INTEGER, all_ranks, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
  if (any(all_ranks /= [(i, i = 0, num_ranks - 1)])) error stop 'allgather'

  call MPI_Finalize(code)
end program standard_abi
