! SPDX-License-Identifier: Apache-2.0

! The interface of espalier_order.h, for programs that use mpi_f08 as well as those that use mpi:
! handles may be of either kind. Options are a derived type, and the last argument. Ranks count from
! 0, as in MPI: ranks(i + 1) is rank i of newcomm. Link with libespalier-fortran-<vendor> and
! libespalier-api-<vendor>.
module espalier_order
  use espalier_order_calls
  use espalier_order_types, only: espalier_order_options, espalier_order_report, &
    ESPALIER_ORDER_NAME_LEN, ESPALIER_ORDER_MEASURED, ESPALIER_ORDER_REMEMBERED, &
    ESPALIER_ORDER_DESCRIBED
  use espalier_requests, only: espalier_last_error
  implicit none
  public
end module espalier_order
