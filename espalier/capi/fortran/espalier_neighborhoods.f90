! SPDX-License-Identifier: Apache-2.0

! Neighborhoods of espalier_neighbor.h; the module espalier_neighbor has all of it.
module espalier_neighborhoods
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
  use espalier_neighbor_types
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: espalier_neighborhood_create, espalier_neighborhood_of, espalier_neighborhood_free

  ! Offsets are (number of dimensions, number of neighbours): a column for each neighbour.
  interface espalier_neighborhood_create
    module procedure create, create_f08
  end interface

  interface espalier_neighborhood_of
    module procedure of_comm, of_comm_f08
  end interface

  interface espalier_neighborhood_free
    module procedure free_neighborhood
  end interface

  interface
    function c_create(comm, num_offsets, num_entries, offsets, options, complaint, made) &
        bind(C, name='espalier_f_neighborhood_create') result(code)
      import :: c_int, c_neighbor_options, c_ptr
      integer(c_int), value :: comm, num_offsets, num_entries
      integer(c_int), intent(in) :: offsets(*)
      type(c_neighbor_options), intent(in) :: options
      type(c_ptr), value :: complaint
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_of(comm, options, complaint, made) &
        bind(C, name='espalier_f_neighborhood_of') result(code)
      import :: c_int, c_neighbor_options, c_ptr
      integer(c_int), value :: comm
      type(c_neighbor_options), intent(in) :: options
      type(c_ptr), value :: complaint
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function c_free(neighborhood) bind(C, name='espalier_neighborhood_free') result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: neighborhood
      integer(c_int) :: code
    end function
  end interface

contains

  subroutine create(comm_cart, offsets, neighborhood, ierror, options)
    integer, intent(in) :: comm_cart
    integer, intent(in), contiguous :: offsets(:, :)
    type(espalier_neighborhood), intent(inout) :: neighborhood
    integer, intent(out), optional :: ierror
    type(espalier_neighbor_options), intent(in), optional :: options
    type(neighbor_texts), target :: texts
    integer :: code
    code = c_create(comm_cart, size(offsets, 2), size(offsets, 1), offsets, &
      to_neighbor_options(options, texts), c_null_ptr, neighborhood%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine create_f08(comm_cart, offsets, neighborhood, ierror, options)
    type(MPI_Comm), intent(in) :: comm_cart
    integer, intent(in), contiguous :: offsets(:, :)
    type(espalier_neighborhood), intent(inout) :: neighborhood
    integer, intent(out), optional :: ierror
    type(espalier_neighbor_options), intent(in), optional :: options
    call create(comm_cart%MPI_VAL, offsets, neighborhood, ierror, options)
  end subroutine

  subroutine of_comm(comm, neighborhood, ierror, options)
    integer, intent(in) :: comm
    type(espalier_neighborhood), intent(inout) :: neighborhood
    integer, intent(out), optional :: ierror
    type(espalier_neighbor_options), intent(in), optional :: options
    type(neighbor_texts), target :: texts
    integer :: code
    code = c_of(comm, to_neighbor_options(options, texts), c_null_ptr, neighborhood%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine of_comm_f08(comm, neighborhood, ierror, options)
    type(MPI_Comm), intent(in) :: comm
    type(espalier_neighborhood), intent(inout) :: neighborhood
    integer, intent(out), optional :: ierror
    type(espalier_neighbor_options), intent(in), optional :: options
    call of_comm(comm%MPI_VAL, neighborhood, ierror, options)
  end subroutine

  subroutine free_neighborhood(neighborhood, ierror)
    type(espalier_neighborhood), intent(inout) :: neighborhood
    integer, intent(out), optional :: ierror
    integer :: code
    code = c_free(neighborhood%handle)
    if (present(ierror)) ierror = code
  end subroutine

end module espalier_neighborhoods
