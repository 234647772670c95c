! SPDX-License-Identifier: Apache-2.0

! Options and report of espalier_order.h, and how C has them.
module espalier_order_types
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_null_ptr, c_ptr, &
    c_size_t
  use espalier_onesided_types, only: to_c
  implicit none
  private
  public :: espalier_order_options, espalier_order_report
  public :: c_order_options, c_order_report, give, to_report

  integer, parameter, public :: ESPALIER_ORDER_NAME_LEN = 32

  ! Where the distances between ranks came from.
  integer, parameter, public :: ESPALIER_ORDER_MEASURED = 0
  integer, parameter, public :: ESPALIER_ORDER_REMEMBERED = 1
  integer, parameter, public :: ESPALIER_ORDER_DESCRIBED = 2

  ! A text that is blank, or not there, is the default of C, and so is a number that is 0.
  type :: espalier_order_options
    character(len=:), allocatable :: order
    character(len=:), allocatable :: machine
    character(len=:), allocatable :: memory
    real(c_double) :: measure_seconds = 0
    integer :: num_trial_calls = 0
  end type

  ! As in C: on the slowest rank, in microseconds.
  type :: espalier_order_report
    character(len=ESPALIER_ORDER_NAME_LEN) :: order = ''
    integer :: source = ESPALIER_ORDER_MEASURED
    integer :: num_groups = 0
    real(c_double) :: channels_across = 0
    real(c_double) :: channels_inside = 0
    integer :: num_pairs = 0
    integer :: num_trial_calls = 0
    real(c_double) :: standard_us = 0
    real(c_double) :: chosen_us = 0
    real(c_double) :: model_standard_us = 0
    real(c_double) :: model_chosen_us = 0
    real(c_double) :: find_us = 0
    real(c_double) :: measure_us = 0
    real(c_double) :: compute_us = 0
    real(c_double) :: create_us = 0
    real(c_double) :: trial_us = 0
    real(c_double) :: num_calls_to_pay = 0
  end type

  ! espalier_order_options of C.
  type, bind(C) :: c_order_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: flags = 0
    integer(c_int) :: num_trial_calls = 0
    type(c_ptr) :: order = c_null_ptr
    type(c_ptr) :: machine = c_null_ptr
    type(c_ptr) :: memory = c_null_ptr
    real(c_double) :: measure_seconds = 0
  end type

  ! espalier_order_report of C.
  type, bind(C) :: c_order_report
    character(kind=c_char) :: order(ESPALIER_ORDER_NAME_LEN) = c_null_char
    integer(c_int) :: source = 0
    integer(c_int) :: num_groups = 0
    real(c_double) :: channels_across = 0
    real(c_double) :: channels_inside = 0
    integer(c_int) :: num_pairs = 0
    integer(c_int) :: num_trial_calls = 0
    real(c_double) :: standard_us = 0
    real(c_double) :: chosen_us = 0
    real(c_double) :: model_standard_us = 0
    real(c_double) :: model_chosen_us = 0
    real(c_double) :: find_us = 0
    real(c_double) :: measure_us = 0
    real(c_double) :: compute_us = 0
    real(c_double) :: create_us = 0
    real(c_double) :: trial_us = 0
    real(c_double) :: num_calls_to_pay = 0
  end type

contains

  ! A text as C has it, and where it is: nowhere if it is blank, or not there.
  subroutine give(text, characters, address)
    character(len=:), allocatable, intent(in) :: text
    character(kind=c_char), allocatable, target, intent(out) :: characters(:)
    type(c_ptr), intent(out) :: address
    address = c_null_ptr
    if (.not. allocated(text)) return
    allocate (characters(len(text) + 1))
    address = to_c(text, characters)
  end subroutine

  function to_report(told) result(report)
    type(c_order_report), intent(in) :: told
    type(espalier_order_report) :: report
    integer :: i
    do i = 1, ESPALIER_ORDER_NAME_LEN
      if (told%order(i) == c_null_char) exit
      report%order(i:i) = told%order(i)
    end do
    report%source = told%source
    report%num_groups = told%num_groups
    report%channels_across = told%channels_across
    report%channels_inside = told%channels_inside
    report%num_pairs = told%num_pairs
    report%num_trial_calls = told%num_trial_calls
    report%standard_us = told%standard_us
    report%chosen_us = told%chosen_us
    report%model_standard_us = told%model_standard_us
    report%model_chosen_us = told%model_chosen_us
    report%find_us = told%find_us
    report%measure_us = told%measure_us
    report%compute_us = told%compute_us
    report%create_us = told%create_us
    report%trial_us = told%trial_us
    report%num_calls_to_pay = told%num_calls_to_pay
  end function

end module espalier_order_types
