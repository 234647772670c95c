! SPDX-License-Identifier: Apache-2.0

! Calls through the module mpi_f08, with typed handles and without error codes.
program calls_use_mpi_f08
  use mpi_f08
  implicit none
  integer, parameter :: block = 3
  integer :: rank, num_ranks, i
  integer, asynchronous :: mine(block)
  integer :: lengths(1)
  type(MPI_Datatype) :: absolute
  type(MPI_Op) :: first
  integer :: sums(block)
  integer, allocatable :: all_blocks(:), counts(:), displacements(:), outgoing(:), incoming(:)
  integer(kind=MPI_ADDRESS_KIND) :: places(1)

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
  call require(all(all_blocks == [((i - 1) / block, i = 1, block * num_ranks)]), 'allgather')

  all_blocks = -1
  all_blocks(block * rank + 1:block * (rank + 1)) = 10 * rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_blocks, block, MPI_INTEGER, &
                     MPI_COMM_WORLD)
  call require(all(all_blocks == [(10 * ((i - 1) / block), i = 1, block * num_ranks)]), 'in place')

  all_blocks = -1
  call MPI_Allgatherv(mine, block, MPI_INTEGER, all_blocks, counts, displacements, MPI_INTEGER, &
                      MPI_COMM_WORLD)
  call require(all(all_blocks == [(num_ranks - 1 - (i - 1) / block, i = 1, block * num_ranks)]), &
               'allgatherv')

  mine = 100 * rank
  call MPI_Bcast(mine, block, MPI_INTEGER, num_ranks - 1, MPI_COMM_WORLD)
  call require(all(mine == 100 * (num_ranks - 1)), 'bcast')

  mine = 7 * rank
  lengths = block
  call MPI_Get_address(mine, places(1))
  call MPI_Type_create_hindexed(1, lengths, places, MPI_INTEGER, absolute)
  call MPI_Type_commit(absolute)
  call MPI_Bcast(MPI_BOTTOM, 1, absolute, num_ranks - 1, MPI_COMM_WORLD)
  call MPI_Type_free(absolute)
  call require(all(mine == 7 * (num_ranks - 1)), 'bcast at MPI_BOTTOM')

  mine = rank + 1
  call MPI_Allreduce(mine, sums, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call require(all(sums == num_ranks * (num_ranks + 1) / 2), 'allreduce')
  sums = mine
  call MPI_Allreduce(MPI_IN_PLACE, sums, block, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  call require(all(sums == num_ranks), 'allreduce in place')

  outgoing = [(100 * rank + i, i = 1, num_ranks)]
  incoming = -1
  call MPI_Alltoall(outgoing, 1, MPI_INTEGER, incoming, 1, MPI_INTEGER, MPI_COMM_WORLD)
  call require(all(incoming == [(100 * (i - 1) + rank + 1, i = 1, num_ranks)]), 'alltoall')
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, outgoing, 1, MPI_INTEGER, &
                    MPI_COMM_WORLD)
  call require(all(outgoing == incoming), 'alltoall in place')

  ! The operator of the program gets handles of Fortran. It returns its left operand.
  call MPI_Op_create(left_operand, .false., first)
  call MPI_Reduce(mine, sums, block, MPI_INTEGER, first, 0, MPI_COMM_WORLD)
  call MPI_Op_free(first)
  call require(rank /= 0 .or. all(sums == 1), 'reduce')

  call MPI_Barrier(MPI_COMM_WORLD)
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

  subroutine left_operand(left, right, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    type(c_ptr), value :: left, right
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: from(:), to(:)
    if (datatype /= MPI_INTEGER) return
    call c_f_pointer(left, from, [length])
    call c_f_pointer(right, to, [length])
    to = from
  end subroutine left_operand

end program calls_use_mpi_f08
