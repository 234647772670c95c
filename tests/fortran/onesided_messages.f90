! SPDX-License-Identifier: Apache-2.0

! Active messages of the module espalier_onesided: every process asks every process in each of the
! three ways, and is answered in the same way.
module message_handlers
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_int64_t, c_loc, c_ptr
  use mpi_f08, only: MPI_SUCCESS
  use espalier_onesided
  implicit none
  integer, parameter :: n = 8
  integer(c_int64_t), parameter :: payload_bytes = 8 * n
  integer, parameter :: question = 1, answer = 2

  ! What handlers are given.
  type :: experience
    type(espalier_conduit) :: conduit
    integer :: rank = -1
    integer :: num_questions = 0
    integer :: num_answers = 0
    integer :: num_wanted = 0
    logical :: is_right = .true.
  end type

contains

  pure function numbers_of(rank) result(numbers)
    integer, intent(in) :: rank
    integer(c_int64_t) :: numbers(3)
    numbers = [int(rank, c_int64_t), -7_c_int64_t, 2_c_int64_t**40 + rank]
  end function

  pure function payload_of(rank, use) result(payload)
    integer, intent(in) :: rank, use
    integer(c_int64_t) :: payload(n)
    integer :: i
    payload = [(int(100 * rank + 10 * use + i, c_int64_t), i = 1, n)]
  end function

  ! Where the payload of a long message lies: a place for each sender and use.
  pure function place_of(sender, use) result(offset)
    integer, intent(in) :: sender, use
    integer(c_int64_t) :: offset
    offset = payload_bytes * (2 * sender + use - 1)
  end function

  function is_as_sent(message, use) result(is_right)
    type(c_ptr), intent(in) :: message
    integer, intent(in) :: use
    logical :: is_right
    integer(c_int64_t), allocatable :: arguments(:)
    integer(c_int64_t), pointer :: payload(:)
    integer(c_int64_t) :: num_bytes
    type(c_ptr) :: address
    integer :: source, handler
    call espalier_message_source(message, source)
    call espalier_message_handler(message, handler)
    call espalier_message_arguments(message, arguments)
    call espalier_message_payload(message, address, num_bytes)
    is_right = size(arguments) == 3
    if (is_right) is_right = all(arguments == numbers_of(source))
    if (modulo(handler, 3) == 0) then
      is_right = is_right .and. num_bytes == 0 .and. .not. c_associated(address)
      return
    end if
    is_right = is_right .and. num_bytes == payload_bytes
    if (.not. is_right) return
    call c_f_pointer(address, payload, [n])
    is_right = all(payload == payload_of(source, use))
  end function

  ! Handlers 0, 1 and 2, answered by 3, 4 and 5.
  subroutine take_question(message, context) bind(C)
    type(c_ptr), value :: message, context
    type(experience), pointer :: seen
    type(espalier_conduit) :: conduit
    integer :: handler, code
    call c_f_pointer(context, seen)
    call espalier_message_handler(message, handler)
    call espalier_message_conduit(message, conduit)
    seen%num_questions = seen%num_questions + 1
    seen%is_right = seen%is_right .and. is_as_sent(message, question)
    seen%is_right = seen%is_right .and. c_associated(conduit%handle, seen%conduit%handle)
    select case (handler)
    case (0)
      call espalier_reply_short(numbers_of(seen%rank), 3, message, code)
    case (1)
      call espalier_reply_medium(payload_of(seen%rank, answer), payload_bytes, &
        numbers_of(seen%rank), 4, message, code)
    case default
      call espalier_reply_long(payload_of(seen%rank, answer), payload_bytes, &
        numbers_of(seen%rank), 5, place_of(seen%rank, answer), message, code)
    end select
    seen%is_right = seen%is_right .and. code == MPI_SUCCESS
  end subroutine

  subroutine take_answer(message, context) bind(C)
    type(c_ptr), value :: message, context
    type(experience), pointer :: seen
    integer :: code
    call c_f_pointer(context, seen)
    seen%num_answers = seen%num_answers + 1
    seen%is_right = seen%is_right .and. is_as_sent(message, answer)
    call espalier_reply_short([integer(c_int64_t) ::], 3, message, code)
    seen%is_right = seen%is_right .and. code /= MPI_SUCCESS
  end subroutine

  function has_all(context) result(is_true) bind(C)
    type(c_ptr), value :: context
    integer(c_int) :: is_true
    type(experience), pointer :: seen
    call c_f_pointer(context, seen)
    is_true = merge(1, 0, seen%num_questions == seen%num_wanted .and. &
      seen%num_answers == seen%num_wanted)
  end function

end module

program onesided_messages
  use, intrinsic :: iso_c_binding, only: c_funloc, c_funptr, c_int64_t, c_loc, c_null_funptr, c_ptr
  use mpi_f08
  use espalier_onesided
  use message_handlers
  implicit none
  integer(c_int64_t), parameter :: nothing(0) = [integer(c_int64_t) ::]
  type(experience), target :: seen
  type(espalier_conduit) :: conduit
  integer :: rank, p

  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, p)
  call check_refused_handlers()
  call check_transport('node')
  call check_transport('rma')
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize()

contains

  subroutine check_refused_handlers()
    integer :: code
    call espalier_conduit_attach(MPI_COMM_WORLD, 64_c_int64_t, conduit, code, &
      espalier_conduit_options(handlers=[c_null_funptr]))
    call require(code /= MPI_SUCCESS, 'a handler that is no function is refused')
  end subroutine

  subroutine check_transport(name)
    character(len=*), intent(in) :: name
    type(espalier_conduit_options) :: options
    options%transport = name
    options%handlers = [c_funloc(take_question), c_funloc(take_question), c_funloc(take_question), &
      c_funloc(take_answer), c_funloc(take_answer), c_funloc(take_answer)]
    options%context = c_loc(seen)
    seen = experience(rank=rank, num_wanted=3 * p)
    call espalier_conduit_attach(MPI_COMM_WORLD, place_of(p, question), conduit, options=options)
    seen%conduit = conduit
    call espalier_conduit_barrier(conduit)
    call ask_all()
    call espalier_conduit_barrier(conduit)
    call check_long_payloads()
    call check_refused_messages()
    call espalier_conduit_detach(conduit)
  end subroutine

  subroutine ask_all()
    integer(c_int64_t) :: mine(n), most_bytes
    integer :: to, code
    mine = payload_of(rank, question)
    call espalier_max_medium_bytes(conduit, most_bytes)
    call require(most_bytes >= 256, 'max_medium_bytes')
    do to = 0, p - 1
      call espalier_send_short(numbers_of(rank), 0, to, conduit)
      call espalier_send_medium(mine, payload_bytes, numbers_of(rank), 1, to, conduit)
      call espalier_send_long(mine, payload_bytes, numbers_of(rank), 2, &
        espalier_remote(to, place_of(rank, question)), conduit)
    end do
    mine = 0
    call espalier_wait_until(c_funloc(has_all), c_loc(seen), conduit, code)
    call require(code == MPI_SUCCESS, 'wait_until')
    call require(seen%is_right, 'messages arrive as they were sent')
    call require(seen%num_questions == 3 * p .and. seen%num_answers == 3 * p, 'every message once')
  end subroutine

  subroutine check_long_payloads()
    integer(c_int64_t), pointer :: here(:)
    integer :: other, first
    call espalier_conduit_segment(conduit, here)
    do other = 0, p - 1
      first = int(place_of(other, question) / 8)
      call require(all(here(first + 1:first + n) == payload_of(other, question)), 'long questions')
      first = int(place_of(other, answer) / 8)
      call require(all(here(first + 1:first + n) == payload_of(other, answer)), 'long answers')
    end do
  end subroutine

  subroutine check_refused_messages()
    integer(c_int64_t), target :: matrix(4, 4)
    integer(c_int64_t) :: too_many(ESPALIER_MAX_ARGUMENTS + 1), most_bytes
    type(espalier_conduit) :: nowhere
    integer :: code
    too_many = 0
    matrix = 0
    call espalier_send_short(too_many, 0, rank, conduit, code)
    call require(code /= MPI_SUCCESS, 'too many arguments are refused')
    call espalier_send_short(nothing, 6, rank, conduit, code)
    call require(code /= MPI_SUCCESS, 'a handler that is not there is refused')
    call espalier_send_short(nothing, 0, p, conduit, code)
    call require(code /= MPI_SUCCESS, 'a receiver that is not there is refused')
    call espalier_send_medium(matrix(1, :), 32_c_int64_t, nothing, 1, rank, conduit, code)
    call require(code /= MPI_SUCCESS, 'a payload with gaps is refused')
    call espalier_max_medium_bytes(conduit, most_bytes)
    call espalier_send_medium(matrix, most_bytes + 1, nothing, 1, rank, conduit, code)
    call require(code /= MPI_SUCCESS, 'a medium payload that is too long is refused')
    call espalier_send_long(matrix, 128_c_int64_t, nothing, 2, &
      espalier_remote(rank, place_of(p, question)), conduit, code)
    call require(code /= MPI_SUCCESS, 'a payload behind the segment is refused')
    call espalier_send_short(nothing, 0, rank, nowhere, code)
    call require(code /= MPI_SUCCESS, 'a conduit that is not attached is refused')
    call espalier_max_medium_bytes(nowhere, most_bytes)
    call require(most_bytes == 0, 'nothing fits where no conduit is')
  end subroutine

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      print '(a,i0,2a)', 'rank ', rank, ' failed: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine

end program
