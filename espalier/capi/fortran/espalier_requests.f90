! SPDX-License-Identifier: Apache-2.0

! Requests, which are of one kind whatever was planned, and what the last error was; the modules
! espalier_onesided and espalier_planned have all of it.
module espalier_requests
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_ptr
  use espalier_onesided_types
  implicit none
  private
  public :: espalier_request_start, espalier_request_test, espalier_request_wait
  public :: espalier_request_algorithm, espalier_request_mechanism, espalier_request_origin
  public :: espalier_request_tune, espalier_request_free, espalier_explain, espalier_last_error

  interface espalier_request_start
    module procedure request_start
  end interface

  interface espalier_request_test
    module procedure request_test
  end interface

  interface espalier_request_wait
    module procedure request_wait
  end interface

  interface espalier_request_algorithm
    module procedure request_algorithm
  end interface

  interface espalier_request_mechanism
    module procedure request_mechanism
  end interface

  interface espalier_request_origin
    module procedure request_origin
  end interface

  interface espalier_request_tune
    module procedure request_tune
  end interface

  interface espalier_request_free
    module procedure request_free
  end interface

  ! Texts are cut, with blanks behind them if they are shorter; length is that of the whole text.
  interface espalier_explain
    module procedure explain
  end interface

  interface espalier_last_error
    module procedure last_error
  end interface

  interface
    function c_request_start(request) bind(C, name='espalier_request_start') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function c_request_test(request, is_complete) &
        bind(C, name='espalier_request_test') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      integer(c_int), intent(inout) :: is_complete
      integer(c_int) :: code
    end function
    function c_request_wait(request) bind(C, name='espalier_request_wait') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function c_request_algorithm(request) bind(C, name='espalier_request_algorithm') result(text)
      import :: c_ptr
      type(c_ptr), value :: request
      type(c_ptr) :: text
    end function
    function c_request_mechanism(request) bind(C, name='espalier_request_mechanism') result(text)
      import :: c_ptr
      type(c_ptr), value :: request
      type(c_ptr) :: text
    end function
    function c_request_origin(request) bind(C, name='espalier_request_origin') result(text)
      import :: c_ptr
      type(c_ptr), value :: request
      type(c_ptr) :: text
    end function
    function c_request_tune(request, options) bind(C, name='espalier_request_tune') result(code)
      import :: c_int, c_ptr, c_tuning_options
      type(c_ptr), value :: request
      type(c_tuning_options), intent(in) :: options
      integer(c_int) :: code
    end function
    function c_request_free(made) bind(C, name='espalier_request_free') result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_explain(request, text, room) bind(C, name='espalier_explain') result(length)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: request
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int), value :: room
      integer(c_int) :: length
    end function
    function c_last_error(text, room) bind(C, name='espalier_last_error') result(length)
      import :: c_char, c_int
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int), value :: room
      integer(c_int) :: length
    end function
  end interface

contains

  subroutine request_start(request, ierror)
    type(espalier_request), intent(in) :: request
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_request_start(request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine request_test(request, is_complete, ierror)
    type(espalier_request), intent(in) :: request
    logical, intent(out) :: is_complete
    integer, intent(out), optional :: ierror
    integer(c_int) :: is_over
    integer :: code
    is_over = 0
    code = c_request_test(request%handle, is_over)
    is_complete = is_over /= 0
    if (present(ierror)) ierror = code
  end subroutine

  subroutine request_wait(request, ierror)
    type(espalier_request), intent(in) :: request
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_request_wait(request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine request_algorithm(request, text)
    type(espalier_request), intent(in) :: request
    character(len=*), intent(out) :: text
    call from_c(c_request_algorithm(request%handle), text)
  end subroutine

  subroutine request_mechanism(request, text)
    type(espalier_request), intent(in) :: request
    character(len=*), intent(out) :: text
    call from_c(c_request_mechanism(request%handle), text)
  end subroutine

  subroutine request_origin(request, text)
    type(espalier_request), intent(in) :: request
    character(len=*), intent(out) :: text
    call from_c(c_request_origin(request%handle), text)
  end subroutine

  subroutine request_tune(request, ierror, options)
    type(espalier_request), intent(in) :: request
    integer, intent(out), optional :: ierror
    type(espalier_tuning_options), intent(in), optional :: options
    integer :: code
    code = c_request_tune(request%handle, to_tuning_options(options))
    if (present(ierror)) ierror = code
  end subroutine

  subroutine request_free(request, ierror)
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_request_free(request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine explain(request, text, length)
    type(espalier_request), intent(in) :: request
    character(len=*), intent(out) :: text
    integer, intent(out), optional :: length
    character(kind=c_char) :: characters(len(text) + 1)
    integer :: found
    found = c_explain(request%handle, characters, size(characters))
    call put(characters, found, text)
    if (present(length)) length = found
  end subroutine

  subroutine last_error(text, length)
    character(len=*), intent(out) :: text
    integer, intent(out), optional :: length
    character(kind=c_char) :: characters(len(text) + 1)
    integer :: found
    found = c_last_error(characters, size(characters))
    call put(characters, found, text)
    if (present(length)) length = found
  end subroutine

  ! The first characters of a text of C, as many as there is room for.
  subroutine put(characters, length, text)
    character(kind=c_char), intent(in) :: characters(:)
    integer, intent(in) :: length
    character(len=*), intent(out) :: text
    integer :: i
    text = ''
    do i = 1, min(length, len(text))
      text(i:i) = characters(i)
    end do
  end subroutine

end module espalier_requests
