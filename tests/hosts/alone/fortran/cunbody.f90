! The names of CUNBODY-1's library: two unit masses at distance 2, with a number of its own called force.
program pair
  implicit none
  double precision :: x(3, 2), m(2), a(3, 2), b(3, 2), c(3, 2), eps2, force
  x = 0
  x(1, :) = [-1d0, 1d0]
  m = 1
  eps2 = 0
  call cunbody1_force(x, m, x, eps2, a, 2, 2)
  call cunbody1_force_mp(0, x, m, x, eps2, b, 2, 2)
  call cunbody1_force_begin(x, m, x, eps2, c, 2, 2)
  call cunbody1_force_end(x, m, x, eps2, c, 2, 2)
  force = a(1, 1)
  print '(a, f8.5)', 'a = ', force
  if (.not. abs(force - 0.25d0) < 1d-6 .or. any(abs(a - b) > 0) .or. any(abs(a - c) > 0)) stop 1
end program pair
