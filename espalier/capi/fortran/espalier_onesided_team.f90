! SPDX-License-Identifier: Apache-2.0

! Teams and requests of espalier_onesided.h; the module espalier_onesided has all of it.
module espalier_onesided_team
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
  use espalier_onesided_types
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: espalier_team_create, espalier_team_free, espalier_team_rank, espalier_team_size
  public :: espalier_team_conduit_rank, espalier_team_fence, espalier_request_start
  public :: espalier_request_test, espalier_request_wait, espalier_request_algorithm
  public :: espalier_request_mechanism, espalier_request_origin, espalier_request_tune
  public :: espalier_request_free

  interface espalier_team_create
    module procedure team_create, team_create_f08
  end interface

  interface espalier_team_free
    module procedure team_free
  end interface

  interface espalier_team_rank
    module procedure team_rank
  end interface

  interface espalier_team_size
    module procedure team_size
  end interface

  interface espalier_team_conduit_rank
    module procedure team_conduit_rank
  end interface

  interface espalier_team_fence
    module procedure team_fence
  end interface

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

  interface
    function c_team_create(conduit, comm, scratch_bytes, made) &
        bind(C, name='espalier_f_team_create') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: conduit
      integer(c_int), value :: comm
      integer(c_int64_t), value :: scratch_bytes
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_team_free(made) bind(C, name='espalier_team_free') result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_team_rank(team) bind(C, name='espalier_team_rank') result(number)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: number
    end function
    function c_team_size(team) bind(C, name='espalier_team_size') result(number)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: number
    end function
    function c_team_conduit_rank(team, rank, found_rank) &
        bind(C, name='espalier_team_conduit_rank') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: rank
      integer(c_int), intent(out) :: found_rank
      integer(c_int) :: code
    end function
    function c_team_fence(team) bind(C, name='espalier_team_fence') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: code
    end function
    function c_request_start(request) bind(C, name='espalier_request_start') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function c_request_test(request, is_complete) &
        bind(C, name='espalier_request_test') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      integer(c_int), intent(out) :: is_complete
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
  end interface

contains

  subroutine team_create(conduit, comm, team, ierror, scratch_bytes)
    type(espalier_conduit), intent(in) :: conduit
    integer, intent(in) :: comm
    type(espalier_team), intent(inout) :: team
    integer, intent(out), optional :: ierror
    integer(c_int64_t), intent(in), optional :: scratch_bytes
    integer(c_int64_t) :: num_bytes
    integer :: code
    num_bytes = 0
    if (present(scratch_bytes)) num_bytes = scratch_bytes
    code = c_team_create(conduit%handle, comm, num_bytes, team%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine team_create_f08(conduit, comm, team, ierror, scratch_bytes)
    type(espalier_conduit), intent(in) :: conduit
    type(MPI_Comm), intent(in) :: comm
    type(espalier_team), intent(inout) :: team
    integer, intent(out), optional :: ierror
    integer(c_int64_t), intent(in), optional :: scratch_bytes
    call team_create(conduit, comm%MPI_VAL, team, ierror, scratch_bytes)
  end subroutine

  subroutine team_free(team, ierror)
    type(espalier_team), intent(inout) :: team
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_team_free(team%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine team_rank(team, rank)
    type(espalier_team), intent(in) :: team
    integer, intent(out) :: rank
    rank = c_team_rank(team%handle)
  end subroutine

  subroutine team_size(team, num_ranks)
    type(espalier_team), intent(in) :: team
    integer, intent(out) :: num_ranks
    num_ranks = c_team_size(team%handle)
  end subroutine

  subroutine team_conduit_rank(team, rank, conduit_rank, ierror)
    type(espalier_team), intent(in) :: team
    integer, intent(in) :: rank
    integer, intent(out) :: conduit_rank
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_team_conduit_rank(team%handle, rank, conduit_rank)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine team_fence(team, ierror)
    type(espalier_team), intent(in) :: team
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_team_fence(team%handle)
    if (present(ierror)) ierror = code
  end subroutine

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
    code = c_request_test(request%handle, is_over)
    is_complete = code == 0 .and. is_over /= 0
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

end module espalier_onesided_team
