! SPDX-License-Identifier: Apache-2.0

! Conduits of espalier_onesided.h; the module espalier_onesided has all of it.
module espalier_onesided_conduit
  use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int, c_int64_t, c_ptr
  use espalier_onesided_types
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: espalier_conduit_attach, espalier_conduit_detach, espalier_conduit_rank
  public :: espalier_conduit_size, espalier_conduit_transport, espalier_conduit_segment_bytes
  public :: espalier_conduit_poll, espalier_conduit_notify, espalier_conduit_try_barrier
  public :: espalier_conduit_barrier

  interface espalier_conduit_attach
    module procedure conduit_attach, conduit_attach_f08
  end interface

  interface espalier_conduit_detach
    module procedure conduit_detach
  end interface

  interface espalier_conduit_rank
    module procedure conduit_rank
  end interface

  interface espalier_conduit_size
    module procedure conduit_size
  end interface

  interface espalier_conduit_transport
    module procedure conduit_transport
  end interface

  interface espalier_conduit_segment_bytes
    module procedure conduit_segment_bytes
  end interface

  interface espalier_conduit_poll
    module procedure conduit_poll
  end interface

  interface espalier_conduit_notify
    module procedure conduit_notify
  end interface

  interface espalier_conduit_try_barrier
    module procedure conduit_try_barrier
  end interface

  interface espalier_conduit_barrier
    module procedure conduit_barrier
  end interface

  interface
    function c_conduit_attach(comm, segment_bytes, transport, scratch_bytes, handlers, &
        num_handlers, context, made) bind(C, name='espalier_f_conduit_attach') result(code)
      import :: c_funptr, c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm
      integer(c_int64_t), value :: segment_bytes
      type(c_ptr), value :: transport
      integer(c_int64_t), value :: scratch_bytes
      type(c_funptr), intent(in) :: handlers(*)
      integer(c_int), value :: num_handlers
      type(c_ptr), value :: context
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_conduit_detach(made) bind(C, name='espalier_conduit_detach') result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_conduit_rank(conduit) bind(C, name='espalier_conduit_rank') result(number)
      import :: c_int, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int) :: number
    end function
    function c_conduit_size(conduit) bind(C, name='espalier_conduit_size') result(number)
      import :: c_int, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int) :: number
    end function
    function c_conduit_transport(conduit) bind(C, name='espalier_conduit_transport') result(text)
      import :: c_ptr
      type(c_ptr), value :: conduit
      type(c_ptr) :: text
    end function
    function c_conduit_segment_bytes(conduit, rank, found) &
        bind(C, name='espalier_conduit_segment_bytes') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out) :: found
      integer(c_int) :: code
    end function
    function c_conduit_poll(conduit) bind(C, name='espalier_conduit_poll') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_conduit_notify(conduit) bind(C, name='espalier_conduit_notify') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
    function c_conduit_try_barrier(conduit, is_complete) &
        bind(C, name='espalier_conduit_try_barrier') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int), intent(out) :: is_complete
      integer(c_int) :: code
    end function
    function c_conduit_barrier(conduit) bind(C, name='espalier_conduit_barrier') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int) :: code
    end function
  end interface

contains

  subroutine conduit_attach(comm, segment_bytes, conduit, ierror, options)
    integer, intent(in) :: comm
    integer(c_int64_t), intent(in) :: segment_bytes
    type(espalier_conduit), intent(inout) :: conduit
    integer, intent(out), optional :: ierror
    type(espalier_conduit_options), intent(in), optional :: options
    character(kind=c_char), target :: transport(name_len)
    type(espalier_conduit_options) :: wanted
    integer :: code
    if (present(options)) wanted = options
    if (.not. allocated(wanted%handlers)) allocate (wanted%handlers(0))
    code = c_conduit_attach(comm, segment_bytes, to_c(wanted%transport, transport), &
      wanted%scratch_bytes, wanted%handlers, size(wanted%handlers), wanted%context, conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine conduit_attach_f08(comm, segment_bytes, conduit, ierror, options)
    type(MPI_Comm), intent(in) :: comm
    integer(c_int64_t), intent(in) :: segment_bytes
    type(espalier_conduit), intent(inout) :: conduit
    integer, intent(out), optional :: ierror
    type(espalier_conduit_options), intent(in), optional :: options
    call conduit_attach(comm%MPI_VAL, segment_bytes, conduit, ierror, options)
  end subroutine

  subroutine conduit_detach(conduit, ierror)
    type(espalier_conduit), intent(inout) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_conduit_detach(conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine conduit_rank(conduit, rank)
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out) :: rank
    rank = c_conduit_rank(conduit%handle)
  end subroutine

  subroutine conduit_size(conduit, num_ranks)
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out) :: num_ranks
    num_ranks = c_conduit_size(conduit%handle)
  end subroutine

  subroutine conduit_transport(conduit, text)
    type(espalier_conduit), intent(in) :: conduit
    character(len=*), intent(out) :: text
    call from_c(c_conduit_transport(conduit%handle), text)
  end subroutine

  subroutine conduit_segment_bytes(conduit, rank, num_bytes, ierror)
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(in) :: rank
    integer(c_int64_t), intent(out) :: num_bytes
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_conduit_segment_bytes(conduit%handle, rank, num_bytes)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine conduit_poll(conduit, ierror)
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_conduit_poll(conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine conduit_notify(conduit, ierror)
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_conduit_notify(conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine conduit_try_barrier(conduit, is_complete, ierror)
    type(espalier_conduit), intent(in) :: conduit
    logical, intent(out) :: is_complete
    integer, intent(out), optional :: ierror
    integer(c_int) :: is_over
    integer :: code
    code = c_conduit_try_barrier(conduit%handle, is_over)
    is_complete = code == 0 .and. is_over /= 0
    if (present(ierror)) ierror = code
  end subroutine

  subroutine conduit_barrier(conduit, ierror)
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_conduit_barrier(conduit%handle)
    if (present(ierror)) ierror = code
  end subroutine

end module espalier_onesided_conduit
