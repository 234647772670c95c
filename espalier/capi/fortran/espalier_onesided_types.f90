! SPDX-License-Identifier: Apache-2.0

! What the modules of espalier_onesided.h and espalier_array.h share: structures, and what Fortran
! hands to C.
module espalier_onesided_types
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_funptr, &
    c_int, c_int64_t, c_loc, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t, c_sizeof
  implicit none
  private
  public :: espalier_conduit, espalier_conduit_options, espalier_onesided_options, espalier_remote
  public :: espalier_request, espalier_team, espalier_transfer, espalier_tuning_options
  public :: espalier_array, espalier_blocks, espalier_distribution, espalier_region
  public :: c_distribution, c_options, c_texts, c_tuning_options
  public :: address_of, from_c, name_len, to_c, to_distribution, to_options, to_tuning_options

  integer, parameter :: name_len = 64

  ! When a collective may begin and end to touch buffers, and who knows where they are.
  integer(c_int), parameter, public :: ESPALIER_ALLSYNC = 0
  integer(c_int), parameter, public :: ESPALIER_MYSYNC = 1
  integer(c_int), parameter, public :: ESPALIER_NOSYNC = 2
  integer(c_int), parameter, public :: ESPALIER_ADDRESSES_SYMMETRIC = 0
  integer(c_int), parameter, public :: ESPALIER_ADDRESSES_LOCAL = 1
  integer(c_int), parameter, public :: ESPALIER_ADDRESSES_SINGLE = 2
  integer(c_int), parameter :: reproducibly = 1
  integer(c_int), parameter :: learning = 2
  integer(c_int), parameter :: tune_anew = 1
  integer(c_int), parameter :: tune_every = 2

  type :: espalier_conduit
    type(c_ptr) :: handle = c_null_ptr
  end type

  type :: espalier_team
    type(c_ptr) :: handle = c_null_ptr
  end type

  type :: espalier_request
    type(c_ptr) :: handle = c_null_ptr
  end type

  type, bind(C) :: espalier_remote
    integer(c_int) :: rank
    integer(c_int64_t) :: offset
  end type

  type, bind(C) :: espalier_transfer
    integer(c_int64_t) :: opaque(3) = 0
  end type

  ! A text that is blank is the default of C. handlers: c_funloc of each, see the module
  ! espalier_onesided_messages; context: what handlers get.
  type :: espalier_conduit_options
    character(len=name_len) :: transport = ''
    integer(c_int64_t) :: scratch_bytes = 0
    type(c_funptr), allocatable :: handlers(:)
    type(c_ptr) :: context = c_null_ptr
  end type

  type :: espalier_onesided_options
    integer(c_int) :: in = ESPALIER_ALLSYNC
    integer(c_int) :: out = ESPALIER_ALLSYNC
    integer(c_int) :: addresses = ESPALIER_ADDRESSES_SYMMETRIC
    character(len=name_len) :: algorithm = ''
    character(len=name_len) :: mechanism = ''
    logical :: reproducible = .false.
    logical :: learn = .false.
  end type

  ! meanwhile: c_funloc of a subroutine with bind(C) and one argument, type(c_ptr), value: context.
  type :: espalier_tuning_options
    real(c_double) :: seconds = 0
    type(c_funptr) :: meanwhile = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
    logical :: anew = .false.
    logical :: every = .false.
  end type

  integer, parameter, public :: ESPALIER_ARRAY_MAX_DIMS = 4

  type, bind(C) :: espalier_array
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! A block of 0 is one for each position of the grid, and an extent of the grid of 0 what others
  ! leave.
  type :: espalier_distribution
    integer :: ndims = 1
    integer(c_int64_t) :: extents(ESPALIER_ARRAY_MAX_DIMS) = 0
    integer(c_int64_t) :: block(ESPALIER_ARRAY_MAX_DIMS) = 0
    integer(c_int) :: grid(ESPALIER_ARRAY_MAX_DIMS) = 0
  end type

  ! espalier_distribution of C.
  type, bind(C) :: c_distribution
    integer(c_size_t) :: size = 0
    integer(c_int) :: flags = 0
    integer(c_int) :: ndims = 1
    integer(c_int64_t) :: extents(ESPALIER_ARRAY_MAX_DIMS) = 0
    integer(c_int64_t) :: block(ESPALIER_ARRAY_MAX_DIMS) = 0
    integer(c_int) :: grid(ESPALIER_ARRAY_MAX_DIMS) = 0
  end type

  type, bind(C) :: espalier_blocks
    integer(c_int64_t) :: first = 0
    integer(c_int64_t) :: stride = 0
    integer(c_int64_t) :: last = 0
  end type

  type(espalier_blocks), parameter, public :: ESPALIER_ALL_BLOCKS = &
    espalier_blocks(0_c_int64_t, 1_c_int64_t, -1_c_int64_t)

  type, bind(C) :: espalier_region
    type(espalier_array) :: array
    type(espalier_blocks) :: blocks(ESPALIER_ARRAY_MAX_DIMS)
  end type

  ! espalier_tuning_options of C.
  type, bind(C) :: c_tuning_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: flags = 0
    real(c_double) :: seconds = 0
    type(c_funptr) :: meanwhile = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
  end type

  ! espalier_onesided_options of C.
  type, bind(C) :: c_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: flags = 0
    integer(c_int) :: in, out, addresses
    type(c_ptr) :: algorithm = c_null_ptr
    type(c_ptr) :: mechanism = c_null_ptr
  end type

  type :: c_texts
    character(kind=c_char) :: algorithm(name_len)
    character(kind=c_char) :: mechanism(name_len)
  end type

  ! With the blocks of one dimension after the other.
  interface espalier_region
    module procedure region_of
  end interface

contains

  function to_options(options, texts) result(found)
    type(espalier_onesided_options), intent(in), optional :: options
    type(c_texts), intent(out), target :: texts
    type(espalier_onesided_options) :: wanted
    type(c_options) :: found
    if (present(options)) wanted = options
    found%size = c_sizeof(found)
    if (wanted%reproducible) found%flags = reproducibly
    if (wanted%learn) found%flags = ior(found%flags, learning)
    found%in = wanted%in
    found%out = wanted%out
    found%addresses = wanted%addresses
    found%algorithm = to_c(wanted%algorithm, texts%algorithm)
    found%mechanism = to_c(wanted%mechanism, texts%mechanism)
  end function

  function to_tuning_options(options) result(found)
    type(espalier_tuning_options), intent(in), optional :: options
    type(espalier_tuning_options) :: wanted
    type(c_tuning_options) :: found
    if (present(options)) wanted = options
    found%size = c_sizeof(found)
    if (wanted%anew) found%flags = tune_anew
    if (wanted%every) found%flags = found%flags + tune_every
    found%seconds = wanted%seconds
    found%meanwhile = wanted%meanwhile
    found%context = wanted%context
  end function

  function region_of(array, dim1, dim2, dim3, dim4) result(region)
    type(espalier_array), intent(in) :: array
    type(espalier_blocks), intent(in) :: dim1
    type(espalier_blocks), intent(in), optional :: dim2, dim3, dim4
    type(espalier_region) :: region
    region%array = array
    region%blocks(1) = dim1
    if (present(dim2)) region%blocks(2) = dim2
    if (present(dim3)) region%blocks(3) = dim3
    if (present(dim4)) region%blocks(4) = dim4
  end function

  function to_distribution(distribution) result(found)
    type(espalier_distribution), intent(in) :: distribution
    type(c_distribution) :: found
    found%size = c_sizeof(found)
    found%ndims = distribution%ndims
    found%extents = distribution%extents
    found%block = distribution%block
    found%grid = distribution%grid
  end function

  ! Where a buffer is. C refuses a null pointer: a section with gaps would be copied on its way, and
  ! what arrives later would go to the copy.
  function address_of(buffer) result(address)
    type(*), dimension(..), intent(in), target :: buffer
    type(c_ptr) :: address
    address = c_null_ptr
    if (is_contiguous(buffer)) address = c_loc(buffer)
  end function

  ! A text as C has it, and where it is: nowhere if it is blank.
  function to_c(text, characters) result(address)
    character(len=*), intent(in) :: text
    character(kind=c_char), intent(out), target, contiguous :: characters(:)
    type(c_ptr) :: address
    integer :: i
    characters = c_null_char
    do i = 1, min(len_trim(text), size(characters) - 1)
      characters(i) = text(i:i)
    end do
    address = c_null_ptr
    if (len_trim(text) > 0) address = c_loc(characters)
  end function

  ! A text of C, with blanks behind it.
  subroutine from_c(address, text)
    type(c_ptr), intent(in) :: address
    character(len=*), intent(out) :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    text = ''
    if (.not. c_associated(address)) return
    call c_f_pointer(address, characters, [len(text)])
    do i = 1, len(text)
      if (characters(i) == c_null_char) return
      text(i:i) = characters(i)
    end do
  end subroutine

end module espalier_onesided_types
