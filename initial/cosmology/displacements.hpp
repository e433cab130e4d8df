/// \file  Second-order Lagrangian perturbation theory, with Fourier transforms. Meshes are in slabs
/// of ranks: spectra have this rank's rows, fields its planes. Transforms are collective.
///
/// Derivatives along the second and third index are taken at planes, after the transform along the
/// first: they share this transform, and the transposition between ranks.
#pragma once

#include <optional>

#include "chamomile/force/mesh/assignment.hpp"
#include "chamomile/force/mesh/slab_fourier.hpp"

namespace chamomile {

/// Replaces the spectrum of delta by that of phi with laplace phi = delta. `side`: box side in
/// units of length.
void solve_poisson(Grid<double>& spectrum, double side);

/// Returns the spectrum of phi2 (Bouchet et al. 1995), given phi1:
///
///     laplace phi2 = sum_{i<j} phi1_,ii phi1_,jj - phi1_,ij^2
///
/// Second derivatives and products are computed at the mesh points. Allocates three meshes,
/// including the result.
Grid<double> second_order_potential(const Grid<double>& phi1, SlabFourier<double>& fourier,
                                    double side);

/// The displacement -grad phi at mesh points, from the spectrum of phi, which is lost. Waves of
/// wave number n/2 have zero slope at the points.
class Displacement {
public:
    /// `window`, if set, divides phi by its assignment window. `planes`: as in
    /// SlabFourier::window(). Keeps a reference to phi, and allocates a mesh.
    Displacement(Grid<double>& phi, SlabFourier<double>& fourier, double side,
                 std::optional<Assignment> window, MeshRange planes);
    /// Sets `field` to -d phi / d x_axis at its planes, which must be among the constructor's.
    /// Callable from several threads.
    void fill(int axis, Grid<double>& field) const;
    /// Returns a mesh of all planes for fill(), which then no longer gives axis 0.
    Grid<double>& mesh() { return along_first_; }

private:
    SlabFourier<double>& fourier_;
    double unit_;
    Grid<double>& phi_;        ///< spectrum at planes
    Grid<double> along_first_; ///< of -d phi / d x_0
};

} // namespace chamomile
