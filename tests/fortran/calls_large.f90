! SPDX-License-Identifier: Apache-2.0

! Large counts through the module mpi_f08: the procedures have the names of those with default
! integers, and the kind of the counts chooses.
program calls_large
  use mpi_f08
  implicit none
  integer(kind=MPI_COUNT_KIND), parameter :: block = 3
  integer(kind=MPI_COUNT_KIND), parameter :: one = 1
  integer :: rank, num_ranks, i
  integer, asynchronous :: mine(block), sums(block)
  integer, allocatable :: all_blocks(:), outgoing(:), incoming(:)
  integer(kind=MPI_COUNT_KIND), allocatable :: counts(:)
  integer(kind=MPI_ADDRESS_KIND), allocatable :: displacements(:)
  type(MPI_Request) :: request

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks)
  allocate(all_blocks(block * num_ranks), counts(num_ranks), displacements(num_ranks))
  allocate(outgoing(num_ranks), incoming(num_ranks))
  counts = block
  displacements = [(block * (num_ranks - i), i = 1, num_ranks)]

  mine = rank
  all_blocks = -1
  call MPI_Allgather(mine, block, MPI_INTEGER, all_blocks, block, MPI_INTEGER, MPI_COMM_WORLD)
  call require(all(all_blocks == [((i - 1) / block, i = 1, int(block) * num_ranks)]), 'allgather')

  all_blocks = -1
  call MPI_Allgatherv(mine, block, MPI_INTEGER, all_blocks, counts, displacements, MPI_INTEGER, &
                      MPI_COMM_WORLD)
  call require(all(all_blocks == [(num_ranks - 1 - (i - 1) / block, i = 1, int(block) * num_ranks)]), &
               'allgatherv')

  mine = 100 * rank
  call MPI_Bcast(mine, block, MPI_INTEGER, num_ranks - 1, MPI_COMM_WORLD)
  call require(all(mine == 100 * (num_ranks - 1)), 'bcast')

  mine = rank + 1
  call MPI_Allreduce(mine, sums, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call require(all(sums == num_ranks * (num_ranks + 1) / 2), 'allreduce')

  outgoing = [(100 * rank + i, i = 1, num_ranks)]
  incoming = -1
  call MPI_Alltoall(outgoing, one, MPI_INTEGER, incoming, one, MPI_INTEGER, MPI_COMM_WORLD)
  call require(all(incoming == [(100 * (i - 1) + rank + 1, i = 1, num_ranks)]), 'alltoall')

  call MPI_Iallreduce(mine, sums, block, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call require(all(sums == num_ranks), 'iallreduce')
  call MPI_Finalize()

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      write (0, *) 'rank', rank, ': wrong result of ', what
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine require

end program calls_large
