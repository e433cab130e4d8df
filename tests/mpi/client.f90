! A host in Fortran whose particles lie on the processes of MPI, for check_mpi.py: the forces of a
! plain sum in every layout, and refusals that all processes get.
program client
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic
  use mpi
  use chamomile_mpi
  implicit none
  integer, parameter :: n = 300
  type(chm_mpi_forces) :: forces
  real(c_double), target :: x(3, n), m(n), exact(3, n), exact_phi(n), a(3, n), phi(n)
  real(c_double), target :: ax(2 * n), ay(2 * n), az(2 * n)
  integer, allocatable :: own(:)
  integer :: i, j, rank, ranks, status, wrong, all_wrong, fault

  call MPI_Init(fault)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, fault)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, fault)
  wrong = 0
  call random_seed(put=[(i, i = 1, 33)])
  call random_number(x)
  call random_number(m)
  exact = 0
  exact_phi = 0
  do i = 1, n
     do j = 1, n
        if (j /= i) call add(i, j)
     end do
  end do
  own = pack([(i, i = 1, n)], modulo([(i, i = 1, n)], ranks) == rank)

  call forces%create(MPI_COMM_NULL, status)
  call demand('no communicator', status == chm_usage)
  call forces%create(MPI_COMM_WORLD, status)
  call demand('create', status == chm_ok .and. forces%device() == '')
  call forces%set('device', 'cpu', status)
  call forces%set('threads', 1, status)
  call forces%set('softening', 0.05d0, status)
  call forces%set('precision', 'double', status)
  call forces%set('theta', 1d-3, status) ! every pair
  call demand('options', status == chm_ok)
  call compute
  call demand('vectors', status == chm_ok .and. index(forces%device(), 'CPU') == 1)
  call demand('forces', all(abs(a(:, :size(own)) - exact(:, own)) < 1d-11 * maxval(abs(exact))))
  call demand('potentials', all(abs(phi(:size(own)) / exact_phi(own) - 1) < 1d-12))
  block
    real(c_double), target :: lengths(size(own)), others(3, size(own))
    lengths = 0.05d0
    call forces%set_softenings(lengths, status)
    call forces%evaluate(x(:, own), m(own), others, status)
    call demand('softenings', status == chm_ok .and. all(others == a(:, :size(own))))
    lengths = 0.2d0
    call forces%evaluate(x(:, own), m(own), others, status)
    call demand('longer softenings', status == chm_ok .and. (size(own) == 0 .or. any(others /= a(:, :size(own)))))
    call forces%set_softenings(lengths(:0), status)
  end block
  block
    real(c_double), target :: px(size(own)), py(size(own)), pz(size(own)), pm(size(own))
    integer :: c
    px = x(1, own)
    py = x(2, own)
    pz = x(3, own)
    pm = m(own)
    c = 2 * size(own)
    call forces%evaluate(px, py, pz, pm, ax(1:c:2), ay(1:c:2), az(1:c:2), status)
    call demand('columns', status == chm_ok .and. all(ax(1:c:2) == a(1, :size(own))) .and. &
         all(az(1:c:2) == a(3, :size(own))))
    call forces%evaluate(px, py, pz, pm, ax(:c), ay(1:c:2), az(1:c:2), status)
    call demand('lengths', status == chm_usage .and. forces%error() == 'arrays: must be of equal length')
  end block

  ! What the last process gives wrong comes to all.
  if (rank == ranks - 1) then
     call forces%evaluate(x(:2, :5), m(:5), a(:, :5), status)
  else
     call compute
  end if
  call demand('shape', status == chm_usage .and. forces%error() == 'positions: must be of shape (3, n)')
  if (rank == ranks - 1) x(2, own(size(own))) = ieee_value(1d0, ieee_quiet_nan)
  call compute
  call demand('numbers from 1', status == chm_input .and. index(forces%error(), 'particle 300: ') == 1)
  call forces%set('softenin', 0.1d0, status)
  call demand('option', status == chm_usage .and. index(forces%error(), 'option: softenin: unknown') == 1)
  call forces%destroy()
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, fault)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'all is right'
  call MPI_Finalize(fault)

contains

  subroutine compute
    real(c_double), target :: place(3, size(own)), mass(size(own))
    place = x(:, own)
    mass = m(own)
    call forces%evaluate(place, mass, a(:, :size(own)), status, phi(:size(own)))
  end subroutine compute

  subroutine add(i, j)
    integer, intent(in) :: i, j
    real(c_double) :: d(3), r2
    d = x(:, j) - x(:, i)
    r2 = sum(d**2) + 0.05d0**2
    exact(:, i) = exact(:, i) + m(j) * d / (r2 * sqrt(r2))
    exact_phi(i) = exact_phi(i) - m(j) / sqrt(r2)
  end subroutine add

  subroutine demand(what, is_true)
    character(*), intent(in) :: what
    logical, intent(in) :: is_true
    if (is_true) return
    wrong = wrong + 1
    print '(2a, i0, 2a)', what, ': status ', status, ': ', forces%error()
  end subroutine demand
end program client
