/// \file  A leapfrog on all ranks for a caller on rank 0.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/integrate/ranks/led_particles.hpp"

namespace chamomile {

/// A LedIntegrator executes each call of a leapfrog on all ranks. The caller, on rank 0, passes all
/// particles; other ranks run serve_particles(). Results match a single rank's bitwise.
class LedIntegrator final : public Integrator, private ParticleReader {
public:
    /// `options.ranks` must be set; the clock is Newton's or comoving. Throws like
    /// DistributedSolver and Leapfrog.
    LedIntegrator(const SolverOptions& options, const RankSteps& steps,
                  const Clock& clock = Clock::newtonian());

    void begin_from(std::shared_ptr<ParticleReader> rows) override { source_ = std::move(rows); }
    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override;
    NextStep next_step(Moment now) override;
    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override;
    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override;
    void fetch(Particles& particles) override;
    ParticleReader* rows(Particles&) override { return this; }
    Diagnostics diagnose(Particles& particles, LagrangianRadii which, double time) override;
    SampledErrors sample_errors(Particles&, std::size_t targets, Quantities quantities,
                                double time) override;
    void release_host_copy() override { is_alone_ = true; }
    void gather(Particles& particles, std::span<const GlobalIndex> which,
                std::span<PhasePoint> into) override;
    void exchange(Archive& archive, Particles& particles) override;
    void put_into(std::shared_ptr<const ExternalField> field) override;
    LedParticles* led() override { return &led_; }
    void record_crossings(LightCone cone) override;
    std::vector<Crossing> take_crossings() override;
    const LightCone* light_cone() const override { return leapfrog()->light_cone(); }
    const Clock& clock() const override { return leapfrog()->clock(); }
    const Leapfrog* leapfrog() const override { return &led_.run().leapfrog(); }
    const SolverOptions& forces() const override { return options_; }
    std::string device() const override;

private:
    bool is_on_host() const override { return is_fetched_; }
    std::size_t max() const override { return led_.max(); }
    std::span<const Vec3<double>> read_vectors(Column column, const RowSelection& rows) override
    {
        return led_.read_vectors(column, rows);
    }
    std::span<const double> read_scalars(Column column, const RowSelection& rows) override
    {
        return led_.read_scalars(column, rows);
    }
    std::span<const std::uint64_t> read_ids(const RowSelection& rows) override
    {
        return led_.read_ids(rows);
    }

    template <auto Call, class... Argument>
    auto lead(RankRun::Bytes given, const Argument&... arguments);
    void scatter(const Particles& particles, ParticleReader& rows, Moment now);
    void record_change(Particles& particles, Quantities quantities);
    void drop_columns(Particles& particles) const;

    SolverOptions options_; ///< resolved on rank 0
    LedParticles led_;
    std::shared_ptr<ParticleReader> source_; ///< begin_from()
    bool has_begun_ = false;                 ///< start() or exchange() was called
    bool is_fetched_ = true;                 ///< the caller's particles are current
    bool has_potentials_ = false;            ///< the last evaluation computed them
    bool is_alone_ = false;                  ///< release_host_copy()
};

} // namespace chamomile
