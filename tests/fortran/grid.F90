! SPDX-License-Identifier: Apache-2.0

! A line of all ranks, which are on two nodes in turn (alternate_nodes.c): each message between
! neighbours leaves its node. The argument says what has to be seen when the program allows another
! order: `mapped` (only the messages where the nodes meet) or `native` (ranks as they were).
#if defined(WITH_mpi_f08)
#define COMMUNICATOR type(MPI_Comm)
#else
#define COMMUNICATOR integer
#endif
program grid
#if defined(WITH_mpi_f08)
  use mpi_f08
  implicit none
#elif defined(WITH_mpi)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  COMMUNICATOR :: plain, mapped
  character(len=16) :: expected
  integer :: rank, num_ranks, position, code

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call get_command_argument(1, expected)
  call require(expected == 'mapped' .or. expected == 'native', 'an argument, mapped or native')
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, code)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [num_ranks], [.false.], .false., plain, code)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [num_ranks], [.false.], .true., mapped, code)
  call MPI_Comm_rank(plain, position, code)
  call require(position == rank, 'ranks as they were, unless another order is allowed')
  call require(cut_of(plain) == 2 * (num_ranks - 1), 'all messages leave their nodes')
  if (expected == 'mapped') then
    call require(cut_of(mapped) == merge(2, 0, num_ranks > 1), 'two messages leave their nodes')
  else
    call require(cut_of(mapped) == cut_of(plain), 'as many messages as without another order')
  end if
  call MPI_Comm_free(mapped, code)
  call MPI_Comm_free(plain, code)
  call MPI_Finalize(code)

contains

  ! Messages between neighbours that leave their node, in both directions.
  integer function cut_of(line)
    COMMUNICATOR, intent(in) :: line
    integer :: before, after, own, neighbors(2), all_cuts

    call MPI_Cart_shift(line, 0, 1, before, after, code)
    neighbors = rank
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, after, 0, neighbors(1), 1, MPI_INTEGER, before, 0, &
                      line, MPI_STATUS_IGNORE, code)
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, before, 0, neighbors(2), 1, MPI_INTEGER, after, 0, &
                      line, MPI_STATUS_IGNORE, code)
    own = count(mod(neighbors, 2) /= mod(rank, 2))
    call MPI_Allreduce(own, all_cuts, 1, MPI_INTEGER, MPI_SUM, line, code)
    cut_of = all_cuts
  end function cut_of

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what

    if (.not. holds) then
      write (0, *) 'rank', rank, ': expected ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, code)
    end if
  end subroutine require
end program grid
