! SPDX-License-Identifier: Apache-2.0

! The segment of this process as arrays; the module espalier_onesided has all of
! espalier_onesided.h. Pointers must not be used after the conduit was detached.
module espalier_onesided_segment
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_f_pointer, c_float, c_int, &
    c_int8_t, c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr, c_sizeof
  use espalier_onesided_types
  use espalier_onesided_conduit, only: espalier_conduit_rank, espalier_conduit_segment_bytes
  use mpi_f08, only: MPI_ERR_ARG
  implicit none
  private
  public :: espalier_conduit_segment

  ! Elements from an offset in bytes, a multiple of their size; as many as fit if it is not said.
  ! The pointer is null, and ierror MPI_ERR_ARG, if they do not lie in the segment. Of other types
  ! there is the address, for c_f_pointer.
  interface espalier_conduit_segment
    module procedure as_int32, as_int64, as_float, as_double, as_complex, as_address
  end interface

  type :: part
    type(c_ptr) :: address = c_null_ptr
    integer(c_int64_t) :: num_elements = 0
    integer :: code = MPI_ERR_ARG
  end type

  interface
    function c_conduit_segment(conduit) bind(C, name='espalier_conduit_segment') result(segment)
      import :: c_ptr
      type(c_ptr), value :: conduit
      type(c_ptr) :: segment
    end function
  end interface

contains

  subroutine as_address(conduit, segment)
    type(espalier_conduit), intent(in) :: conduit
    type(c_ptr), intent(out) :: segment
    segment = c_conduit_segment(conduit%handle)
  end subroutine

  subroutine as_int32(conduit, segment, ierror, offset, num_elements)
    type(espalier_conduit), intent(in) :: conduit
    integer(c_int32_t), pointer, intent(out) :: segment(:)
    integer, intent(out), optional :: ierror
    integer(c_int64_t), intent(in), optional :: offset, num_elements
    integer(c_int32_t) :: element
    type(part) :: found
    found = part_of(conduit, c_sizeof(element), offset, num_elements)
    nullify (segment)
    if (found%code == 0) call c_f_pointer(found%address, segment, [found%num_elements])
    if (present(ierror)) ierror = found%code
  end subroutine

  subroutine as_int64(conduit, segment, ierror, offset, num_elements)
    type(espalier_conduit), intent(in) :: conduit
    integer(c_int64_t), pointer, intent(out) :: segment(:)
    integer, intent(out), optional :: ierror
    integer(c_int64_t), intent(in), optional :: offset, num_elements
    integer(c_int64_t) :: element
    type(part) :: found
    found = part_of(conduit, c_sizeof(element), offset, num_elements)
    nullify (segment)
    if (found%code == 0) call c_f_pointer(found%address, segment, [found%num_elements])
    if (present(ierror)) ierror = found%code
  end subroutine

  subroutine as_float(conduit, segment, ierror, offset, num_elements)
    type(espalier_conduit), intent(in) :: conduit
    real(c_float), pointer, intent(out) :: segment(:)
    integer, intent(out), optional :: ierror
    integer(c_int64_t), intent(in), optional :: offset, num_elements
    real(c_float) :: element
    type(part) :: found
    found = part_of(conduit, c_sizeof(element), offset, num_elements)
    nullify (segment)
    if (found%code == 0) call c_f_pointer(found%address, segment, [found%num_elements])
    if (present(ierror)) ierror = found%code
  end subroutine

  subroutine as_double(conduit, segment, ierror, offset, num_elements)
    type(espalier_conduit), intent(in) :: conduit
    real(c_double), pointer, intent(out) :: segment(:)
    integer, intent(out), optional :: ierror
    integer(c_int64_t), intent(in), optional :: offset, num_elements
    real(c_double) :: element
    type(part) :: found
    found = part_of(conduit, c_sizeof(element), offset, num_elements)
    nullify (segment)
    if (found%code == 0) call c_f_pointer(found%address, segment, [found%num_elements])
    if (present(ierror)) ierror = found%code
  end subroutine

  subroutine as_complex(conduit, segment, ierror, offset, num_elements)
    type(espalier_conduit), intent(in) :: conduit
    complex(c_double_complex), pointer, intent(out) :: segment(:)
    integer, intent(out), optional :: ierror
    integer(c_int64_t), intent(in), optional :: offset, num_elements
    complex(c_double_complex) :: element
    type(part) :: found
    found = part_of(conduit, c_sizeof(element), offset, num_elements)
    nullify (segment)
    if (found%code == 0) call c_f_pointer(found%address, segment, [found%num_elements])
    if (present(ierror)) ierror = found%code
  end subroutine

  function part_of(conduit, element_bytes, offset, num_elements) result(found)
    type(espalier_conduit), intent(in) :: conduit
    integer(c_int64_t), intent(in) :: element_bytes
    integer(c_int64_t), intent(in), optional :: offset, num_elements
    type(part) :: found
    integer(c_int8_t), pointer :: bytes(:)
    integer(c_int64_t) :: begin, num_bytes
    integer :: rank, code
    call espalier_conduit_rank(conduit, rank)
    call espalier_conduit_segment_bytes(conduit, rank, num_bytes, code)
    begin = 0
    if (present(offset)) begin = offset
    if (code /= 0 .or. begin < 0 .or. begin > num_bytes) return
    if (modulo(begin, element_bytes) /= 0) return
    found%num_elements = (num_bytes - begin) / element_bytes
    if (present(num_elements)) then
      if (num_elements < 0 .or. num_elements > found%num_elements) return
      found%num_elements = num_elements
    end if
    call c_f_pointer(c_conduit_segment(conduit%handle), bytes, [num_bytes + 1])
    found%address = c_loc(bytes(begin + 1))
    found%code = 0
  end function

end module espalier_onesided_segment
