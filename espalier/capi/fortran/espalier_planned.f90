! SPDX-License-Identifier: Apache-2.0

! The interface of espalier_planned.h, for programs that use mpi_f08 as well as those that use mpi:
! handles of MPI may be of either kind, and buffers MPI_IN_PLACE or MPI_BOTTOM. Options are a derived
! type, and the last argument. Buffers are contiguous, and asynchronous or target where they are
! used between start and wait. Link with libespalier-fortran-<vendor> and libespalier-api-<vendor>.
module espalier_planned
  use espalier_onesided_types, only: espalier_request
  use espalier_planned_types, only: espalier_planned_options
  use espalier_planned_collectives
  use espalier_requests
  implicit none
  public
end module espalier_planned
