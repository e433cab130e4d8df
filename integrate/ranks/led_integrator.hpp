/// \file  A leapfrog on all ranks for a caller on rank 0.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "chamomile/integrate/ranks/rank_run.hpp"

namespace chamomile {

/// A LedIntegrator executes each call of a leapfrog on all ranks. The caller, on rank 0, passes all
/// particles; other ranks run serve_particles(). Results match a single rank's bitwise.
class LedIntegrator final : public Integrator, private ParticleRows {
public:
    /// `options.ranks` must be set. Throws like DistributedSolver and Leapfrog.
    LedIntegrator(const SolverOptions& options, const RankSteps& steps);

    void begin_from(std::shared_ptr<ParticleRows> rows) override { source_ = std::move(rows); }
    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override;
    NextStep next_step(Moment now) override;
    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override;
    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override;
    void fetch(Particles& particles) override;
    ParticleRows* rows(Particles&) override { return this; }
    Diagnostics diagnose(Particles& particles, LagrangianRadii which, double time) override;
    void keep_alone() override { is_alone_ = true; }
    void gather(Particles& particles, std::span<const Index> which, const Vec3<double>& origin,
                std::span<MovingPoint> into) override;
    void exchange(Archive& archive, Particles& particles) override;
    void put_into(std::shared_ptr<const ExternalField> field) override;
    const Leapfrog* leapfrog() const override { return &run_.leapfrog(); }
    const SolverOptions& forces() const override { return options_; }
    std::string device() const override;

private:
    bool are_here() const override { return is_fetched_; }
    std::size_t most() const override { return rows_of_block; }
    std::span<const Vec3<double>> vectors(Column column, const RowsAsked& rows) override
    {
        return bring(column, rows, vectors_[std::size_t(column)]);
    }
    std::span<const double> reals(Column column, const RowsAsked& rows) override
    {
        return bring(column, rows, reals_[std::size_t(column)]);
    }

    template <auto Call, class... Argument>
    auto lead(RankRun::Bytes given, const Argument&... arguments);
    template <class T>
    void deal(Column column, std::size_t first, std::span<const T> values);
    void deal(Column column, ParticleRows& rows, std::size_t count);
    void deal(const Particles& particles, ParticleRows& rows, Moment now);
    void deal_lasting(const Particles& particles);
    template <class T>
    std::span<const T> bring(Column column, const RowsAsked& rows, std::vector<T>& into);
    void note_change(Particles& particles, Quantities quantities);

    SolverOptions options_; ///< resolved on rank 0
    Communicator& ranks_;
    RankRun run_;
    std::shared_ptr<ParticleRows> source_; ///< begin_from()
    bool has_begun_ = false;               ///< start() or exchange() was called
    bool is_fetched_ = true;               ///< the caller's particles are current
    bool has_potentials_ = false;          ///< the last evaluation computed them
    bool is_alone_ = false;                ///< keep_alone()
    std::array<std::vector<Vec3<double>>, vector_columns> vectors_; ///< rows of the last request
    std::array<std::vector<double>, moving_columns> reals_;         ///< "
};

} // namespace chamomile
