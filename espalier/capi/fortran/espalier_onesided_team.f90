! SPDX-License-Identifier: Apache-2.0

! Teams of espalier_onesided.h; the module espalier_onesided has all of it.
module espalier_onesided_team
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
  use espalier_onesided_types
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: espalier_team_create, espalier_team_free, espalier_team_rank, espalier_team_size
  public :: espalier_team_conduit_rank, espalier_team_rank_of, espalier_team_fence

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

  interface espalier_team_rank_of
    module procedure team_rank_of
  end interface

  interface espalier_team_fence
    module procedure team_fence
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
    function c_team_rank_of(team, conduit_rank, found_rank) &
        bind(C, name='espalier_team_rank_of') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: conduit_rank
      integer(c_int), intent(out) :: found_rank
      integer(c_int) :: code
    end function
    function c_team_fence(team) bind(C, name='espalier_team_fence') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
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

  ! MPI_UNDEFINED, which is the same number in C, if that process is no member.
  subroutine team_rank_of(team, conduit_rank, rank, ierror)
    type(espalier_team), intent(in) :: team
    integer, intent(in) :: conduit_rank
    integer, intent(out) :: rank
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_team_rank_of(team%handle, conduit_rank, rank)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine team_fence(team, ierror)
    type(espalier_team), intent(in) :: team
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_team_fence(team%handle)
    if (present(ierror)) ierror = code
  end subroutine

end module espalier_onesided_team
