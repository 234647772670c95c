! SPDX-License-Identifier: Apache-2.0

! Each rank sends to the next one; behaviour_traffic.py says what has to be counted.
program sender
  use mpi_f08
  implicit none
  integer :: rank, ranks, to, from, out(64), in(64)
  type(MPI_Request) :: requests(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  to = modulo(rank + 1, ranks)
  from = modulo(rank - 1, ranks)
  out = rank
  call MPI_Irecv(in, 2, MPI_INTEGER, from, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(out, 2, MPI_INTEGER, to, 1, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Sendrecv(out, 3, MPI_INTEGER, to, 1, in, 3, MPI_INTEGER, from, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE)
  call MPI_Recv_init(in, 4, MPI_INTEGER, from, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Send_init(out, 4, MPI_INTEGER, to, 1, MPI_COMM_WORLD, requests(2))
  call MPI_Startall(2, requests)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))
  call MPI_Send(out, 9, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD)
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INTEGER, MPI_COMM_WORLD)
  call MPI_Finalize()
end program sender
