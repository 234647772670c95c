! SPDX-License-Identifier: Apache-2.0

! Active messages of espalier_message.h; the module espalier_onesided has all of it. Handlers are
! subroutines with bind(C) and two arguments, both type(c_ptr), value: the message, and the context
! of the conduit. The first handler has the number 0. Arguments are integers of kind c_int64_t, and
! an empty list if there are none. Payloads are contiguous.
module espalier_onesided_messages
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_funptr, c_int, c_int64_t, c_ptr
  use espalier_onesided_types
  implicit none
  private
  public :: espalier_max_medium_bytes, espalier_wait_until
  public :: espalier_send_short, espalier_send_medium, espalier_send_long
  public :: espalier_reply_short, espalier_reply_medium, espalier_reply_long
  public :: espalier_message_conduit, espalier_message_source, espalier_message_handler
  public :: espalier_message_arguments, espalier_message_payload

  integer, parameter, public :: ESPALIER_MAX_ARGUMENTS = 5

  interface espalier_max_medium_bytes
    module procedure max_medium_bytes
  end interface

  ! is_true: c_funloc of a function with bind(C) and one argument, type(c_ptr), value: context. Its
  ! result is integer(c_int), and not 0 if the condition holds.
  interface espalier_wait_until
    module procedure wait_until
  end interface

  interface espalier_send_short
    module procedure send_short
  end interface

  interface espalier_send_medium
    module procedure send_medium
  end interface

  interface espalier_send_long
    module procedure send_long
  end interface

  interface espalier_reply_short
    module procedure reply_short
  end interface

  interface espalier_reply_medium
    module procedure reply_medium
  end interface

  interface espalier_reply_long
    module procedure reply_long
  end interface

  interface espalier_message_conduit
    module procedure message_conduit
  end interface

  interface espalier_message_source
    module procedure message_source
  end interface

  interface espalier_message_handler
    module procedure message_handler
  end interface

  ! A copy, which outlives the message.
  interface espalier_message_arguments
    module procedure message_arguments
  end interface

  ! Where the payload is, for c_f_pointer.
  interface espalier_message_payload
    module procedure message_payload
  end interface

  interface
    function c_max_medium_bytes(conduit) bind(C, name='espalier_max_medium_bytes') result(num_bytes)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int64_t) :: num_bytes
    end function
    function c_wait_until(is_true, context, conduit) bind(C, name='espalier_wait_until') &
        result(code)
      import :: c_funptr, c_int, c_ptr
      type(c_funptr), value :: is_true
      type(c_ptr), value :: context, conduit
      integer(c_int) :: code
    end function
    function c_send_short(arguments, num_arguments, handler, rank, conduit) &
        bind(C, name='espalier_send_short') result(code)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), intent(in) :: arguments(*)
      integer(c_int), value :: num_arguments, handler, rank
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_send_medium(payload, num_bytes, arguments, num_arguments, handler, rank, conduit) &
        bind(C, name='espalier_send_medium') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: payload
      integer(c_int64_t), value :: num_bytes
      integer(c_int64_t), intent(in) :: arguments(*)
      integer(c_int), value :: num_arguments, handler, rank
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_send_long(payload, num_bytes, arguments, num_arguments, handler, place, conduit) &
        bind(C, name='espalier_send_long') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote
      type(c_ptr), value :: payload
      integer(c_int64_t), value :: num_bytes
      integer(c_int64_t), intent(in) :: arguments(*)
      integer(c_int), value :: num_arguments, handler
      type(espalier_remote), value :: place
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_reply_short(arguments, num_arguments, handler, message) &
        bind(C, name='espalier_reply_short') result(code)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), intent(in) :: arguments(*)
      integer(c_int), value :: num_arguments, handler
      type(c_ptr), value :: message
      integer(c_int) :: code
    end function
    function c_reply_medium(payload, num_bytes, arguments, num_arguments, handler, message) &
        bind(C, name='espalier_reply_medium') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: payload
      integer(c_int64_t), value :: num_bytes
      integer(c_int64_t), intent(in) :: arguments(*)
      integer(c_int), value :: num_arguments, handler
      type(c_ptr), value :: message
      integer(c_int) :: code
    end function
    function c_reply_long(payload, num_bytes, arguments, num_arguments, handler, offset, message) &
        bind(C, name='espalier_reply_long') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: payload
      integer(c_int64_t), value :: num_bytes
      integer(c_int64_t), intent(in) :: arguments(*)
      integer(c_int), value :: num_arguments, handler
      integer(c_int64_t), value :: offset
      type(c_ptr), value :: message
      integer(c_int) :: code
    end function
    function c_message_conduit(message) bind(C, name='espalier_message_conduit') result(conduit)
      import :: c_ptr
      type(c_ptr), value :: message
      type(c_ptr) :: conduit
    end function
    function c_message_source(message) bind(C, name='espalier_message_source') result(rank)
      import :: c_int, c_ptr
      type(c_ptr), value :: message
      integer(c_int) :: rank
    end function
    function c_message_handler(message) bind(C, name='espalier_message_handler') result(handler)
      import :: c_int, c_ptr
      type(c_ptr), value :: message
      integer(c_int) :: handler
    end function
    function c_message_arguments(message, num_arguments) &
        bind(C, name='espalier_message_arguments') result(arguments)
      import :: c_int, c_ptr
      type(c_ptr), value :: message
      integer(c_int), intent(out) :: num_arguments
      type(c_ptr) :: arguments
    end function
    function c_message_payload(message, num_bytes) bind(C, name='espalier_message_payload') &
        result(address)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: message
      integer(c_int64_t), intent(out) :: num_bytes
      type(c_ptr) :: address
    end function
  end interface

contains

  subroutine max_medium_bytes(conduit, num_bytes)
    type(espalier_conduit), intent(in) :: conduit
    integer(c_int64_t), intent(out) :: num_bytes
    num_bytes = c_max_medium_bytes(conduit%handle)
  end subroutine

  ! By value, as linkers warn of gfortran's constant with the address of a function.
  subroutine wait_until(is_true, context, conduit, ierror)
    type(c_funptr), value :: is_true
    type(c_ptr), intent(in) :: context
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_wait_until(is_true, context, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine send_short(arguments, handler, rank, conduit, ierror)
    integer(c_int64_t), intent(in) :: arguments(:)
    integer, intent(in) :: handler, rank
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_send_short(arguments, size(arguments), handler, rank, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine send_medium(payload, num_bytes, arguments, handler, rank, conduit, ierror)
    type(*), dimension(..), intent(in), target :: payload
    integer(c_int64_t), intent(in) :: num_bytes
    integer(c_int64_t), intent(in) :: arguments(:)
    integer, intent(in) :: handler, rank
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_send_medium(address_of(payload), num_bytes, arguments, size(arguments), handler, &
      rank, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine send_long(payload, num_bytes, arguments, handler, to, conduit, ierror)
    type(*), dimension(..), intent(in), target :: payload
    integer(c_int64_t), intent(in) :: num_bytes
    integer(c_int64_t), intent(in) :: arguments(:)
    integer, intent(in) :: handler
    type(espalier_remote), intent(in) :: to
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_send_long(address_of(payload), num_bytes, arguments, size(arguments), handler, to, &
      conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine reply_short(arguments, handler, message, ierror)
    integer(c_int64_t), intent(in) :: arguments(:)
    integer, intent(in) :: handler
    type(c_ptr), intent(in) :: message
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_reply_short(arguments, size(arguments), handler, message)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine reply_medium(payload, num_bytes, arguments, handler, message, ierror)
    type(*), dimension(..), intent(in), target :: payload
    integer(c_int64_t), intent(in) :: num_bytes
    integer(c_int64_t), intent(in) :: arguments(:)
    integer, intent(in) :: handler
    type(c_ptr), intent(in) :: message
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_reply_medium(address_of(payload), num_bytes, arguments, size(arguments), handler, &
      message)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine reply_long(payload, num_bytes, arguments, handler, offset, message, ierror)
    type(*), dimension(..), intent(in), target :: payload
    integer(c_int64_t), intent(in) :: num_bytes
    integer(c_int64_t), intent(in) :: arguments(:)
    integer, intent(in) :: handler
    integer(c_int64_t), intent(in) :: offset
    type(c_ptr), intent(in) :: message
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_reply_long(address_of(payload), num_bytes, arguments, size(arguments), handler, &
      offset, message)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine message_conduit(message, conduit)
    type(c_ptr), intent(in) :: message
    type(espalier_conduit), intent(out) :: conduit
    conduit%handle = c_message_conduit(message)
  end subroutine

  subroutine message_source(message, rank)
    type(c_ptr), intent(in) :: message
    integer, intent(out) :: rank
    rank = c_message_source(message)
  end subroutine

  subroutine message_handler(message, handler)
    type(c_ptr), intent(in) :: message
    integer, intent(out) :: handler
    handler = c_message_handler(message)
  end subroutine

  subroutine message_arguments(message, arguments)
    type(c_ptr), intent(in) :: message
    integer(c_int64_t), allocatable, intent(out) :: arguments(:)
    integer(c_int64_t), pointer :: found(:)
    type(c_ptr) :: address
    integer(c_int) :: num_arguments
    address = c_message_arguments(message, num_arguments)
    allocate (arguments(num_arguments))
    if (num_arguments == 0) return
    call c_f_pointer(address, found, [num_arguments])
    arguments = found
  end subroutine

  subroutine message_payload(message, address, num_bytes)
    type(c_ptr), intent(in) :: message
    type(c_ptr), intent(out) :: address
    integer(c_int64_t), intent(out) :: num_bytes
    address = c_message_payload(message, num_bytes)
  end subroutine

end module espalier_onesided_messages
