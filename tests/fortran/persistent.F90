! SPDX-License-Identifier: Apache-2.0

! Persistent collectives from Fortran, started several times together with a message. Open MPI 4 has
! them by names of an extension, which the build passes.
program persistent
  use mpi
  implicit none
  integer :: ierror, rank, num_ranks, i, run, requests(4), statuses(MPI_STATUS_SIZE, 4)
  ! They change in calls that do not name them.
  integer, volatile :: own(3), total(3), message, token

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, ierror)
  call ALLREDUCE_INIT(own, total, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                      requests(1), ierror)
  call BCAST_INIT(message, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), ierror)
  call MPI_Send_init(own, 1, MPI_INTEGER, mod(rank + 1, num_ranks), 5, MPI_COMM_WORLD, &
                     requests(3), ierror)
  call MPI_Recv_init(token, 1, MPI_INTEGER, mod(rank + num_ranks - 1, num_ranks), 5, &
                     MPI_COMM_WORLD, requests(4), ierror)
  do run = 1, 5
    own = rank + run
    total = 0
    message = merge(run, 0, rank == 0)
    call MPI_Startall(4, requests, ierror)
    call MPI_Waitall(4, requests, statuses, ierror)
    if (any(total /= num_ranks*(num_ranks - 1)/2 + num_ranks*run) .or. message /= run .or. &
        token /= mod(rank + num_ranks - 1, num_ranks) + run) then
      print *, 'wrong result of a persistent collective on rank', rank
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
  end do
  do i = 1, 4
    call MPI_Request_free(requests(i), ierror)
  end do
  if (any(requests /= MPI_REQUEST_NULL)) then
    print *, 'a request that was freed is not null on rank', rank
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end if
  call MPI_Finalize(ierror)
end program persistent
