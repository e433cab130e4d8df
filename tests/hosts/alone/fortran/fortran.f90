! Two unit masses at distance 2.
program pair
  use chamomile
  use, intrinsic :: iso_c_binding
  implicit none
  type(chm_field) :: field
  real(c_double) :: x(3, 2), m(2), a(3, 2)
  integer :: status
  x = 0
  x(1, :) = [-1d0, 1d0]
  m = 1
  call field%create(status)
  call field%build(x, m, status)
  call field%evaluate_sources(a, status)
  print '(a, f8.5)', 'a = ', a(1, 1)
  if (status /= 0 .or. .not. abs(a(1, 1) - 0.25d0) < 1d-6) stop 1
  call field%destroy()
end program pair
