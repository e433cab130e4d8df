!> Gravity of particles distributed over MPI processes: chamomile_mpi.h for Fortran.
!>
!> All calls are collective. Every call returns a status, 0 or the kind of an error, equal on all
!> processes; error() returns the message. Arrays, also array sections, are used in place: (3, n),
!> or x(n), y(n), z(n), in double. view() makes arguments of other kinds and shapes. Particles are
!> numbered from 1, in order of rank.
module chamomile_mpi
  use, intrinsic :: iso_c_binding
  use chamomile_c
  implicit none
  private
  public :: chm_mpi_forces, chm_view, view
  public :: chm_ok, chm_usage, chm_input, chm_output, chm_device_fault, chm_numeric
  integer, parameter :: k = c_int64_t
  character(*), parameter :: unequal = 'arrays: must be of equal length'

  type :: chm_mpi_forces
     private
     type(c_ptr) :: forces = c_null_ptr
   contains
     procedure :: create, destroy, error, device
     procedure, private :: set_text, set_real, set_integer
     generic :: set => set_text, set_real, set_integer !< (key, value, status)
     procedure, private :: evaluate_views, evaluate_vectors, evaluate_columns
     procedure, private :: softenings_of_view, softenings_of_numbers
     !> (softening, status): per-particle softening, read in place by each later evaluation. A
     !> process without particles passes an empty array.
     generic :: set_softenings => softenings_of_view, softenings_of_numbers
     !> (xyz, mass, acceleration, status [, potential]) or (x, y, z, mass, ax, ay, az, status [,
     !> potential]): for this process's particles, possibly none.
     generic :: evaluate => evaluate_views, evaluate_vectors, evaluate_columns
  end type chm_mpi_forces

  interface
     integer(c_int) function chm_mpi_create_f(communicator, forces) bind(C)
       import :: c_int, c_ptr
       integer(c_int), value :: communicator
       type(c_ptr), intent(out) :: forces
     end function chm_mpi_create_f
     subroutine chm_mpi_destroy(forces) bind(C)
       import :: c_ptr
       type(c_ptr), value :: forces
     end subroutine chm_mpi_destroy
     type(c_ptr) function chm_mpi_last_error(forces) bind(C)
       import :: c_ptr
       type(c_ptr), value :: forces
     end function chm_mpi_last_error
     type(c_ptr) function chm_mpi_device(forces) bind(C)
       import :: c_ptr
       type(c_ptr), value :: forces
     end function chm_mpi_device
     integer(c_int) function chm_mpi_set_option(forces, key, value) bind(C)
       import :: c_int, c_ptr, c_char
       type(c_ptr), value :: forces
       character(kind=c_char), intent(in) :: key(*), value(*)
     end function chm_mpi_set_option
     integer(c_int) function chm_mpi_set_softenings(forces, softening) bind(C)
       import :: c_int, c_ptr, chm_view
       type(c_ptr), value :: forces
       type(chm_view), value :: softening
     end function chm_mpi_set_softenings
     integer(c_int) function chm_mpi_refuse(forces, line) bind(C)
       import :: c_int, c_ptr, c_char
       type(c_ptr), value :: forces
       character(kind=c_char), intent(in) :: line(*)
     end function chm_mpi_refuse
     integer(c_int) function chm_mpi_evaluate(forces, n, position, mass, acceleration, potential) bind(C)
       import :: c_int, c_ptr, c_int64_t, chm_view
       type(c_ptr), value :: forces
       integer(c_int64_t), value :: n
       type(chm_view), value :: position, mass, acceleration, potential
     end function chm_mpi_evaluate
  end interface

contains

  !> communicator: MPI_COMM_WORLD of `use mpi`, or comm%MPI_VAL of `use mpi_f08`.
  subroutine create(self, communicator, status)
    class(chm_mpi_forces), intent(inout) :: self
    integer, intent(in) :: communicator
    integer, intent(out) :: status
    call self%destroy()
    status = chm_mpi_create_f(int(communicator, c_int), self%forces)
    if (status == chm_ok) call self%set('first_number', 1, status)
  end subroutine create

  !> Must be called before MPI_Finalize: a chm_mpi_forces is a handle, and its copies share it.
  subroutine destroy(self)
    class(chm_mpi_forces), intent(inout) :: self
    call chm_mpi_destroy(self%forces)
    self%forces = c_null_ptr
  end subroutine destroy

  !> The message of the last failed call.
  function error(self) result(text)
    class(chm_mpi_forces), intent(in) :: self
    character(:), allocatable :: text
    text = text_at(chm_mpi_last_error(self%forces))
  end function error

  !> Such as "CPU, avx512, 2 threads"; empty before evaluate().
  function device(self) result(text)
    class(chm_mpi_forces), intent(in) :: self
    character(:), allocatable :: text
    text = text_at(chm_mpi_device(self%forces))
  end function device

  subroutine set_text(self, key, value, status)
    class(chm_mpi_forces), intent(inout) :: self
    character(*), intent(in) :: key, value
    integer, intent(out) :: status
    status = chm_mpi_set_option(self%forces, trim(key) // c_null_char, trim(value) // c_null_char)
  end subroutine set_text

  subroutine set_real(self, key, value, status)
    class(chm_mpi_forces), intent(inout) :: self
    character(*), intent(in) :: key
    real(c_double), intent(in) :: value
    integer, intent(out) :: status
    call self%set_text(key, real_text(value), status)
  end subroutine set_real

  subroutine set_integer(self, key, value, status)
    class(chm_mpi_forces), intent(inout) :: self
    character(*), intent(in) :: key
    integer, intent(in) :: value
    integer, intent(out) :: status
    call self%set_text(key, integer_text(value), status)
  end subroutine set_integer

  subroutine softenings_of_view(self, softening, status)
    class(chm_mpi_forces), intent(inout) :: self
    type(chm_view), intent(in) :: softening
    integer, intent(out) :: status
    status = chm_mpi_set_softenings(self%forces, softening)
  end subroutine softenings_of_view

  subroutine softenings_of_numbers(self, softening, status)
    class(chm_mpi_forces), intent(inout) :: self
    real(c_double), intent(in), target :: softening(:)
    integer, intent(out) :: status
    type(chm_view) :: lengths
    if (size(softening) > 0) lengths = view(softening)
    call self%softenings_of_view(lengths, status)
  end subroutine softenings_of_numbers

  subroutine evaluate_views(self, n, position, mass, acceleration, status, potential)
    class(chm_mpi_forces), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    type(chm_view), intent(in) :: position, mass, acceleration
    integer, intent(out) :: status
    type(chm_view), intent(in), optional :: potential
    type(chm_view) :: phi
    if (present(potential)) phi = potential
    status = chm_mpi_evaluate(self%forces, n, position, mass, acceleration, phi)
  end subroutine evaluate_views

  subroutine evaluate_vectors(self, xyz, mass, acceleration, status, potential)
    class(chm_mpi_forces), intent(inout) :: self
    real(c_double), intent(in), target :: xyz(:, :), mass(:)
    real(c_double), intent(inout), target :: acceleration(:, :)
    integer, intent(out) :: status
    real(c_double), intent(inout), target, optional :: potential(:)
    integer(k) :: n
    n = size(mass, kind=k)
    if (any(shape(xyz, k) /= [3_k, n])) then
       call refuse(self, 'positions: must be of shape (3, n)', status)
    else if (any(shape(acceleration, k) /= [3_k, n])) then
       call refuse(self, 'accelerations: must be of shape (3, n)', status)
    else if (length(potential, n) /= n) then
       call refuse(self, unequal, status)
    else
       call self%evaluate_views(n, view(xyz), view(mass), view(acceleration), status, numbers_of(potential))
    end if
  end subroutine evaluate_vectors

  subroutine evaluate_columns(self, x, y, z, mass, ax, ay, az, status, potential)
    class(chm_mpi_forces), intent(inout) :: self
    real(c_double), intent(in), target :: x(:), y(:), z(:), mass(:)
    real(c_double), intent(inout), target :: ax(:), ay(:), az(:)
    integer, intent(out) :: status
    real(c_double), intent(inout), target, optional :: potential(:)
    integer(k) :: n
    n = size(mass, kind=k)
    if (any([size(x, kind=k), size(y, kind=k), size(z, kind=k), size(ax, kind=k), size(ay, kind=k), &
         size(az, kind=k), length(potential, n)] /= n)) then
       call refuse(self, unequal, status)
    else
       call self%evaluate_views(n, view(x, y, z), view(mass), view(ax, ay, az), status, numbers_of(potential))
    end if
  end subroutine evaluate_columns

  !> Reports to all processes what is wrong with the arrays of this one.
  subroutine refuse(self, line, status)
    class(chm_mpi_forces), intent(inout) :: self
    character(*), intent(in) :: line
    integer, intent(out) :: status
    status = chm_mpi_refuse(self%forces, line // c_null_char)
  end subroutine refuse

  !> Returns n if there is no array.
  integer(k) function length(numbers, n)
    real(c_double), intent(in), optional :: numbers(:)
    integer(k), intent(in) :: n
    length = n
    if (present(numbers)) length = size(numbers, kind=k)
  end function length
end module chamomile_mpi
