/// \file  Second-order Lagrangian perturbation theory, with Fourier transforms. Meshes are in slabs
/// of ranks: spectra have this rank's rows, fields its planes. Transforms are collective.
///
/// Derivatives along the second and third index are taken at planes, after the transform along the
/// first: they share this transform, and the transposition between ranks.
#pragma once

#include "chamomile/force/mesh/slab_fourier.hpp"

namespace chamomile {

/// Replaces the spectrum of delta by that of phi with laplace phi = delta. `side`: box side in
/// units of length.
void solve_poisson(Grid<double>& spectrum, double side);

/// The spectra of phi and of -d phi / d x_0 after the transform along the first index, at this
/// rank's planes. Waves of wave number n/2 have zero slope at the points.
struct PlaneSpectra {
    Grid<double> phi, along_first;
};

/// Transforms the spectrum of phi, in its memory and another mesh.
PlaneSpectra at_planes(Grid<double> phi, SlabFourier<double>& fourier, double side);

/// The spectrum of phi2 (Bouchet et al. 1995), with phi1 at planes:
///
///     laplace phi2 = sum_{i<j} phi1_,ii phi1_,jj - phi1_,ij^2
struct SecondOrder {
    Grid<double> phi2;
    PlaneSpectra phi1;
};

/// Computes phi2 from the spectrum of phi1. Second derivatives and products are computed at the
/// mesh points. Allocates two meshes.
SecondOrder second_order(Grid<double> phi1, SlabFourier<double>& fourier, double side);

/// The displacement -grad phi at mesh points.
class Displacement {
public:
    /// `planes`: as in SlabFourier::window().
    Displacement(PlaneSpectra spectra, SlabFourier<double>& fourier, double side, MeshRange planes);
    /// Sets `field` to -d phi / d x_axis at its planes, which must be among the constructor's.
    /// Callable from several threads.
    void fill(int axis, Grid<double>& field) const;
    /// Returns a mesh of all planes for fill(), which then no longer gives axis 0.
    Grid<double>& mesh() { return spectra_.along_first; }

private:
    SlabFourier<double>& fourier_;
    double unit_;
    PlaneSpectra spectra_;
};

} // namespace chamomile
