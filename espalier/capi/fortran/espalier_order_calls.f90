! SPDX-License-Identifier: Apache-2.0

! Functions of espalier_order.h; the module espalier_order has all of it.
module espalier_order_calls
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_size_t, c_sizeof
  use espalier_order_types
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: espalier_order_create, espalier_order_ranks, espalier_order_steps

  interface espalier_order_create
    module procedure order_create, order_create_f08
  end interface

  interface espalier_order_ranks
    module procedure order_ranks, order_ranks_f08
  end interface

  ! As many steps are told as mean_us has room for, and sd_us if it is there.
  interface espalier_order_steps
    module procedure order_steps, order_steps_f08
  end interface

  interface
    function c_order_create(comm, collective, root, bytes, options, newcomm, report) &
        bind(C, name='espalier_f_order_create') result(code)
      import :: c_char, c_int, c_order_options, c_order_report, c_size_t
      integer(c_int), value :: comm, root
      character(kind=c_char), intent(in) :: collective(*)
      integer(c_size_t), value :: bytes
      type(c_order_options), intent(in) :: options
      integer(c_int), intent(out) :: newcomm
      type(c_order_report), intent(inout) :: report
      integer(c_int) :: code
    end function
    function c_order_ranks(comm, newcomm, ranks) &
        bind(C, name='espalier_f_order_ranks') result(code)
      import :: c_int
      integer(c_int), value :: comm, newcomm
      integer(c_int), intent(inout) :: ranks(*)
      integer(c_int) :: code
    end function
    function c_order_steps(comm, collective, bytes, num_calls, max_steps, mean_us, sd_us, &
        num_steps) bind(C, name='espalier_f_order_steps') result(code)
      import :: c_char, c_double, c_int, c_size_t
      integer(c_int), value :: comm, num_calls, max_steps
      character(kind=c_char), intent(in) :: collective(*)
      integer(c_size_t), value :: bytes
      real(c_double), intent(inout) :: mean_us(*)
      real(c_double), intent(inout), optional :: sd_us(*)
      integer(c_int), intent(inout) :: num_steps
      integer(c_int) :: code
    end function
  end interface

contains

  subroutine order_create(comm, collective, root, bytes, newcomm, report, ierror, options)
    integer, intent(in) :: comm, root, bytes
    character(len=*), intent(in) :: collective
    integer, intent(out) :: newcomm
    type(espalier_order_report), intent(out), optional :: report
    integer, intent(out), optional :: ierror
    type(espalier_order_options), intent(in), optional :: options
    character(kind=c_char), allocatable, target :: order(:), machine(:), memory(:)
    type(c_order_options) :: asked
    type(c_order_report) :: told
    integer :: code
    asked%size = c_sizeof(asked)
    if (present(options)) then
      asked%num_trial_calls = options%num_trial_calls
      asked%measure_seconds = options%measure_seconds
      call give(options%order, order, asked%order)
      call give(options%machine, machine, asked%machine)
      call give(options%memory, memory, asked%memory)
    end if
    code = c_order_create(comm, trim(collective) // c_null_char, root, int(bytes, c_size_t), &
      asked, newcomm, told)
    if (present(report)) report = to_report(told)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine order_create_f08(comm, collective, root, bytes, newcomm, report, ierror, options)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: root, bytes
    character(len=*), intent(in) :: collective
    type(MPI_Comm), intent(out) :: newcomm
    type(espalier_order_report), intent(out), optional :: report
    integer, intent(out), optional :: ierror
    type(espalier_order_options), intent(in), optional :: options
    call order_create(comm%MPI_VAL, collective, root, bytes, newcomm%MPI_VAL, report, ierror, &
      options)
  end subroutine

  subroutine order_ranks(comm, newcomm, ranks, ierror)
    integer, intent(in) :: comm, newcomm
    integer, intent(inout) :: ranks(*)
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_order_ranks(comm, newcomm, ranks)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine order_ranks_f08(comm, newcomm, ranks, ierror)
    type(MPI_Comm), intent(in) :: comm, newcomm
    integer, intent(inout) :: ranks(*)
    integer, intent(out), optional :: ierror
    call order_ranks(comm%MPI_VAL, newcomm%MPI_VAL, ranks, ierror)
  end subroutine

  subroutine order_steps(comm, collective, bytes, num_calls, mean_us, num_steps, sd_us, ierror)
    integer, intent(in) :: comm, bytes, num_calls
    character(len=*), intent(in) :: collective
    real(c_double), intent(inout) :: mean_us(:)
    integer, intent(out) :: num_steps
    real(c_double), intent(inout), optional :: sd_us(:)
    integer, intent(out), optional :: ierror
    integer :: code, room
    room = size(mean_us)
    if (present(sd_us)) room = min(room, size(sd_us))
    num_steps = 0
    code = c_order_steps(comm, trim(collective) // c_null_char, int(bytes, c_size_t), num_calls, &
      room, mean_us, sd_us, num_steps)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine order_steps_f08(comm, collective, bytes, num_calls, mean_us, num_steps, sd_us, &
      ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: bytes, num_calls
    character(len=*), intent(in) :: collective
    real(c_double), intent(inout) :: mean_us(:)
    integer, intent(out) :: num_steps
    real(c_double), intent(inout), optional :: sd_us(:)
    integer, intent(out), optional :: ierror
    call order_steps(comm%MPI_VAL, collective, bytes, num_calls, mean_us, num_steps, sd_us, ierror)
  end subroutine

end module espalier_order_calls
