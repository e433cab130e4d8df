/// \file  Conversion between comoving files (peculiar velocities) and runs (canonical momenta).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/cosmology/background.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/particle_reader.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A CosmologyRequest holds the options of a cosmological run.
struct CosmologyRequest {
    bool asked = false; ///< set by --cosmology or a related option
    std::optional<double> omega_matter, omega_lambda, omega_radiation, w0, wa, hubble;
    std::optional<double> end_scale_factor, end_redshift;
    std::vector<double> output_scale_factors, output_redshifts;
    double longest_step = 0.025; ///< in ln a
    std::optional<double> physical_softening;
};

/// Returns the output times in ln a; empty: at intervals.
std::vector<double> listed_outputs(const CosmologyRequest& request);

/// Completes the file's background from the options. Requires comoving coordinates, a box, and a
/// total mass that matches Omega_m. Throws Error(input).
void set_background(const CosmologyRequest& request, const std::string& file, Snapshot& state);

/// Converts peculiar velocities to momenta p = a v, and wraps positions into the box. Includes
/// particles left in their file.
void make_canonical(Snapshot& state);

/// Returns the clock of the background, or Newton's clock (not owned) for a plain run.
std::shared_ptr<const Clock> clock_of(const CosmologyRequest& request, const Snapshot& state);

/// Returns the background stated by a file.
Background background_of(const ComovingFrame& frame);

/// Returns "density: 0.31 of the critical one, but Omega_m is 0.3".
std::string density_text(const Snapshot& state);
/// Adds density_text() as a note if the density of a comoving box is not Omega_m within 0.1 %.
void set_density(Snapshot& state);
/// Returns "Omega_m 0.3, Omega_Lambda 0.7, h 0.7".
std::string background_text(const ComovingFrame& frame);
/// Returns "from a = 0.02, z = 49 to a = 1, z = 0" for times in ln a.
std::string epochs_text(double start, double end);

/// Converts canonical momenta to peculiar velocities at the snapshot's scale factor.
void make_peculiar(Snapshot& state);

/// ScaledVelocities multiplies a snapshot's velocities in place during its lifetime, then restores
/// them bitwise.
class ScaledVelocities {
public:
    ScaledVelocities(Snapshot& state, double factor);
    ~ScaledVelocities();
    ScaledVelocities(const ScaledVelocities&) = delete;
    ScaledVelocities& operator=(const ScaledVelocities&) = delete;

private:
    std::vector<Vec3<double>>& velocity_;
    std::vector<Vec3<double>> kept_; ///< empty if the factor is 1
};

/// PeculiarVelocities converts canonical momenta of a comoving snapshot to peculiar velocities.
class PeculiarVelocities : public ScaledVelocities {
public:
    explicit PeculiarVelocities(Snapshot& state);
};

/// PeculiarRows are rows of a run. If it is comoving and they live on ranks, PeculiarRows convert
/// momenta to peculiar velocities; on the host PeculiarVelocities converts them.
class PeculiarRows final : public ParticleReader {
public:
    /// Keeps a reference to the rows.
    PeculiarRows(ParticleReader& rows, const Snapshot& state)
        : rows_(rows),
          factor_(state.comoving && !rows.is_on_host() ? 1 / state.comoving->scale_factor : 1)
    {}

    double factor() const { return factor_; } ///< of velocities
    bool is_on_host() const override { return rows_.is_on_host(); }
    std::size_t max() const override { return rows_.max(); }
    std::span<const Vec3<double>> read_vectors(Column value, const RowSelection& rows) override;
    std::span<const double> read_scalars(Column value, const RowSelection& rows) override
    {
        return rows_.read_scalars(value, rows);
    }
    std::span<const std::uint64_t> read_ids(const RowSelection& rows) override
    {
        return rows_.read_ids(rows);
    }

private:
    ParticleReader& rows_;
    double factor_;
    std::vector<Vec3<double>> velocities_;
};

} // namespace chamomile
