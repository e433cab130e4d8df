! The Fortran door of doors.cpp, called from there.
module doors
  use, intrinsic :: iso_c_binding
  use chamomile
  implicit none
  type(chm_field), save :: field
contains
  integer(c_int) function fortran_build(n, x, m) bind(C)
    integer(c_int64_t), value :: n
    real(c_double), intent(in), target :: x(3, n), m(n)
    integer :: status
    call field%create(status)
    if (status == chm_ok) call field%set('softening', 0.01d0, status)
    if (status == chm_ok) call field%build(x, m, status)
    fortran_build = status
  end function fortran_build

  integer(c_int) function fortran_sources(n, a, phi) bind(C)
    integer(c_int64_t), value :: n
    real(c_double), intent(inout), target :: a(3, n), phi(n)
    integer :: status
    call field%evaluate_sources(a, status, phi)
    fortran_sources = status
  end function fortran_sources

  integer(c_int) function fortran_points(n, x, a, phi) bind(C)
    integer(c_int64_t), value :: n
    real(c_double), intent(in), target :: x(3, n)
    real(c_double), intent(inout), target :: a(3, n), phi(n)
    integer :: status
    call field%evaluate(x, a, status, phi)
    fortran_points = status
  end function fortran_points
end module doors
