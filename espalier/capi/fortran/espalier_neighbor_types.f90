! SPDX-License-Identifier: Apache-2.0

! What the modules of espalier_neighbor.h share: neighborhoods and their options.
module espalier_neighbor_types
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_ptr, c_ptr, c_sizeof, &
    c_size_t
  use espalier_onesided_types, only: to_c
  implicit none
  private
  public :: espalier_neighborhood, espalier_neighbor_options
  public :: c_neighbor_options, neighbor_texts, to_neighbor_options

  integer, parameter :: algorithm_len = 64

  type :: espalier_neighborhood
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! An algorithm that is blank is the default of C; a link whose numbers are 0 is not known.
  type :: espalier_neighbor_options
    character(len=algorithm_len) :: algorithm = ''
    real(c_double) :: latency_us = 0
    real(c_double) :: bandwidth_gib_s = 0
  end type

  ! espalier_neighbor_options of C.
  type, bind(C) :: c_neighbor_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: flags = 0
    type(c_ptr) :: algorithm = c_null_ptr
    real(c_double) :: latency_us = 0
    real(c_double) :: bandwidth_gib_s = 0
  end type

  ! A text that lives until C has read it.
  type :: neighbor_texts
    character(kind=c_char) :: algorithm(algorithm_len + 1)
  end type

contains

  function to_neighbor_options(options, texts) result(found)
    type(espalier_neighbor_options), intent(in), optional :: options
    type(neighbor_texts), intent(inout), target :: texts
    type(c_neighbor_options) :: found
    found%size = c_sizeof(found)
    if (.not. present(options)) return
    found%algorithm = to_c(options%algorithm, texts%algorithm)
    found%latency_us = options%latency_us
    found%bandwidth_gib_s = options%bandwidth_gib_s
  end function

end module espalier_neighbor_types
