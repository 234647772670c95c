! SPDX-License-Identifier: Apache-2.0

! Calls through mpif.h: the interface of programs of the last century.
program calls_mpif
  implicit none
  include 'mpif.h'
  integer, parameter :: block = 3
  integer :: rank, num_ranks, code, i, absolute
  integer, volatile :: mine(block)  ! MPI_BOTTOM reaches it without naming it
  integer :: lengths(1)
  integer, allocatable :: all_blocks(:), counts(:), displacements(:)
  integer(kind=MPI_ADDRESS_KIND) :: places(1)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, code)
  allocate(all_blocks(block * num_ranks), counts(num_ranks), displacements(num_ranks))
  counts = block
  displacements = [(block * (num_ranks - i), i = 1, num_ranks)]

  mine = rank
  all_blocks = -1
  call MPI_Allgather(mine, block, MPI_INTEGER, all_blocks, block, MPI_INTEGER, MPI_COMM_WORLD, code)
  call require(all(all_blocks == [((i - 1) / block, i = 1, block * num_ranks)]), 'allgather')

  all_blocks = -1
  all_blocks(block * rank + 1:block * (rank + 1)) = 10 * rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_blocks, block, MPI_INTEGER, &
                     MPI_COMM_WORLD, code)
  call require(all(all_blocks == [(10 * ((i - 1) / block), i = 1, block * num_ranks)]), 'in place')

  all_blocks = -1
  call MPI_Allgatherv(mine, block, MPI_INTEGER, all_blocks, counts, displacements, MPI_INTEGER, &
                      MPI_COMM_WORLD, code)
  call require(all(all_blocks == [(num_ranks - 1 - (i - 1) / block, i = 1, block * num_ranks)]), &
               'allgatherv')

  mine = 100 * rank
  call MPI_Bcast(mine, block, MPI_INTEGER, num_ranks - 1, MPI_COMM_WORLD, code)
  call require(all(mine == 100 * (num_ranks - 1)), 'bcast')

  mine = 7 * rank
  lengths = block
  call MPI_Get_address(mine, places(1), code)
  call MPI_Type_create_hindexed(1, lengths, places, MPI_INTEGER, absolute, code)
  call MPI_Type_commit(absolute, code)
  call MPI_Bcast(MPI_BOTTOM, 1, absolute, num_ranks - 1, MPI_COMM_WORLD, code)
  call MPI_Type_free(absolute, code)
  call require(all(mine == 7 * (num_ranks - 1)), 'bcast at MPI_BOTTOM')
  call MPI_Finalize(code)

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    integer :: abort_code
    if (.not. holds) then
      write (0, *) 'rank', rank, ': wrong result of ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, abort_code)
    end if
  end subroutine require

end program calls_mpif
