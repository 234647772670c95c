! SPDX-License-Identifier: Apache-2.0

! Persistent neighborhood collectives from Fortran, by each of its interfaces, in a ring of at least
! three ranks: all five started at once, several times. Open MPI 4 has them by names of an extension,
! which the build passes. The ring is a graph: the module mpi_f08 of MPICH asks for the degrees of a
! graph in its MPI_Neighbor_alltoallw_init, and fails on grids.
#if defined(WITH_mpi_f08)
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program planned_neighbors
#if defined(WITH_mpi_f08)
  use mpi_f08
#if defined(WITH_extension)
  use mpi_f08_ext
#endif
  implicit none
#elif defined(WITH_mpi)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  HANDLE(MPI_Comm) :: ring
  HANDLE(MPI_Request) :: requests(5)
  HANDLE(MPI_Datatype) :: types(2)
  integer :: rank, num_ranks, before, behind, i, run, code
  integer :: counts(2), there(2), back(2)
  integer, asynchronous :: own(2), gathered(2), placed(2), exchanged(2), varying(2), typed(2)
  integer(MPI_ADDRESS_KIND) :: in_bytes(2)

  call MPI_Init(code)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  before = mod(rank + num_ranks - 1, num_ranks)
  behind = mod(rank + 1, num_ranks)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, [before, behind], MPI_UNWEIGHTED, 2, &
                                      [before, behind], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., &
                                      ring, code)
  types = MPI_INTEGER
  counts = 1
  there = [0, 1]
  back = [1, 0]
  in_bytes = [4, 0]
  call ALLGATHER_INIT(own, 1, MPI_INTEGER, gathered, 1, MPI_INTEGER, ring, MPI_INFO_NULL, &
                      requests(1), code)
  call ALLGATHERV_INIT(own, 1, MPI_INTEGER, placed, counts, back, MPI_INTEGER, ring, &
                       MPI_INFO_NULL, requests(2), code)
  call ALLTOALL_INIT(own, 1, MPI_INTEGER, exchanged, 1, MPI_INTEGER, ring, MPI_INFO_NULL, &
                     requests(3), code)
  call ALLTOALLV_INIT(own, counts, back, MPI_INTEGER, varying, counts, there, MPI_INTEGER, ring, &
                      MPI_INFO_NULL, requests(4), code)
  call ALLTOALLW_INIT(own, counts, in_bytes, types, typed, counts, in_bytes, types, ring, &
                      MPI_INFO_NULL, requests(5), code)
  do run = 1, 3
    own = 100 * run + [10 * rank, 10 * rank + 1]
    gathered = -1
    placed = -1
    exchanged = -1
    varying = -1
    typed = -1
    call MPI_Startall(5, requests, code)
    call MPI_Waitall(5, requests, MPI_STATUSES_IGNORE, code)
    call require(all(gathered - 100 * run == 10 * [before, behind]), 'allgather')
    call require(all(placed - 100 * run == 10 * [behind, before]), 'allgatherv')
    call require(all(exchanged - 100 * run == [10 * before + 1, 10 * behind]), 'alltoall')
    call require(all(varying - 100 * run == [10 * before, 10 * behind + 1]), 'alltoallv')
    call require(all(typed - 100 * run == [10 * behind + 1, 10 * before]), 'alltoallw')
  end do
  do i = 1, 5
    call MPI_Request_free(requests(i), code)
    call require(requests(i) == MPI_REQUEST_NULL, 'a null request for what was freed')
  end do
  call MPI_Comm_free(ring, code)
  call MPI_Finalize(code)

contains

  subroutine require(holds, promise)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: promise

    if (.not. holds) then
      write (0, *) 'rank', rank, ': expected ', promise
      call MPI_Abort(MPI_COMM_WORLD, 1, code)
    end if
  end subroutine require
end program planned_neighbors
