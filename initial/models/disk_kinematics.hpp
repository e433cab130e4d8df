/// \file  Equilibrium velocities of a disk inside a bulge and a halo.
#pragma once

#include "chamomile/initial/models/equilibrium_sphere.hpp"
#include "chamomile/initial/models/exponential_disk.hpp"

namespace chamomile {

/// DiskKinematics holds velocity moments of an exponential disk, G = M = R_d = 1, tabulated over
/// the radii of the disk's field.
class DiskKinematics {
public:
    /// `spheres`: field of bulge and halo only, in the disk's units. `toomre_q`: minimum of Q =
    /// sigma_R kappa / (3.36 G Sigma) (Toomre 1964) over radii from 0.5 to 5 R_d.
    DiskKinematics(const ExponentialDiskField& field, double height,
                   const SphericalPotential& spheres, double toomre_q);

    double circular_speed(double radius) const;
    double toomre_q(double radius) const;

    /// Draws a velocity at a position. All components are normal (Hernquist 1993, sec. 2.2): v_R
    /// with sigma_R falling as exp(-R / 2 R_d); v_phi with sigma_phi = sigma_R kappa / 2 Omega
    /// about the asymmetric drift (Binney & Tremaine 2008, eq. 4.228); v_z with the dispersion of
    /// the vertical Jeans equation at that R and z (Springel, Di Matteo & Hernquist 2005, eq. 22).
    Vec3<double> draw(RandomStream& random, const Vec3<double>& position) const;

private:
    double at(const std::vector<double>& table, double radius) const;
    double vertical_variance(double radius, double height) const;

    double height_;
    std::vector<double> radii_, heights_;
    std::vector<double> circular_speed_, epicyclic_, radial_, azimuthal_, streaming_, vertical_;
};

} // namespace chamomile
