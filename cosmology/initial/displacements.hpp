/// \file  Lagrangian perturbation theory to second order, by Fourier transforms.
#pragma once

#include "chamomile/mesh/fourier.hpp"
#include "chamomile/mesh/grid.hpp"

namespace chamomile {

/// Turns the spectrum of delta into that of phi with laplace phi = delta; side is in the units of
/// lengths.
void solve_poisson(Grid<double>& spectrum, double side);

/// Returns the spectrum of phi2 (Bouchet et al. 1995) from that of phi1:
///
///     laplace phi2 = sum_{i<j} phi1_,ii phi1_,jj - phi1_,ij^2
///
/// Second derivatives and products are taken at the points of the mesh. Three more meshes are
/// needed meanwhile.
Grid<double> second_order_potential(const Grid<double>& phi1, const Fourier<double>& fourier,
                                    double side);

/// Computes the field -d phi / d x_axis at the points of the mesh from the spectrum of phi. Waves
/// of n/2 have no slope there.
void displacement(const Grid<double>& phi, int axis, const Fourier<double>& fourier, double side,
                  Grid<double>& field);

} // namespace chamomile
