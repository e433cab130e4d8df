/// \file  External potentials: what acts on particles beside their own gravity.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/integrate/external/potential.hpp"
#include "chamomile/pairs/jerk_solver.hpp"

namespace chamomile {

/// An ExternalField is a sum of potentials. Masses of particles do not act on it.
class ExternalField {
public:
    ExternalField() = default;
    /// Throws Error(usage) that begins with `option` for more potentials than fit, or two
    /// rotations.
    ExternalField(std::vector<Potential> potentials, const std::string& option);

    const std::vector<Potential>& potentials() const { return potentials_; }

    /// Adds accelerations, and potentials unless that is empty, of the particles `active` (empty:
    /// all) at that time. Entry i belongs to particle i.
    void add(double time, std::span<const Vec3<double>> position, std::span<const Index> active,
             std::span<Vec3<double>> acceleration, std::span<double> potential) const;

    /// Adds accelerations, jerks and potentials of the sources `active`; entry k belongs to
    /// active[k].
    void add(double time, std::span<const MovingSource> sources, std::span<const Index> active,
             std::span<JerkSum> sums) const;

    /// Returns the shortest time in which the field changes along any way at that place: the tidal
    /// tensor's norm to the power of -1/2.
    double shortest_time(double time, const MovingSource& at) const;

    /// Returns the formulas at that time, which are all potentials where has_formulas().
    ExternalTerms terms_at(double time) const;

    /// Returns the turn of the frame in that length of time; none where it does not rotate.
    std::optional<FrameTurn> turn(double length) const;
    /// Returns the potential of the centrifugal force, which belongs to Jacobi's energy.
    double centrifugal(const Vec3<double>& position) const
    {
        return -0.5 * rate_ * rate_ * (position.x * position.x + position.y * position.y);
    }

    /// Returns G times the masses that are typical of its potentials at that time.
    double GM(double time) const;

    bool has_formulas() const { return !has_texts_ && !has_functions_; }
    bool has_functions() const { return has_functions_; } ///< which have no jerks
    bool rotates() const { return rate_ != 0; }
    bool has_potentials() const; ///< and not only a rotation
    /// Returns the first potential that is not zero at infinity; empty: there is none.
    std::string without_zero() const;
    /// Returns the first potential because of which energy is not known to be kept, with the
    /// reason; empty: there is none.
    std::string without_energy() const;

    /// Throws Error(usage) that begins with `option` for an orbit that does not reach from start to
    /// end.
    void require_times(double start, double end, const std::string& option) const;

    /// Returns the potentials in words, each with its numbers in use.
    std::vector<std::string> descriptions() const;

private:
    template <class Each>
    void for_each_text(double time, const Each& each) const;
    void add_functions(double time, std::span<const Vec3<double>> position,
                       std::span<const Index> active, std::span<Vec3<double>> acceleration,
                       std::span<double> potential) const;

    std::vector<Potential> potentials_;
    bool has_texts_ = false, has_functions_ = false;
    double rate_ = 0;
};

/// A FieldUse says for what steps and boundaries a field is wanted.
struct FieldUse {
    bool in_box = false;       ///< or comoving
    bool by_potential = false; ///< steps follow StepCriterion::potential
    bool on_device = false;    ///< particles must live on a GPU
    bool by_jerks = false;     ///< Hermite's scheme
};

/// Returns why the field cannot be used so.
Refusal refusal(const ExternalField& field, const FieldUse& use);

/// Reads an external field from texts as read_potential() does; null where there are none.
std::shared_ptr<const ExternalField>
read_external_field(const std::string& option, const std::vector<std::string>& texts,
                    const UnitFrame& frame, double gravitational_constant, PotentialFiles& files);

} // namespace chamomile
