! SPDX-License-Identifier: Apache-2.0

! The interface of espalier.h, for programs that use mpi_f08 as well as those that use mpi.
module espalier
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_loc, c_null_char, c_null_ptr, c_ptr
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: espalier_cart_create

  integer, parameter :: name_len = 64

  ! Options are arguments that may be left out: offsets(ndims, number of neighbours), a weight for
  ! each neighbour, a dim_weight for each dimension.
  interface espalier_cart_create
    module procedure cart_create, cart_create_f08
  end interface

  interface
    function c_cart_create(comm_old, ndims, dims, periods, num_neighbors, offsets, weights, &
        dim_weights, objective, algorithm, comm_cart) &
        bind(C, name='espalier_f_cart_create') result(code)
      import :: c_int, c_ptr
      integer(c_int), value :: comm_old, ndims, num_neighbors
      integer(c_int), intent(inout) :: dims(*)
      integer(c_int), intent(in) :: periods(*)
      type(c_ptr), value :: offsets, weights, dim_weights, objective, algorithm
      integer(c_int), intent(out) :: comm_cart
      integer(c_int) :: code
    end function
  end interface

contains

  ! A text as C has it; one that is too long keeps its beginning, and is refused as unknown.
  subroutine to_c(text, characters)
    character(len=*), intent(in) :: text
    character(kind=c_char), intent(out) :: characters(name_len)
    integer :: i
    characters = c_null_char
    do i = 1, min(len_trim(text), name_len - 1)
      characters(i) = text(i:i)
    end do
  end subroutine

  subroutine cart_create(comm_old, ndims, dims, periods, comm_cart, ierror, offsets, weights, &
      dim_weights, objective, algorithm)
    integer, intent(in) :: comm_old, ndims
    integer, intent(inout) :: dims(*)
    logical, intent(in) :: periods(*)
    integer, intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    integer, intent(in), optional, target, contiguous :: offsets(:, :)
    double precision, intent(in), optional, target, contiguous :: weights(:), dim_weights(:)
    character(len=*), intent(in), optional :: objective, algorithm
    character(kind=c_char), target :: texts(name_len, 2)
    type(c_ptr) :: at(5)
    integer :: wraps(max(ndims, 0)), num_neighbors, code
    logical :: fits
    wraps = merge(1, 0, periods(1:max(ndims, 0)))
    at = c_null_ptr
    num_neighbors = 0
    fits = .true.
    if (present(offsets)) then
      num_neighbors = size(offsets, 2)
      at(1) = c_loc(offsets)
      fits = size(offsets, 1) == ndims
    end if
    if (present(weights)) then
      at(2) = c_loc(weights)
      fits = fits .and. size(weights) == num_neighbors
    end if
    if (present(dim_weights)) then
      at(3) = c_loc(dim_weights)
      fits = fits .and. size(dim_weights) == ndims
    end if
    ! What C refuses on all ranks. It does not know the shapes, and would read beyond the arrays.
    if (.not. fits) then
      num_neighbors = -1
      at(1:3) = c_null_ptr
    end if
    if (present(objective)) then
      call to_c(objective, texts(:, 1))
      at(4) = c_loc(texts(1, 1))
    end if
    if (present(algorithm)) then
      call to_c(algorithm, texts(:, 2))
      at(5) = c_loc(texts(1, 2))
    end if
    code = c_cart_create(comm_old, ndims, dims, wraps, num_neighbors, at(1), at(2), at(3), at(4), &
      at(5), comm_cart)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine cart_create_f08(comm_old, ndims, dims, periods, comm_cart, ierror, offsets, weights, &
      dim_weights, objective, algorithm)
    type(MPI_Comm), intent(in) :: comm_old
    integer, intent(in) :: ndims
    integer, intent(inout) :: dims(*)
    logical, intent(in) :: periods(*)
    type(MPI_Comm), intent(out) :: comm_cart
    integer, intent(out), optional :: ierror
    integer, intent(in), optional, target, contiguous :: offsets(:, :)
    double precision, intent(in), optional, target, contiguous :: weights(:), dim_weights(:)
    character(len=*), intent(in), optional :: objective, algorithm
    call cart_create(comm_old%MPI_VAL, ndims, dims, periods, comm_cart%MPI_VAL, ierror, offsets, &
      weights, dim_weights, objective, algorithm)
  end subroutine

end module espalier
