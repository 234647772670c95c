! SPDX-License-Identifier: Apache-2.0

! What the modules of espalier_planned.h share: its options.
module espalier_planned_types
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_ptr, c_ptr, c_sizeof, c_size_t
  use espalier_onesided_types, only: to_c
  implicit none
  private
  public :: espalier_planned_options
  public :: c_planned_options, planned_texts, to_planned_options

  integer, parameter :: algorithm_len = 128

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

  ! Texts that live until C has read them.
  type :: planned_texts
    character(kind=c_char) :: algorithm(algorithm_len + 1)
  end type

contains

  function to_planned_options(options, texts) result(found)
    type(espalier_planned_options), intent(in), optional :: options
    type(planned_texts), intent(inout), target :: texts
    type(c_planned_options) :: found
    found%size = c_sizeof(found)
    if (present(options)) found%algorithm = to_c(options%algorithm, texts%algorithm)
  end function

end module espalier_planned_types
