/// \file  Lagrangian perturbation theory to second order, by Fourier transforms.
#pragma once

#include "chamomile/mesh/fourier.hpp"
#include "chamomile/mesh/grid.hpp"

namespace chamomile {

/// A spectrum delta becomes that of phi with laplace phi = delta; side in the units of lengths.
void solve_poisson(Grid<double>& spectrum, double side);

/// From the spectrum of phi1 that of phi2 (Bouchet et al. 1995):
///
///     laplace phi2 = sum_{i<j} phi1_,ii phi1_,jj - phi1_,ij^2
///
/// Second derivatives and products are those at the points of the mesh. Takes three meshes more.
Grid<double> second_order_potential(const Grid<double>& phi1, const Fourier<double>& fourier,
                                    double side);

/// The field -d phi / d x_axis at the points of the mesh, from the spectrum of phi. Waves of n/2
/// have no slope there.
void displacement(const Grid<double>& phi, int axis, const Fourier<double>& fourier, double side,
                  Grid<double>& field);

} // namespace chamomile
