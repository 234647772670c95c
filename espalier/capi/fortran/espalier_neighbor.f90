! SPDX-License-Identifier: Apache-2.0

! The interface of espalier_neighbor.h, for programs that use mpi_f08 as well as those that use mpi:
! handles of MPI may be of either kind, and buffers MPI_BOTTOM. Options are a derived type, and the
! last argument of what makes a neighborhood. Buffers are contiguous, and asynchronous or target
! where they are used between start and wait. What is wrong on one rank is an error on all where
! something is made or planned, and of that rank alone in blocking calls, as in C. Link with
! libespalier-fortran-<vendor> and libespalier-api-<vendor>.
module espalier_neighbor
  use espalier_neighbor_types, only: espalier_neighborhood, espalier_neighbor_options
  use espalier_neighborhoods
  use espalier_neighbor_collectives
  use espalier_onesided_types, only: espalier_request
  use espalier_requests
  implicit none
  public
end module espalier_neighbor
