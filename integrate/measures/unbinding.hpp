/// \file  Self-bound particles, by iterative unbinding.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/diagnostics.hpp"

namespace chamomile {

/// The particles that may be bound.
struct Candidates {
    std::vector<Index> members;    ///< ascending
    std::vector<double> potential; ///< by self-gravity alone; empty: computed here
};

/// The particles bound to each other, with their center and size; lengths are NaN if not defined.
struct BoundSystem {
    std::vector<Index> members; ///< ascending; empty: nothing is bound
    double mass = 0;
    Vec3<double> center;   ///< density_center()
    Vec3<double> velocity; ///< mean, by mass
    double half_mass_radius = 0;
    double tidal_radius = 0;
};

namespace unbinding { // of the source file
struct Member;
struct MassAndMomentum;
} // namespace unbinding

/// An Unbinding removes particles with energies >= 0 until none is left (as SUBFIND, Springel et
/// al. 2001). An energy is v^2 / 2 + phi, where v is relative to the mean velocity of the bound
/// particles, and phi is the potential of the candidates left. The mean velocity begins with the
/// hundredth of the particles, at least a hundred, with the deepest potentials; it follows the
/// bound particles before any is removed.
class Unbinding {
public:
    /// `options` state law and device. Error goals and ranks are left out.
    explicit Unbinding(const SolverOptions& options);

    /// Returns the bound system. Throws like Solver::evaluate(). `external` adds the tidal radius
    /// by King (1962, eq. 6): r^3 = G m / (W^2 - d^2 Phi / dR^2), at the center, where R is the
    /// distance from the origin of the external field and W the angular speed about it.
    BoundSystem find(const Particles& particles, Candidates candidates,
                     const ExternalState& external);

private:
    using Member = unbinding::Member;
    using MassAndMomentum = unbinding::MassAndMomentum;

    std::vector<Index> bound_members(const Particles& particles, std::vector<Member> members,
                                     Vec3<double>& velocity);
    std::vector<Member> strip(const Particles& particles, std::vector<Member>& edge,
                              const MassAndMomentum& sure, Vec3<double>& velocity);
    void compute(const Particles& particles, std::span<const Member> all, std::span<Member> edge);
    void subtract(const Particles& particles, std::span<const Member> removed,
                  std::span<Member> edge);
    std::vector<double> potentials(const Particles& particles, std::span<const Index> places,
                                   std::size_t sources, std::span<const Index> targets);

    SolverOptions options_;
    std::unique_ptr<Solver> whole_, direct_;
};

} // namespace chamomile
