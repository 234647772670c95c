! SPDX-License-Identifier: Apache-2.0

! Shared arrays, espalier_array.h; the module espalier_onesided has all of it. Dimensions, elements
! and blocks are counted as in C: from 0, and the last dimension varies fastest. So a block of
! extents (/ m, n /) is a Fortran array of shape (/ n, m /).
module espalier_onesided_arrays
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_sizeof
  use espalier_onesided_types
  use mpi_f08, only: MPI_Datatype, MPI_Op
  implicit none
  private
  public :: espalier_distribution_bytes, espalier_array_create, espalier_array_free
  public :: espalier_array_distribution, espalier_array_place, espalier_region_has_affinity
  public :: espalier_array_bcast_init, espalier_array_scatter_init, espalier_array_gather_init
  public :: espalier_array_exchange_init, espalier_array_reduce_init
  public :: espalier_team_cache_limits, espalier_team_cache_size, espalier_team_cache_clear

  interface espalier_distribution_bytes
    module procedure distribution_bytes, distribution_bytes_f08
  end interface

  interface espalier_array_create
    module procedure array_create, array_create_f08
  end interface

  interface espalier_array_free
    module procedure array_free
  end interface

  interface espalier_array_distribution
    module procedure array_distribution
  end interface

  interface espalier_array_place
    module procedure array_place
  end interface

  interface espalier_region_has_affinity
    module procedure region_has_affinity
  end interface

  interface espalier_array_bcast_init
    module procedure bcast_init
  end interface

  interface espalier_array_scatter_init
    module procedure scatter_init
  end interface

  interface espalier_array_gather_init
    module procedure gather_init
  end interface

  interface espalier_array_exchange_init
    module procedure exchange_init
  end interface

  interface espalier_array_reduce_init
    module procedure reduce_init, reduce_init_f08
  end interface

  interface espalier_team_cache_limits
    module procedure cache_limits
  end interface

  interface espalier_team_cache_size
    module procedure cache_size
  end interface

  interface espalier_team_cache_clear
    module procedure cache_clear
  end interface

  interface
    function c_distribution_bytes(distribution, datatype, num_members, num_bytes) &
        bind(C, name='espalier_f_distribution_bytes') result(code)
      import :: c_distribution, c_int, c_int64_t
      type(c_distribution), intent(in) :: distribution
      integer(c_int), value :: datatype
      integer(c_int), value :: num_members
      integer(c_int64_t), intent(inout) :: num_bytes
      integer(c_int) :: code
    end function
    function c_array_create(team, distribution, datatype, offset, made) &
        bind(C, name='espalier_f_array_create') result(code)
      import :: c_distribution, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      type(c_distribution), intent(in) :: distribution
      integer(c_int), value :: datatype
      integer(c_int64_t), value :: offset
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_array_free(made) bind(C, name='espalier_array_free') result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_array_distribution(array, distribution) &
        bind(C, name='espalier_array_distribution') result(code)
      import :: c_distribution, c_int, c_ptr
      type(c_ptr), value :: array
      type(c_distribution), intent(inout) :: distribution
      integer(c_int) :: code
    end function
    function c_array_place(array, element, place) bind(C, name='espalier_array_place') result(code)
      import :: c_int, c_int64_t, c_ptr, espalier_remote
      type(c_ptr), value :: array
      integer(c_int64_t), intent(in) :: element(*)
      type(espalier_remote), intent(inout) :: place
      integer(c_int) :: code
    end function
    function c_region_has_affinity(region, has_affinity) &
        bind(C, name='espalier_region_has_affinity') result(code)
      import :: c_int, espalier_region
      type(espalier_region), intent(in) :: region
      integer(c_int), intent(inout) :: has_affinity
      integer(c_int) :: code
    end function
    function c_bcast_init(from, to, count, options, made) &
        bind(C, name='espalier_array_bcast_init') result(code)
      import :: c_int, c_options, c_ptr, espalier_region
      type(espalier_region), intent(in) :: from
      type(espalier_region), intent(in) :: to
      integer(c_int), value :: count
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_scatter_init(from, to, count, options, made) &
        bind(C, name='espalier_array_scatter_init') result(code)
      import :: c_int, c_options, c_ptr, espalier_region
      type(espalier_region), intent(in) :: from
      type(espalier_region), intent(in) :: to
      integer(c_int), value :: count
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_gather_init(from, to, count, options, made) &
        bind(C, name='espalier_array_gather_init') result(code)
      import :: c_int, c_options, c_ptr, espalier_region
      type(espalier_region), intent(in) :: from
      type(espalier_region), intent(in) :: to
      integer(c_int), value :: count
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_exchange_init(from, to, count, options, made) &
        bind(C, name='espalier_array_exchange_init') result(code)
      import :: c_int, c_options, c_ptr, espalier_region
      type(espalier_region), intent(in) :: from
      type(espalier_region), intent(in) :: to
      integer(c_int), value :: count
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_reduce_init(from, to, count, op, options, made) &
        bind(C, name='espalier_f_array_reduce_init') result(code)
      import :: c_int, c_options, c_ptr, espalier_region
      type(espalier_region), intent(in) :: from
      type(espalier_region), intent(in) :: to
      integer(c_int), value :: count
      integer(c_int), value :: op
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_cache_limits(team, most_teams, scratch_bytes) &
        bind(C, name='espalier_team_cache_limits') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: most_teams
      integer(c_int64_t), value :: scratch_bytes
      integer(c_int) :: code
    end function
    function c_cache_size(team) bind(C, name='espalier_team_cache_size') result(number)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: number
    end function
    function c_cache_clear(team) bind(C, name='espalier_team_cache_clear') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: code
    end function
  end interface

contains

  subroutine distribution_bytes(distribution, datatype, num_members, num_bytes, ierror)
    type(espalier_distribution), intent(in) :: distribution
    integer, intent(in) :: datatype
    integer, intent(in) :: num_members
    integer(c_int64_t), intent(out) :: num_bytes
    integer, intent(out), optional :: ierror
    integer :: code
    num_bytes = 0
    code = c_distribution_bytes(to_distribution(distribution), datatype, num_members, num_bytes)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine distribution_bytes_f08(distribution, datatype, num_members, num_bytes, ierror)
    type(espalier_distribution), intent(in) :: distribution
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: num_members
    integer(c_int64_t), intent(out) :: num_bytes
    integer, intent(out), optional :: ierror
    call distribution_bytes(distribution, datatype%MPI_VAL, num_members, num_bytes, ierror)
  end subroutine

  subroutine array_create(team, distribution, datatype, offset, array, ierror)
    type(espalier_team), intent(in) :: team
    type(espalier_distribution), intent(in) :: distribution
    integer, intent(in) :: datatype
    integer(c_int64_t), intent(in) :: offset
    type(espalier_array), intent(inout) :: array
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_array_create(team%handle, to_distribution(distribution), datatype, offset, &
      array%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine array_create_f08(team, distribution, datatype, offset, array, ierror)
    type(espalier_team), intent(in) :: team
    type(espalier_distribution), intent(in) :: distribution
    type(MPI_Datatype), intent(in) :: datatype
    integer(c_int64_t), intent(in) :: offset
    type(espalier_array), intent(inout) :: array
    integer, intent(out), optional :: ierror
    call array_create(team, distribution, datatype%MPI_VAL, offset, array, ierror)
  end subroutine

  subroutine array_free(array, ierror)
    type(espalier_array), intent(inout) :: array
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_array_free(array%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine array_distribution(array, distribution, ierror)
    type(espalier_array), intent(in) :: array
    type(espalier_distribution), intent(out) :: distribution
    integer, intent(out), optional :: ierror
    type(c_distribution) :: found
    integer :: code
    found%size = c_sizeof(found)
    code = c_array_distribution(array%handle, found)
    distribution%ndims = found%ndims
    distribution%extents = found%extents
    distribution%block = found%block
    distribution%grid = found%grid
    if (present(ierror)) ierror = code
  end subroutine

  ! Numbers that are missing lie outside of the array.
  subroutine array_place(array, element, place, ierror)
    type(espalier_array), intent(in) :: array
    integer(c_int64_t), intent(in) :: element(:)
    type(espalier_remote), intent(inout) :: place
    integer, intent(out), optional :: ierror
    integer(c_int64_t) :: all_numbers(ESPALIER_ARRAY_MAX_DIMS)
    integer :: num_given, code
    num_given = min(size(element), ESPALIER_ARRAY_MAX_DIMS)
    all_numbers = -1
    all_numbers(:num_given) = element(:num_given)
    code = c_array_place(array%handle, all_numbers, place)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine region_has_affinity(region, has_affinity, ierror)
    type(espalier_region), intent(in) :: region
    logical, intent(out) :: has_affinity
    integer, intent(out), optional :: ierror
    integer(c_int) :: number
    integer :: code
    number = 0
    code = c_region_has_affinity(region, number)
    has_affinity = number /= 0
    if (present(ierror)) ierror = code
  end subroutine

  subroutine bcast_init(from, to, count, request, ierror, options)
    type(espalier_region), intent(in) :: from
    type(espalier_region), intent(in) :: to
    integer, intent(in) :: count
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_bcast_init(from, to, count, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine scatter_init(from, to, count, request, ierror, options)
    type(espalier_region), intent(in) :: from
    type(espalier_region), intent(in) :: to
    integer, intent(in) :: count
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_scatter_init(from, to, count, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gather_init(from, to, count, request, ierror, options)
    type(espalier_region), intent(in) :: from
    type(espalier_region), intent(in) :: to
    integer, intent(in) :: count
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_gather_init(from, to, count, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine exchange_init(from, to, count, request, ierror, options)
    type(espalier_region), intent(in) :: from
    type(espalier_region), intent(in) :: to
    integer, intent(in) :: count
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_exchange_init(from, to, count, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine reduce_init(from, to, count, op, request, ierror, options)
    type(espalier_region), intent(in) :: from
    type(espalier_region), intent(in) :: to
    integer, intent(in) :: count
    integer, intent(in) :: op
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), target :: texts
    integer :: code
    code = c_reduce_init(from, to, count, op, to_options(options, texts), request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine reduce_init_f08(from, to, count, op, request, ierror, options)
    type(espalier_region), intent(in) :: from
    type(espalier_region), intent(in) :: to
    integer, intent(in) :: count
    type(MPI_Op), intent(in) :: op
    type(espalier_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    type(espalier_onesided_options), intent(in), optional :: options
    call reduce_init(from, to, count, op%MPI_VAL, request, ierror, options)
  end subroutine

  subroutine cache_limits(team, most_teams, scratch_bytes, ierror)
    type(espalier_team), intent(in) :: team
    integer, intent(in) :: most_teams
    integer(c_int64_t), intent(in) :: scratch_bytes
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_cache_limits(team%handle, most_teams, scratch_bytes)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine cache_size(team, num_teams)
    type(espalier_team), intent(in) :: team
    integer, intent(out) :: num_teams
    num_teams = c_cache_size(team%handle)
  end subroutine

  subroutine cache_clear(team, ierror)
    type(espalier_team), intent(in) :: team
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_cache_clear(team%handle)
    if (present(ierror)) ierror = code
  end subroutine

end module espalier_onesided_arrays
