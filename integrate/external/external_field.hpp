/// \file  External potentials, in addition to the particles' gravity.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/force/pairs/jerk_solver.hpp"
#include "chamomile/integrate/external/potential.hpp"

namespace chamomile {

/// An ExternalField is a sum of potentials. Particles do not act on the field.
class ExternalField {
public:
    ExternalField() = default;
    /// Throws Error(usage), beginning with `option`, for too many potentials or two rotations.
    ExternalField(std::vector<Potential> potentials, const std::string& option);

    const std::vector<Potential>& potentials() const { return potentials_; }

    /// Adds accelerations and potentials, unless one is empty, of the particles `active` (empty:
    /// all) at `time`. Entry i belongs to particle i.
    void add(double time, std::span<const Vec3<double>> position, std::span<const Index> active,
             std::span<Vec3<double>> acceleration, std::span<double> potential) const;

    /// Adds accelerations, jerks and potentials of the sources `active`. Entry k belongs to
    /// active[k].
    void add(double time, std::span<const MovingSource> sources, std::span<const Index> active,
             std::span<JerkSum> sums) const;

    /// Sets tidal_time() of the particles `active` (empty: all) at `time`. Entry i belongs to
    /// particle i. Functions have no tide.
    void tidal_times(double time, std::span<const Vec3<double>> position,
                     std::span<const Index> active, std::span<double> times) const;

    /// Returns the formulas at `time`: all potentials if has_formulas().
    ExternalTerms terms_at(double time) const;

    /// Returns the turn of the frame in the time `length`; nothing without rotation.
    std::optional<FrameTurn> turn(double length) const;
    /// Returns the potential of the centrifugal force, a part of Jacobi's energy.
    double centrifugal(const Vec3<double>& position) const
    {
        return -0.5 * rate_ * rate_ * (position.x * position.x + position.y * position.y);
    }

    /// Returns G times the typical masses of the potentials at `time`.
    double GM(double time) const;

    bool has_formulas() const { return !has_texts_ && !has_functions_; }
    bool has_functions() const { return has_functions_; } ///< functions have no jerks
    bool rotates() const { return rate_ != 0; }
    /// Returns the first potential without a zero at infinity; empty: none.
    std::string without_zero() const;
    /// Returns the first potential that may violate energy conservation, with the reason; empty:
    /// none.
    std::string without_energy() const;

    /// Throws Error(usage) for an orbit that does not cover start to end.
    void require_times(double start, double end) const;

    /// Returns the potentials in the form of --potential, with all numbers in use.
    std::string description() const;

private:
    void add_functions(double time, std::span<const Vec3<double>> position,
                       std::span<const Index> active, std::span<Vec3<double>> acceleration,
                       std::span<double> potential) const;

    std::vector<Potential> potentials_;
    bool has_texts_ = false, has_functions_ = false;
    double rate_ = 0;
};

/// The steps and boundaries with which a field is used.
struct FieldUse {
    bool in_box = false;            ///< or comoving
    bool without_softening = false; ///< for steps that vary
    bool on_device = false;         ///< particles must be on a GPU
    bool by_jerks = false;          ///< Hermite's scheme
};

/// Returns the reason against this use of a field.
Refusal refusal(const ExternalField& field, const FieldUse& use);

/// Reads an external field from texts, like read_potentials(). Null without texts.
std::shared_ptr<const ExternalField>
read_external_field(const std::string& option, const std::vector<std::string>& texts,
                    const UnitFrame& frame, double gravitational_constant, PotentialFiles& files);

} // namespace chamomile
