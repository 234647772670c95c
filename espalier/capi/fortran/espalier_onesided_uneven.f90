! SPDX-License-Identifier: Apache-2.0

! Collectives of blocks of different sizes of espalier_onesided.h; the module espalier_onesided has
! all of it. Lists are of kind integer, with displacements in elements from 0 on. An empty list of
! displacements, [integer ::], is the null pointer of C: one block follows the other. Members behind
! the end of a list have -1 there, which is refused.
module espalier_onesided_uneven
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_null_ptr, c_ptr
  use espalier_buffer_places, only: buffer_place
  use espalier_onesided_team, only: espalier_team_size
  use espalier_onesided_types
  use mpi_f08, only: MPI_Datatype
  implicit none
  private
  public :: espalier_team_scatterv_init, espalier_team_gatherv_init
  public :: espalier_team_allgatherv_init, espalier_team_alltoallv_init

  interface espalier_team_scatterv_init
    module procedure scatterv_init, scatterv_init_f08
  end interface

  interface espalier_team_gatherv_init
    module procedure gatherv_init, gatherv_init_f08
  end interface

  interface espalier_team_allgatherv_init
    module procedure allgatherv_init, allgatherv_init_f08
  end interface

  interface espalier_team_alltoallv_init
    module procedure alltoallv_init, alltoallv_init_f08
  end interface

  interface
    function c_scatterv_init(sendbuf, counts, displs, recvbuf, datatype, root, team, options, made) &
        bind(C, name='espalier_f_team_scatterv_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: counts
      type(c_ptr), value :: displs
      type(c_ptr), value :: recvbuf
      integer(c_int), value :: datatype
      integer(c_int), value :: root
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_gatherv_init(sendbuf, recvbuf, counts, displs, datatype, root, team, options, made) &
        bind(C, name='espalier_f_team_gatherv_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      type(c_ptr), value :: counts
      type(c_ptr), value :: displs
      integer(c_int), value :: datatype
      integer(c_int), value :: root
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_allgatherv_init(sendbuf, recvbuf, counts, displs, datatype, team, options, made) &
        bind(C, name='espalier_f_team_allgatherv_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: recvbuf
      type(c_ptr), value :: counts
      type(c_ptr), value :: displs
      integer(c_int), value :: datatype
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_alltoallv_init(sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls, &
        datatype, team, options, made) &
        bind(C, name='espalier_f_team_alltoallv_init') result(code)
      import :: c_int, c_options, c_ptr
      type(c_ptr), value :: sendbuf
      type(c_ptr), value :: sendcounts
      type(c_ptr), value :: sdispls
      type(c_ptr), value :: recvbuf
      type(c_ptr), value :: recvcounts
      type(c_ptr), value :: rdispls
      integer(c_int), value :: datatype
      type(c_ptr), value :: team
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
  end interface

contains

  subroutine scatterv_init(sendbuf, counts, displs, recvbuf, datatype, root, team, request, &
      ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    integer, intent(in) :: counts(:)
    integer, intent(in) :: displs(:)
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer(c_int), allocatable, target :: of_counts(:), of_displs(:)
    integer :: code
    call to_list(counts, team, of_counts)
    call to_list(displs, team, of_displs)
    code = c_scatterv_init(buffer_place(sendbuf), place_of(of_counts), place_of(of_displs), &
      buffer_place(recvbuf), datatype, root, team%handle, to_options(options, texts), &
      request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine scatterv_init_f08(sendbuf, counts, displs, recvbuf, datatype, root, team, request, &
      ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    integer, intent(in) :: counts(:)
    integer, intent(in) :: displs(:)
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call scatterv_init(sendbuf, counts, displs, recvbuf, datatype%MPI_VAL, root, team, request, &
      ierror, options)
  end subroutine

  subroutine gatherv_init(sendbuf, recvbuf, counts, displs, datatype, root, team, request, &
      ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: counts(:)
    integer, intent(in) :: displs(:)
    integer, intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer(c_int), allocatable, target :: of_counts(:), of_displs(:)
    integer :: code
    call to_list(counts, team, of_counts)
    call to_list(displs, team, of_displs)
    code = c_gatherv_init(buffer_place(sendbuf), buffer_place(recvbuf), place_of(of_counts), &
      place_of(of_displs), datatype, root, team%handle, to_options(options, texts), &
      request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gatherv_init_f08(sendbuf, recvbuf, counts, displs, datatype, root, team, request, &
      ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: counts(:)
    integer, intent(in) :: displs(:)
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: root
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call gatherv_init(sendbuf, recvbuf, counts, displs, datatype%MPI_VAL, root, team, request, &
      ierror, options)
  end subroutine

  subroutine allgatherv_init(sendbuf, recvbuf, counts, displs, datatype, team, request, ierror, &
      options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: counts(:)
    integer, intent(in) :: displs(:)
    integer, intent(in) :: datatype
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer(c_int), allocatable, target :: of_counts(:), of_displs(:)
    integer :: code
    call to_list(counts, team, of_counts)
    call to_list(displs, team, of_displs)
    code = c_allgatherv_init(buffer_place(sendbuf), buffer_place(recvbuf), place_of(of_counts), &
      place_of(of_displs), datatype, team%handle, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine allgatherv_init_f08(sendbuf, recvbuf, counts, displs, datatype, team, request, &
      ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: counts(:)
    integer, intent(in) :: displs(:)
    type(MPI_Datatype), intent(in) :: datatype
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call allgatherv_init(sendbuf, recvbuf, counts, displs, datatype%MPI_VAL, team, request, &
      ierror, options)
  end subroutine

  subroutine alltoallv_init(sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls, datatype, &
      team, request, ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    integer, intent(in) :: sendcounts(:)
    integer, intent(in) :: sdispls(:)
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: recvcounts(:)
    integer, intent(in) :: rdispls(:)
    integer, intent(in) :: datatype
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer(c_int), allocatable, target :: of_sendcounts(:), of_sdispls(:), of_recvcounts(:), &
      of_rdispls(:)
    integer :: code
    call to_list(sendcounts, team, of_sendcounts)
    call to_list(sdispls, team, of_sdispls)
    call to_list(recvcounts, team, of_recvcounts)
    call to_list(rdispls, team, of_rdispls)
    code = c_alltoallv_init(buffer_place(sendbuf), place_of(of_sendcounts), place_of(of_sdispls), &
      buffer_place(recvbuf), place_of(of_recvcounts), place_of(of_rdispls), datatype, team%handle, &
      to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine alltoallv_init_f08(sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls, &
      datatype, team, request, ierror, options)
    type(*), dimension(..), intent(in), target, asynchronous :: sendbuf
    integer, intent(in) :: sendcounts(:)
    integer, intent(in) :: sdispls(:)
    type(*), dimension(..), intent(inout), target, asynchronous :: recvbuf
    integer, intent(in) :: recvcounts(:)
    integer, intent(in) :: rdispls(:)
    type(MPI_Datatype), intent(in) :: datatype
    type(espalier_team), intent(in) :: team
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call alltoallv_init(sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls, &
      datatype%MPI_VAL, team, request, ierror, options)
  end subroutine

  ! With a number for each member, unless it is empty.
  subroutine to_list(numbers, team, list)
    integer, intent(in) :: numbers(:)
    type(espalier_team), intent(in) :: team
    integer(c_int), allocatable, intent(out) :: list(:)
    integer :: num_members, num_given
    call espalier_team_size(team, num_members)
    num_given = min(size(numbers), num_members)
    allocate (list(merge(num_members, 0, num_given > 0)))
    list = -1
    list(:num_given) = numbers(:num_given)
  end subroutine

  function place_of(list) result(place)
    integer(c_int), intent(in), target, contiguous :: list(:)
    type(c_ptr) :: place
    place = c_null_ptr
    if (size(list) > 0) place = c_loc(list)
  end function

end module espalier_onesided_uneven
