! SPDX-License-Identifier: Apache-2.0

! Nonblocking collectives from Fortran: handles of requests, MPI_IN_PLACE, arrays of requests.
program nonblocking
  use mpi
  implicit none
  integer :: ierror, rank, num_ranks, i, message
  integer :: own(3), total(3), requests(4), statuses(MPI_STATUS_SIZE, 4)
  integer, allocatable :: ranks(:)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, ierror)
  allocate (ranks(num_ranks))
  own = rank + 1
  total = 0
  ranks = -1
  ranks(rank + 1) = rank
  message = merge(7, 0, rank == 0)
  call MPI_Iallreduce(own, total, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ranks, 1, MPI_INTEGER, &
                      MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Ibarrier(MPI_COMM_WORLD, requests(3), ierror)
  call MPI_Ibcast(message, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(4), ierror)
  call MPI_Waitall(4, requests, statuses, ierror)
  if (any(total /= num_ranks*(num_ranks + 1)/2) .or. any(ranks /= [(i, i=0, num_ranks - 1)]) .or. &
      message /= 7 .or. any(requests /= MPI_REQUEST_NULL)) then
    print *, 'wrong result of a nonblocking collective on rank', rank
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end if
  call MPI_Finalize(ierror)
end program nonblocking
