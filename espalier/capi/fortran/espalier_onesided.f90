! SPDX-License-Identifier: Apache-2.0

! The interface of espalier_onesided.h and espalier_array.h, for programs that use mpi_f08 as well as
! those that use mpi: handles of MPI may be of either kind. Options are derived types, and the last
! argument. Sizes, offsets and counters are integers of kind c_int64_t. Link with
! libespalier-fortran-<vendor> and libespalier-api-<vendor>.
module espalier_onesided
  use espalier_onesided_types, only: espalier_array, espalier_blocks, espalier_conduit, &
    espalier_conduit_options, espalier_distribution, espalier_onesided_options, espalier_region, &
    espalier_remote, espalier_request, espalier_team, espalier_transfer, espalier_tuning_options, &
    ESPALIER_ADDRESSES_LOCAL, ESPALIER_ADDRESSES_SINGLE, ESPALIER_ADDRESSES_SYMMETRIC, &
    ESPALIER_ALL_BLOCKS, ESPALIER_ALLSYNC, ESPALIER_ARRAY_MAX_DIMS, ESPALIER_MYSYNC, ESPALIER_NOSYNC
  use espalier_onesided_conduit
  use espalier_onesided_segment
  use espalier_onesided_transfer
  use espalier_onesided_messages
  use espalier_onesided_team
  use espalier_onesided_collectives
  use espalier_onesided_uneven
  use espalier_onesided_arrays
  use espalier_requests
  implicit none
  public
end module espalier_onesided
