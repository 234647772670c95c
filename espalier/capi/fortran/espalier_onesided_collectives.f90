! SPDX-License-Identifier: Apache-2.0

! Collectives of espalier_onesided.h; the module espalier_onesided has all of it.
module espalier_onesided_collectives
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use espalier_buffer_places, only: buffer_place
  use espalier_onesided_types
  use mpi_f08, only: MPI_Datatype, MPI_Op
  implicit none
  private
  public :: espalier_team_bcast_init, espalier_team_scatter_init, espalier_team_gather_init
  public :: espalier_team_reduce_init, espalier_team_allreduce_init, espalier_team_allgather_init
  public :: espalier_team_alltoall_init, espalier_team_barrier_init

  interface espalier_team_bcast_init
    module procedure bcast_init, bcast_init_f08
  end interface

  interface espalier_team_scatter_init
    module procedure scatter_init, scatter_init_f08
  end interface

  interface espalier_team_gather_init
    module procedure gather_init, gather_init_f08
  end interface

  interface espalier_team_reduce_init
    module procedure reduce_init, reduce_init_f08
  end interface

  interface espalier_team_allreduce_init
    module procedure allreduce_init, allreduce_init_f08
  end interface

  interface espalier_team_allgather_init
    module procedure allgather_init, allgather_init_f08
  end interface

  interface espalier_team_alltoall_init
    module procedure alltoall_init, alltoall_init_f08
  end interface

  interface espalier_team_barrier_init
    module procedure barrier_init
  end interface

  interface
    function c_bcast_init(buffer, count, datatype, root, team, options, made) &
        bind(C, name='espalier_f_team_bcast_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: buffer
      integer(c_int), value :: count
      integer(c_int), value :: datatype
      integer(c_int), value :: root
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_scatter_init(sendbuf, recvbuf, count, datatype, root, team, options, made) &
        bind(C, name='espalier_f_team_scatter_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(c_int), value :: count
      integer(c_int), value :: datatype
      integer(c_int), value :: root
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_gather_init(sendbuf, recvbuf, count, datatype, root, team, options, made) &
        bind(C, name='espalier_f_team_gather_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(c_int), value :: count
      integer(c_int), value :: datatype
      integer(c_int), value :: root
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_reduce_init(sendbuf, recvbuf, count, datatype, op, root, team, options, made) &
        bind(C, name='espalier_f_team_reduce_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(c_int), value :: count
      integer(c_int), value :: datatype
      integer(c_int), value :: op
      integer(c_int), value :: root
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_allreduce_init(sendbuf, recvbuf, count, datatype, op, team, options, made) &
        bind(C, name='espalier_f_team_allreduce_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(c_int), value :: count
      integer(c_int), value :: datatype
      integer(c_int), value :: op
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_allgather_init(sendbuf, recvbuf, count, datatype, team, options, made) &
        bind(C, name='espalier_f_team_allgather_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(c_int), value :: count
      integer(c_int), value :: datatype
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_alltoall_init(sendbuf, recvbuf, count, datatype, team, options, made) &
        bind(C, name='espalier_f_team_alltoall_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      integer(c_int), value :: count
      integer(c_int), value :: datatype
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_barrier_init(team, options, made) &
        bind(C, name='espalier_team_barrier_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
  end interface

contains

  subroutine bcast_init(buffer, count, datatype, root, team, request, ierror, options)
    type(*), dimension(..), intent(inout), target, asynchronous :: buffer
    integer, intent(in) :: count
    integer, intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_bcast_init(buffer_place(buffer), count, datatype, root, team%handle, &
      to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine bcast_init_f08(buffer, count, datatype, root, team, request, ierror, options)
    type(*), dimension(..), intent(inout), target, asynchronous :: buffer
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call bcast_init(buffer, count, datatype%MPI_VAL, root, team, request, ierror, options)
  end subroutine

  subroutine scatter_init(sendbuf, recvbuf, count, datatype, root, team, request, ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    integer, intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_scatter_init(buffer_place(sendbuf), buffer_place(recvbuf), count, datatype, root, &
      team%handle, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine scatter_init_f08(sendbuf, recvbuf, count, datatype, root, team, request, ierror, &
      options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call scatter_init(sendbuf, recvbuf, count, datatype%MPI_VAL, root, team, request, ierror, &
      options)
  end subroutine

  subroutine gather_init(sendbuf, recvbuf, count, datatype, root, team, request, ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    integer, intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_gather_init(buffer_place(sendbuf), buffer_place(recvbuf), count, datatype, root, &
      team%handle, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gather_init_f08(sendbuf, recvbuf, count, datatype, root, team, request, ierror, &
      options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call gather_init(sendbuf, recvbuf, count, datatype%MPI_VAL, root, team, request, ierror, &
      options)
  end subroutine

  subroutine reduce_init(sendbuf, recvbuf, count, datatype, op, root, team, request, ierror, &
      options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    integer, intent(in) :: datatype
    integer, intent(in) :: op
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_reduce_init(buffer_place(sendbuf), buffer_place(recvbuf), count, datatype, op, root, &
      team%handle, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine reduce_init_f08(sendbuf, recvbuf, count, datatype, op, root, team, request, &
      ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call reduce_init(sendbuf, recvbuf, count, datatype%MPI_VAL, op%MPI_VAL, root, team, &
      request, ierror, options)
  end subroutine

  subroutine allreduce_init(sendbuf, recvbuf, count, datatype, op, team, request, ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    integer, intent(in) :: datatype
    integer, intent(in) :: op
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_allreduce_init(buffer_place(sendbuf), buffer_place(recvbuf), count, datatype, op, &
      team%handle, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine allreduce_init_f08(sendbuf, recvbuf, count, datatype, op, team, request, ierror, &
      options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call allreduce_init(sendbuf, recvbuf, count, datatype%MPI_VAL, op%MPI_VAL, team, request, &
      ierror, options)
  end subroutine

  subroutine allgather_init(sendbuf, recvbuf, count, datatype, team, request, ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    integer, intent(in) :: datatype
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_allgather_init(buffer_place(sendbuf), buffer_place(recvbuf), count, datatype, &
      team%handle, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine allgather_init_f08(sendbuf, recvbuf, count, datatype, team, request, ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call allgather_init(sendbuf, recvbuf, count, datatype%MPI_VAL, team, request, ierror, options)
  end subroutine

  subroutine alltoall_init(sendbuf, recvbuf, count, datatype, team, request, ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    integer, intent(in) :: datatype
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_alltoall_init(buffer_place(sendbuf), buffer_place(recvbuf), count, datatype, &
      team%handle, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine alltoall_init_f08(sendbuf, recvbuf, count, datatype, team, request, ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call alltoall_init(sendbuf, recvbuf, count, datatype%MPI_VAL, team, request, ierror, options)
  end subroutine

  subroutine barrier_init(team, request, ierror, options)
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_barrier_init(team%handle, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

end module espalier_onesided_collectives
