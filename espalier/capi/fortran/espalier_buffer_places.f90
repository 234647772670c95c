! SPDX-License-Identifier: Apache-2.0

! Where the buffers of a collective are for C, which has other places than Fortran for MPI_IN_PLACE
! and MPI_BOTTOM; and what is wrong with one of them.
module espalier_buffer_places
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_null_ptr, c_ptr
  use espalier_onesided_types, only: address_of, to_c
  use mpi, only: bottom => MPI_BOTTOM, in_place => MPI_IN_PLACE
  use mpi_f08, only: bottom_f08 => MPI_BOTTOM, in_place_f08 => MPI_IN_PLACE
  implicit none
  private
  public :: buffer_complaint, buffer_place, complaint_of, place_of

  integer, parameter :: complaint_len = 128

  ! Nothing is wrong if the text is blank. It lives until C has read it.
  type :: buffer_complaint
    character(len=complaint_len) :: text = ''
    character(kind=c_char) :: text_in_c(complaint_len + 1)
  end type

  interface
    function in_place_of_c() bind(C, name='espalier_in_place_of_c') result(place)
      import :: c_ptr
      type(c_ptr) :: place
    end function
    function bottom_of_c() bind(C, name='espalier_bottom_of_c') result(place)
      import :: c_ptr
      type(c_ptr) :: place
    end function
  end interface

contains

  function complaint_of(wrong) result(address)
    type(buffer_complaint), intent(inout), target :: wrong
    type(c_ptr) :: address
    address = to_c(wrong%text, wrong%text_in_c)
  end function

  ! Where a buffer is. A section with gaps would be copied on its way, and what arrives later would
  ! go to the copy.
  function place_of(buffer, name, wrong) result(place)
    type(*), dimension(..), intent(in), target :: buffer
    character(len=*), intent(in) :: name
    type(buffer_complaint), intent(inout) :: wrong
    type(c_ptr) :: place
    place = c_null_ptr
    if (.not. is_contiguous(buffer)) then
      wrong%text = 'expected contiguous elements as ' // name // ', got a section with gaps'
      return
    end if
    place = buffer_place(buffer)
  end function

  ! A null pointer for a section with gaps, as address_of has it.
  function buffer_place(buffer) result(place)
    type(*), dimension(..), intent(in), target :: buffer
    type(c_ptr) :: place
    place = address_of(buffer)
    if (is_same(place, in_place) .or. is_same(place, in_place_f08)) place = in_place_of_c()
    if (is_same(place, bottom) .or. is_same(place, bottom_f08)) place = bottom_of_c()
  end function

  ! Names of Fortran are variables, each somewhere, and in some MPIs others in each module.
  function is_same(place, constant) result(same)
    type(c_ptr), intent(in) :: place
    type(*), dimension(..), intent(in), target :: constant
    logical :: same
    same = c_associated(place, address_of(constant))
  end function

end module espalier_buffer_places
