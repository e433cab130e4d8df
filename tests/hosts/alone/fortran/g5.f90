! Two unit masses at distance 2.
program pair
  implicit none
  double precision :: x(3, 2), m(2), a(3, 2), p(2)
  x = 0
  x(1, :) = [-1d0, 1d0]
  m = 1
  call g5_open()
  call g5_set_n(2)
  call g5_set_xmj(0, 2, x, m)
  call g5_set_eps_to_all(0d0)
  call g5_calculate_force_on_x(x, a, p, 2)
  call g5_close()
  print '(a, f8.5)', 'a = ', a(1, 1)
  if (.not. abs(a(1, 1) - 0.25d0) < 1d-6) stop 1
end program pair
