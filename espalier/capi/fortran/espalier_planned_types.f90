! SPDX-License-Identifier: Apache-2.0

! What the modules of espalier_planned.h share: its options, and where buffers are for C.
module espalier_planned_types
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_ptr, c_ptr, c_sizeof, c_size_t
  use espalier_buffer_places, only: buffer_place
  use espalier_onesided_types, only: to_c
  implicit none
  private
  public :: espalier_planned_options
  public :: c_planned_options, planned_texts, complaint_of, place_of, to_planned_options

  integer, parameter :: algorithm_len = 128, complaint_len = 128

  ! An algorithm that is blank is the default of C.
  type :: espalier_planned_options
    character(len=algorithm_len) :: algorithm = ''
  end type

  ! espalier_planned_options of C.
  type, bind(C) :: c_planned_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: flags = 0
    type(c_ptr) :: algorithm = c_null_ptr
  end type

  ! Texts that live until C has read them, and what is wrong with a buffer: nothing if it is blank.
  type :: planned_texts
    character(kind=c_char) :: algorithm(algorithm_len + 1)
    character(kind=c_char) :: complaint_in_c(complaint_len + 1)
    character(len=complaint_len) :: complaint = ''
  end type

contains

  function to_planned_options(options, texts) result(found)
    type(espalier_planned_options), intent(in), optional :: options
    type(planned_texts), intent(inout), target :: texts
    type(c_planned_options) :: found
    found%size = c_sizeof(found)
    if (present(options)) found%algorithm = to_c(options%algorithm, texts%algorithm)
  end function

  function complaint_of(texts) result(address)
    type(planned_texts), intent(inout), target :: texts
    type(c_ptr) :: address
    address = to_c(texts%complaint, texts%complaint_in_c)
  end function

  ! Where a buffer is. A section with gaps would be copied on its way, and what arrives later would
  ! go to the copy.
  function place_of(buffer, name, texts) result(place)
    type(*), dimension(..), intent(in), target :: buffer
    character(len=*), intent(in) :: name
    type(planned_texts), intent(inout) :: texts
    type(c_ptr) :: place
    place = c_null_ptr
    if (.not. is_contiguous(buffer)) then
      texts%complaint = 'expected contiguous elements as ' // name // ', got a section with gaps'
      return
    end if
    place = buffer_place(buffer)
  end function

end module espalier_planned_types
