/// \file  Tidal tensors and jerks of a field.
#pragma once

#include <vector>

#include "chamomile/force/adjoint/field_adjoint.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/pairs/field_laws.hpp"

namespace chamomile {

/// At all sources a tree sums by its lists; at points, and at some sources, all pairs are summed.
class FieldDerivatives {
public:
    /// Six and three values per target, G included; those not wanted are empty.
    struct Sums {
        std::vector<double> tidal, jerk;
    };

    explicit FieldDerivatives(const SolverOptions& resolved) : options_(resolved), laws_(resolved)
    {}

    /// Takes the sources' velocities, three values each; empty: none. Throws Error(input) for one
    /// that is not finite.
    void take_velocities(const std::vector<double>& velocities);
    const std::vector<Vec3<double>>& velocities() const { return velocity_; }

    /// Sums at the sources `active`, each without itself; empty: at all. Throws Error(usage)
    /// without velocities for jerks, Error(input) if two sources coincide without softening.
    Sums at_sources(ListField& lists, FieldAdjoint& adjoint, std::span<const Index> active,
                    const FieldResults& wanted, ForceStatistics& statistics);

    Sums at_points(ListField& lists, const PairTargets& targets, const FieldResults& wanted,
                   ForceStatistics& statistics);

private:
    Sums by_lists(ListField& lists, FieldAdjoint& adjoint, const FieldResults& wanted,
                  ForceStatistics& statistics);
    Sums by_pairs(ListField& lists, const std::vector<Index>& sources, const FieldResults& wanted,
                  ForceStatistics& statistics);

    SolverOptions options_;
    FieldLaws laws_;
    std::vector<Vec3<double>> velocity_;
};

} // namespace chamomile
