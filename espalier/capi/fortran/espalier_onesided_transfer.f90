! SPDX-License-Identifier: Apache-2.0

! Transfers and counters of espalier_onesided.h; the module espalier_onesided has all of it. Sizes,
! offsets and counters are integers of kind c_int64_t. Buffers are contiguous; what is used further
! after a call is declared asynchronous or target by the program.
module espalier_onesided_transfer
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
  use espalier_onesided_types
  implicit none
  private
  public :: espalier_put, espalier_get, espalier_put_signal, espalier_start_put
  public :: espalier_start_get, espalier_start_put_signal
  public :: espalier_transfer_test, espalier_transfer_wait
  public :: espalier_transfer_test_local, espalier_transfer_wait_local
  public :: espalier_post_put, espalier_post_get, espalier_post_put_signal, espalier_fence
  public :: espalier_signal, espalier_counter, espalier_await

  interface espalier_put
    module procedure put
  end interface

  interface espalier_get
    module procedure get
  end interface

  interface espalier_put_signal
    module procedure put_signal
  end interface

  interface espalier_start_put
    module procedure start_put
  end interface

  interface espalier_start_get
    module procedure start_get
  end interface

  interface espalier_start_put_signal
    module procedure start_put_signal
  end interface

  interface espalier_transfer_test
    module procedure transfer_test
  end interface

  interface espalier_transfer_wait
    module procedure transfer_wait
  end interface

  interface espalier_transfer_test_local
    module procedure transfer_test_local
  end interface

  interface espalier_transfer_wait_local
    module procedure transfer_wait_local
  end interface

  interface espalier_post_put
    module procedure post_put
  end interface

  interface espalier_post_get
    module procedure post_get
  end interface

  interface espalier_post_put_signal
    module procedure post_put_signal
  end interface

  interface espalier_fence
    module procedure fence
  end interface

  interface espalier_signal
    module procedure signal_counter
  end interface

  interface espalier_counter
    module procedure counter_value
  end interface

  interface espalier_await
    module procedure await
  end interface

  interface
    function c_put(buffer, num_bytes, place, conduit) bind(C, name='espalier_put') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: num_bytes
      type(espalier_remote), value :: place
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_get(buffer, num_bytes, place, conduit) bind(C, name='espalier_get') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: num_bytes
      type(espalier_remote), value :: place
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_put_signal(buffer, num_bytes, place, counter, amount, conduit) &
        bind(C, name='espalier_put_signal') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: num_bytes
      type(espalier_remote), value :: place
      integer(c_int64_t), value :: counter
      integer(c_int64_t), value :: amount
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_start_put(buffer, num_bytes, place, conduit, transfer) &
        bind(C, name='espalier_start_put') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote, espalier_transfer
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: num_bytes
      type(espalier_remote), value :: place
      type(c_ptr), value :: conduit
      type(espalier_transfer), intent(inout) :: transfer
      integer(c_int) :: code
    end function
    function c_start_get(buffer, num_bytes, place, conduit, transfer) &
        bind(C, name='espalier_start_get') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote, espalier_transfer
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: num_bytes
      type(espalier_remote), value :: place
      type(c_ptr), value :: conduit
      type(espalier_transfer), intent(inout) :: transfer
      integer(c_int) :: code
    end function
    function c_start_put_signal(buffer, num_bytes, place, counter, amount, conduit, transfer) &
        bind(C, name='espalier_start_put_signal') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote, espalier_transfer
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: num_bytes
      type(espalier_remote), value :: place
      integer(c_int64_t), value :: counter
      integer(c_int64_t), value :: amount
      type(c_ptr), value :: conduit
      type(espalier_transfer), intent(inout) :: transfer
      integer(c_int) :: code
    end function
    function c_transfer_test(conduit, transfer, is_complete) &
        bind(C, name='espalier_transfer_test') result(code)
      import :: c_int, c_ptr, espalier_transfer
      type(c_ptr), value :: conduit
      type(espalier_transfer), intent(inout) :: transfer
      integer(c_int), intent(out) :: is_complete
      integer(c_int) :: code
    end function
    function c_transfer_wait(conduit, transfer) &
        bind(C, name='espalier_transfer_wait') result(code)
      import :: c_int, c_ptr, espalier_transfer
      type(c_ptr), value :: conduit
      type(espalier_transfer), intent(inout) :: transfer
      integer(c_int) :: code
    end function
    function c_transfer_test_local(conduit, transfer, is_complete) &
        bind(C, name='espalier_transfer_test_local') result(code)
      import :: c_int, c_ptr, espalier_transfer
      type(c_ptr), value :: conduit
      type(espalier_transfer), intent(inout) :: transfer
      integer(c_int), intent(out) :: is_complete
      integer(c_int) :: code
    end function
    function c_transfer_wait_local(conduit, transfer) &
        bind(C, name='espalier_transfer_wait_local') result(code)
      import :: c_int, c_ptr, espalier_transfer
      type(c_ptr), value :: conduit
      type(espalier_transfer), intent(inout) :: transfer
      integer(c_int) :: code
    end function
    function c_post_put(buffer, num_bytes, place, conduit) &
        bind(C, name='espalier_post_put') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: num_bytes
      type(espalier_remote), value :: place
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_post_get(buffer, num_bytes, place, conduit) &
        bind(C, name='espalier_post_get') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: num_bytes
      type(espalier_remote), value :: place
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_post_put_signal(buffer, num_bytes, place, counter, amount, conduit) &
        bind(C, name='espalier_post_put_signal') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: num_bytes
      type(espalier_remote), value :: place
      integer(c_int64_t), value :: counter
      integer(c_int64_t), value :: amount
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_fence(conduit) bind(C, name='espalier_fence') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_signal(place, amount, conduit) bind(C, name='espalier_signal') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote
      type(espalier_remote), value :: place
      integer(c_int64_t), value :: amount
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_counter(conduit, counter, found) bind(C, name='espalier_counter') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int64_t), value :: counter
      integer(c_int64_t), intent(out) :: found
      integer(c_int) :: code
    end function
    function c_await(conduit, counter, at_least) bind(C, name='espalier_await') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int64_t), value :: counter
      integer(c_int64_t), value :: at_least
      integer(c_int) :: code
    end function
  end interface

contains

  subroutine put(from, num_bytes, to, conduit, ierror)
    type(*), dimension(..), intent(in), target, asynchronous :: from
    integer(c_int64_t), intent(in) :: num_bytes
    type(espalier_remote), intent(in) :: to
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_put(address_of(from), num_bytes, to, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine get(into, num_bytes, source, conduit, ierror)
    type(*), dimension(..), intent(inout), target, asynchronous :: into
    integer(c_int64_t), intent(in) :: num_bytes
    type(espalier_remote), intent(in) :: source
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_get(address_of(into), num_bytes, source, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine put_signal(from, num_bytes, to, counter, amount, conduit, ierror)
    type(*), dimension(..), intent(in), target, asynchronous :: from
    integer(c_int64_t), intent(in) :: num_bytes
    type(espalier_remote), intent(in) :: to
    integer(c_int64_t), intent(in) :: counter
    integer(c_int64_t), intent(in) :: amount
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_put_signal(address_of(from), num_bytes, to, counter, amount, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine start_put(from, num_bytes, to, conduit, transfer, ierror)
    type(*), dimension(..), intent(in), target, asynchronous :: from
    integer(c_int64_t), intent(in) :: num_bytes
    type(espalier_remote), intent(in) :: to
    type(espalier_conduit), intent(in) :: conduit
    type(espalier_transfer), intent(inout) :: transfer
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_start_put(address_of(from), num_bytes, to, conduit%handle, transfer)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine start_get(into, num_bytes, source, conduit, transfer, ierror)
    type(*), dimension(..), intent(inout), target, asynchronous :: into
    integer(c_int64_t), intent(in) :: num_bytes
    type(espalier_remote), intent(in) :: source
    type(espalier_conduit), intent(in) :: conduit
    type(espalier_transfer), intent(inout) :: transfer
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_start_get(address_of(into), num_bytes, source, conduit%handle, transfer)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine start_put_signal(from, num_bytes, to, counter, amount, conduit, transfer, ierror)
    type(*), dimension(..), intent(in), target, asynchronous :: from
    integer(c_int64_t), intent(in) :: num_bytes
    type(espalier_remote), intent(in) :: to
    integer(c_int64_t), intent(in) :: counter
    integer(c_int64_t), intent(in) :: amount
    type(espalier_conduit), intent(in) :: conduit
    type(espalier_transfer), intent(inout) :: transfer
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_start_put_signal(address_of(from), num_bytes, to, counter, amount, conduit%handle, &
      transfer)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine transfer_test(conduit, transfer, is_complete, ierror)
    type(espalier_conduit), intent(in) :: conduit
    type(espalier_transfer), intent(inout) :: transfer
    logical, intent(out) :: is_complete
    integer, intent(out), optional :: ierror
    integer(c_int) :: is_over
    integer :: code
    code = c_transfer_test(conduit%handle, transfer, is_over)
    is_complete = code == 0 .and. is_over /= 0
    if (present(ierror)) ierror = code
  end subroutine

  subroutine transfer_wait(conduit, transfer, ierror)
    type(espalier_conduit), intent(in) :: conduit
    type(espalier_transfer), intent(inout) :: transfer
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_transfer_wait(conduit%handle, transfer)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine transfer_test_local(conduit, transfer, is_complete, ierror)
    type(espalier_conduit), intent(in) :: conduit
    type(espalier_transfer), intent(inout) :: transfer
    logical, intent(out) :: is_complete
    integer, intent(out), optional :: ierror
    integer(c_int) :: is_over
    integer :: code
    code = c_transfer_test_local(conduit%handle, transfer, is_over)
    is_complete = code == 0 .and. is_over /= 0
    if (present(ierror)) ierror = code
  end subroutine

  subroutine transfer_wait_local(conduit, transfer, ierror)
    type(espalier_conduit), intent(in) :: conduit
    type(espalier_transfer), intent(inout) :: transfer
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_transfer_wait_local(conduit%handle, transfer)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine post_put(from, num_bytes, to, conduit, ierror)
    type(*), dimension(..), intent(in), target, asynchronous :: from
    integer(c_int64_t), intent(in) :: num_bytes
    type(espalier_remote), intent(in) :: to
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_post_put(address_of(from), num_bytes, to, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine post_get(into, num_bytes, source, conduit, ierror)
    type(*), dimension(..), intent(inout), target, asynchronous :: into
    integer(c_int64_t), intent(in) :: num_bytes
    type(espalier_remote), intent(in) :: source
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_post_get(address_of(into), num_bytes, source, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine post_put_signal(from, num_bytes, to, counter, amount, conduit, ierror)
    type(*), dimension(..), intent(in), target, asynchronous :: from
    integer(c_int64_t), intent(in) :: num_bytes
    type(espalier_remote), intent(in) :: to
    integer(c_int64_t), intent(in) :: counter
    integer(c_int64_t), intent(in) :: amount
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_post_put_signal(address_of(from), num_bytes, to, counter, amount, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine fence(conduit, ierror)
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_fence(conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine signal_counter(place, amount, conduit, ierror)
    type(espalier_remote), intent(in) :: place
    integer(c_int64_t), intent(in) :: amount
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_signal(place, amount, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine counter_value(conduit, counter, number, ierror)
    type(espalier_conduit), intent(in) :: conduit
    integer(c_int64_t), intent(in) :: counter
    integer(c_int64_t), intent(out) :: number
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_counter(conduit%handle, counter, number)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine await(conduit, counter, at_least, ierror)
    type(espalier_conduit), intent(in) :: conduit
    integer(c_int64_t), intent(in) :: counter
    integer(c_int64_t), intent(in) :: at_least
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_await(conduit%handle, counter, at_least)
    if (present(ierror)) ierror = code
  end subroutine

end module espalier_onesided_transfer
