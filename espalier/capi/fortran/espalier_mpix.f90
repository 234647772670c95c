! SPDX-License-Identifier: Apache-2.0

! The interfaces of espalier_mpix.h, for programs that use mpi_f08 as well as those that use mpi:
! handles may be of either kind. dims_ml(ndims, nlevels) has the meaning it has in C, outermost level
! first. Link with libespalier-fortran-<vendor> and libespalier-api-<vendor>.
module espalier_mpix
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_null_ptr, c_ptr, c_associated
  use mpi_f08, only: MPI_Comm, MPI_Info
  implicit none
  private

  ! Passed as dim_weights, by name: all directions count the same.
  double precision, target, save, public :: MPIX_WEIGHTS_EQUAL(1) = 0

  public :: MPIX_Cart_weighted_create
  public :: MPIX_Cart_ml_create_from_types
  public :: MPIX_Cart_ml_create_from_comms
  public :: MPIX_Cart_ml_create
  public :: MPIX_Dims_ml_create
  public :: MPIX_Dims_weighted_create

  interface MPIX_Cart_weighted_create
    module procedure cart_weighted_create, cart_weighted_create_f08
  end interface

  interface MPIX_Cart_ml_create_from_types
    module procedure cart_ml_create_from_types, cart_ml_create_from_types_f08
  end interface

  interface MPIX_Cart_ml_create_from_comms
    module procedure cart_ml_create_from_comms, cart_ml_create_from_comms_f08
  end interface

  interface MPIX_Cart_ml_create
    module procedure cart_ml_create, cart_ml_create_f08
  end interface

  interface MPIX_Dims_ml_create
    module procedure dims_ml_create, dims_ml_create_f08
  end interface

  interface MPIX_Dims_weighted_create
    module procedure dims_weighted_create, dims_weighted_create_f08
  end interface

  interface
    function c_cart_weighted_create(comm_old, ndims, dim_weights, periods, info, dims, &
      comm_cart) &
        bind(C, name='espalier_f_cart_weighted_create') result(code)
      import :: c_int, c_ptr
      integer(c_int), value :: comm_old
      integer(c_int), value :: ndims
      type(c_ptr), value :: dim_weights
      integer(c_int), intent(in) :: periods(*)
      integer(c_int), value :: info
      integer(c_int), intent(inout) :: dims(*)
      integer(c_int), intent(out) :: comm_cart
      integer(c_int) :: code
    end function
    function c_cart_ml_create_from_types(comm_old, ndims, dim_weights, periods, nsplit_types, &
      split_types, info, dims, comm_cart) &
        bind(C, name='espalier_f_cart_ml_create_from_types') result(code)
      import :: c_int, c_ptr
      integer(c_int), value :: comm_old
      integer(c_int), value :: ndims
      type(c_ptr), value :: dim_weights
      integer(c_int), intent(in) :: periods(*)
      integer(c_int), value :: nsplit_types
      integer(c_int), intent(in) :: split_types(*)
      integer(c_int), value :: info
      integer(c_int), intent(inout) :: dims(*)
      integer(c_int), intent(out) :: comm_cart
      integer(c_int) :: code
    end function
    function c_cart_ml_create_from_comms(nlevels, level_comms, ndims, dim_weights, periods, &
      info, dims, comm_cart) &
        bind(C, name='espalier_f_cart_ml_create_from_comms') result(code)
      import :: c_int, c_ptr
      integer(c_int), value :: nlevels
      integer(c_int), intent(in) :: level_comms(*)
      integer(c_int), value :: ndims
      type(c_ptr), value :: dim_weights
      integer(c_int), intent(in) :: periods(*)
      integer(c_int), value :: info
      integer(c_int), intent(inout) :: dims(*)
      integer(c_int), intent(out) :: comm_cart
      integer(c_int) :: code
    end function
    function c_cart_ml_create(comm_old, ndims, periods, nlevels, dims_ml, info, dims, comm_cart) &
        bind(C, name='espalier_f_cart_ml_create') result(code)
      import :: c_int
      integer(c_int), value :: comm_old
      integer(c_int), value :: ndims
      integer(c_int), intent(in) :: periods(*)
      integer(c_int), value :: nlevels
      integer(c_int), intent(in) :: dims_ml(*)
      integer(c_int), value :: info
      integer(c_int), intent(out) :: dims(*)
      integer(c_int), intent(out) :: comm_cart
      integer(c_int) :: code
    end function
    function c_dims_ml_create(nnodes, ndims, dim_weights, nlevels, sizes, periods, info, &
      dims_ml) &
        bind(C, name='espalier_f_dims_ml_create') result(code)
      import :: c_int, c_ptr
      integer(c_int), value :: nnodes
      integer(c_int), value :: ndims
      type(c_ptr), value :: dim_weights
      integer(c_int), value :: nlevels
      integer(c_int), intent(in) :: sizes(*)
      integer(c_int), intent(in) :: periods(*)
      integer(c_int), value :: info
      integer(c_int), intent(out) :: dims_ml(*)
      integer(c_int) :: code
    end function
    function c_dims_weighted_create(nnodes, ndims, dim_weights, periods, info, dims) &
        bind(C, name='espalier_f_dims_weighted_create') result(code)
      import :: c_int, c_ptr
      integer(c_int), value :: nnodes
      integer(c_int), value :: ndims
      type(c_ptr), value :: dim_weights
      integer(c_int), intent(in) :: periods(*)
      integer(c_int), value :: info
      integer(c_int), intent(inout) :: dims(*)
      integer(c_int) :: code
    end function
  end interface

contains

  ! The address of weights; none for MPIX_WEIGHTS_EQUAL.
  function weights_at(dim_weights) result(address)
    double precision, intent(in), target :: dim_weights(*)
    type(c_ptr) :: address
    address = c_loc(dim_weights)
    if (c_associated(address, c_loc(MPIX_WEIGHTS_EQUAL))) address = c_null_ptr
  end function

  subroutine cart_weighted_create(comm_old, ndims, dim_weights, periods, info, dims, comm_cart, &
      ierror)
    integer, intent(in) :: ndims
    integer, intent(in) :: comm_old
    double precision, intent(in), target :: dim_weights(*)
    logical, intent(in) :: periods(*)
    integer, intent(in) :: info
    integer, intent(inout) :: dims(*)
    integer, intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    integer :: wraps(max(ndims, 0))
    integer :: code
    wraps = merge(1, 0, periods(1:max(ndims, 0)))
    code = c_cart_weighted_create(comm_old, ndims, weights_at(dim_weights), wraps, info, dims, &
      comm_cart)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine cart_weighted_create_f08(comm_old, ndims, dim_weights, periods, info, dims, &
      comm_cart, ierror)
    integer, intent(in) :: ndims
    type(MPI_Comm), intent(in) :: comm_old
    double precision, intent(in), target :: dim_weights(*)
    logical, intent(in) :: periods(*)
    type(MPI_Info), intent(in) :: info
    integer, intent(inout) :: dims(*)
    type(MPI_Comm), intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    call cart_weighted_create(comm_old%MPI_VAL, ndims, dim_weights, periods, info%MPI_VAL, &
      dims, comm_cart%MPI_VAL, ierror)
  end subroutine

  subroutine cart_ml_create_from_types(comm_old, ndims, dim_weights, periods, nsplit_types, &
      split_types, info, dims, comm_cart, ierror)
    integer, intent(in) :: ndims
    integer, intent(in) :: comm_old
    double precision, intent(in), target :: dim_weights(*)
    logical, intent(in) :: periods(*)
    integer, intent(in) :: nsplit_types
    integer, intent(in) :: split_types(*)
    integer, intent(in) :: info
    integer, intent(inout) :: dims(*)
    integer, intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    integer :: wraps(max(ndims, 0))
    integer :: code
    wraps = merge(1, 0, periods(1:max(ndims, 0)))
    code = c_cart_ml_create_from_types(comm_old, ndims, weights_at(dim_weights), wraps, &
      nsplit_types, split_types, info, dims, comm_cart)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine cart_ml_create_from_types_f08(comm_old, ndims, dim_weights, periods, nsplit_types, &
      split_types, info, dims, comm_cart, ierror)
    integer, intent(in) :: ndims
    type(MPI_Comm), intent(in) :: comm_old
    double precision, intent(in), target :: dim_weights(*)
    logical, intent(in) :: periods(*)
    integer, intent(in) :: nsplit_types
    integer, intent(in) :: split_types(*)
    type(MPI_Info), intent(in) :: info
    integer, intent(inout) :: dims(*)
    type(MPI_Comm), intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    call cart_ml_create_from_types(comm_old%MPI_VAL, ndims, dim_weights, periods, nsplit_types, &
      split_types, info%MPI_VAL, dims, comm_cart%MPI_VAL, ierror)
  end subroutine

  subroutine cart_ml_create_from_comms(nlevels, level_comms, ndims, dim_weights, periods, info, &
      dims, comm_cart, ierror)
    integer, intent(in) :: nlevels
    integer, intent(in) :: ndims
    integer, intent(in) :: level_comms(nlevels)
    double precision, intent(in), target :: dim_weights(*)
    logical, intent(in) :: periods(*)
    integer, intent(in) :: info
    integer, intent(inout) :: dims(*)
    integer, intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    integer :: wraps(max(ndims, 0))
    integer :: code
    wraps = merge(1, 0, periods(1:max(ndims, 0)))
    code = c_cart_ml_create_from_comms(nlevels, level_comms, ndims, weights_at(dim_weights), &
      wraps, info, dims, comm_cart)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine cart_ml_create_from_comms_f08(nlevels, level_comms, ndims, dim_weights, periods, &
      info, dims, comm_cart, ierror)
    integer, intent(in) :: nlevels
    integer, intent(in) :: ndims
    type(MPI_Comm), intent(in) :: level_comms(nlevels)
    double precision, intent(in), target :: dim_weights(*)
    logical, intent(in) :: periods(*)
    type(MPI_Info), intent(in) :: info
    integer, intent(inout) :: dims(*)
    type(MPI_Comm), intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    call cart_ml_create_from_comms(nlevels, level_comms%MPI_VAL, ndims, dim_weights, periods, &
      info%MPI_VAL, dims, comm_cart%MPI_VAL, ierror)
  end subroutine

  subroutine cart_ml_create(comm_old, ndims, periods, nlevels, dims_ml, info, dims, comm_cart, &
      ierror)
    integer, intent(in) :: ndims
    integer, intent(in) :: nlevels
    integer, intent(in) :: comm_old
    logical, intent(in) :: periods(*)
    integer, intent(in) :: dims_ml(ndims, nlevels)
    integer, intent(in) :: info
    integer, intent(out) :: dims(*)
    integer, intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    integer :: wraps(max(ndims, 0))
    integer :: rows(max(nlevels, 0) * max(ndims, 0))
    integer :: code
    wraps = merge(1, 0, periods(1:max(ndims, 0)))
    rows = reshape(transpose(dims_ml), [size(rows)])
    code = c_cart_ml_create(comm_old, ndims, wraps, nlevels, rows, info, dims, comm_cart)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine cart_ml_create_f08(comm_old, ndims, periods, nlevels, dims_ml, info, dims, &
      comm_cart, ierror)
    integer, intent(in) :: ndims
    integer, intent(in) :: nlevels
    type(MPI_Comm), intent(in) :: comm_old
    logical, intent(in) :: periods(*)
    integer, intent(in) :: dims_ml(ndims, nlevels)
    type(MPI_Info), intent(in) :: info
    integer, intent(out) :: dims(*)
    type(MPI_Comm), intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    call cart_ml_create(comm_old%MPI_VAL, ndims, periods, nlevels, dims_ml, info%MPI_VAL, dims, &
      comm_cart%MPI_VAL, ierror)
  end subroutine

  subroutine dims_ml_create(nnodes, ndims, dim_weights, nlevels, sizes, periods, info, dims_ml, &
      ierror)
    integer, intent(in) :: ndims
    integer, intent(in) :: nlevels
    integer, intent(in) :: nnodes
    double precision, intent(in), target :: dim_weights(*)
    integer, intent(in) :: sizes(*)
    logical, intent(in) :: periods(*)
    integer, intent(in) :: info
    integer, intent(out) :: dims_ml(ndims, nlevels)
    integer, intent(out), optional :: ierror
    integer :: wraps(max(ndims, 0))
    integer :: rows(max(nlevels, 0) * max(ndims, 0))
    integer :: code
    wraps = merge(1, 0, periods(1:max(ndims, 0)))
    code = c_dims_ml_create(nnodes, ndims, weights_at(dim_weights), nlevels, sizes, wraps, &
      info, rows)
    if (code == 0) dims_ml = transpose(reshape(rows, [nlevels, ndims]))
    if (present(ierror)) ierror = code
  end subroutine

  subroutine dims_ml_create_f08(nnodes, ndims, dim_weights, nlevels, sizes, periods, info, &
      dims_ml, ierror)
    integer, intent(in) :: ndims
    integer, intent(in) :: nlevels
    integer, intent(in) :: nnodes
    double precision, intent(in), target :: dim_weights(*)
    integer, intent(in) :: sizes(*)
    logical, intent(in) :: periods(*)
    type(MPI_Info), intent(in) :: info
    integer, intent(out) :: dims_ml(ndims, nlevels)
    integer, intent(out), optional :: ierror
    call dims_ml_create(nnodes, ndims, dim_weights, nlevels, sizes, periods, info%MPI_VAL, &
      dims_ml, ierror)
  end subroutine

  subroutine dims_weighted_create(nnodes, ndims, dim_weights, periods, info, dims, ierror)
    integer, intent(in) :: ndims
    integer, intent(in) :: nnodes
    double precision, intent(in), target :: dim_weights(*)
    logical, intent(in) :: periods(*)
    integer, intent(in) :: info
    integer, intent(inout) :: dims(*)
    integer, intent(out), optional :: ierror
    integer :: wraps(max(ndims, 0))
    integer :: code
    wraps = merge(1, 0, periods(1:max(ndims, 0)))
    code = c_dims_weighted_create(nnodes, ndims, weights_at(dim_weights), wraps, info, dims)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine dims_weighted_create_f08(nnodes, ndims, dim_weights, periods, info, dims, ierror)
    integer, intent(in) :: ndims
    integer, intent(in) :: nnodes
    double precision, intent(in), target :: dim_weights(*)
    logical, intent(in) :: periods(*)
    type(MPI_Info), intent(in) :: info
    integer, intent(inout) :: dims(*)
    integer, intent(out), optional :: ierror
    call dims_weighted_create(nnodes, ndims, dim_weights, periods, info%MPI_VAL, dims, ierror)
  end subroutine

end module espalier_mpix
