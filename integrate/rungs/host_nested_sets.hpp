/// \file  The nested sets of particles in host memory.
#pragma once

#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/integrate/rungs/nested_sets.hpp"

namespace chamomile {

class HostNestedSets final : public NestedSets {
public:
    /// The store's arrays, which must outlive the calls.
    struct Rows {
        Particles& particles;
        const std::vector<std::uint8_t>& level;
        /// Accelerations and potentials of an external field at due particles, or empty.
        const std::vector<Vec3<double>>& external;
        const std::vector<double>& external_potential;
        Periodicity box;
    };

    void begin(const Rows& rows);
    std::span<const Index> members(std::size_t set) const override { return sets_[set].members; }

    Request request(std::size_t set, bool potentials) override;
    std::vector<std::uint64_t> ids(std::size_t set) override { return sets_[set].id; }

private:
    struct Set {
        std::vector<Index> members; ///< ascending; empty in the set of all
        std::vector<std::uint64_t> id;
        std::vector<double> mass, softening, potential, held_potential;
        std::vector<Vec3<double>> position, acceleration, held;
    };

    void end_sets(std::size_t first) override;
    std::vector<std::uint64_t> select(int level) override;
    std::size_t append(std::optional<std::size_t> same) override;
    void drop_ended() override { ended_.clear(); }
    void hold_others(std::size_t set) override;
    void add_others(std::size_t set, bool potentials) override;
    bool drift_members(std::size_t set, const LevelDrifts& drifts) override;
    bool kick_members(std::size_t set, double factor) override;

    void gather(Set& set) const;
    Vec3<double> external(std::size_t i) const
    {
        return rows_->external.empty() ? Vec3<double>{} : rows_->external[i];
    }

    std::optional<Rows> rows_;
    std::vector<Set> sets_, ended_;
    std::vector<Index> selected_;
};

} // namespace chamomile
