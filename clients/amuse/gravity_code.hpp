/// \file  A community code of AMUSE without AMUSE: particles by number, parameters, phases,
/// evolution to exact times, the field at any points. G = 1.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "chamomile/force/field.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/pairs/pair_solver.hpp"

namespace chamomile {

/// GravityParameters are the parameters that AMUSE sets.
struct GravityParameters {
    double eps2 = 0; ///< square of the Plummer softening
    double time_step = 1.0 / 64;
    double begin_time = 0;
    double tolerance = 0.001;            ///< of the tree's criterion
    double eta = 0.01;                   ///< of Hermite's steps
    std::string integrator = "leapfrog"; ///< or hermite, whose sums are direct
    std::string solver = "tree";         ///< or direct
    std::string device = "auto";         ///< cpu, gpu, gpu:1
    std::string precision = "float";     ///< or double
    /// All other options by name: those of forces and of time integration (force/option_table.hpp,
    /// integrate/scheme.hpp).
    std::map<std::string, std::string> others = {};
};

/// A ParticleState is a particle as AMUSE sets and gets it.
struct ParticleState {
    double mass = 0;
    Vec3<double> position, velocity;
    double radius = 0;
};

/// StopLimits are the conditions that end an evolution early, where they are set.
struct StopLimits {
    bool collisions = false;                 ///< two particles nearer than the sum of their radii
    std::optional<double> seconds = {};      ///< of wall clock
    std::optional<std::uint64_t> steps = {}; ///< in this evolution
    std::optional<double> box = {};          ///< largest distance of a particle
    bool box_about_center_of_mass = true;    ///< or about the origin
};

enum class StopKind { collision, timeout, number_of_steps, out_of_box };
/// A Stop is a condition that was met, with its particles: two for a collision, one out of the box,
/// or none.
struct Stop {
    StopKind kind;
    std::vector<int> particles;
};

/// A GravityCode throws Error with each call that fails: usage for a call out of order or an
/// unknown particle.
class GravityCode {
public:
    /// Parameters take effect when they are committed.
    GravityParameters parameters;
    /// Sets one of GravityParameters::others. Throws Error(usage) for an unknown name or value.
    void set_option(const std::string& name, const std::string& value);
    /// Makes the solvers. It may be called again at any time and changes no particle.
    void commit_parameters();

    /// Adds a particle and returns its number; numbers are not used again.
    int add(const ParticleState& state);
    void remove(int number);
    ParticleState state(int number) const;
    void set_state(int number, const ParticleState& state);
    /// A particle has the length of the parameters, sqrt(eps2), until it is given one of its own. A
    /// pair takes the larger of its two, or what the option softening_rule says.
    double softening(int number) const;
    void set_softening(int number, double length);
    std::size_t size() const { return numbers_.size(); }
    int first_number() const;
    int next_number(int number) const;

    /// Must follow after particles were added, removed or changed, and before anything is computed.
    void commit_particles();

    /// Evolves to t exactly, or to the end of the step in which a condition was met.
    std::vector<Stop> evolve(double t, const StopLimits& limits = {});
    double time() const { return time_; }
    double step_length() const { return step_length_; } ///< of the last step, or the fixed one

    Vec3<double> acceleration(int number);
    double potential(int number); ///< of all other particles, negative
    double kinetic_energy() const;
    double potential_energy();
    double mass() const;
    Vec3<double> center_of_mass() const;
    Vec3<double> center_of_mass_velocity() const;
    double radius() const; ///< of the farthest particle from the centre of mass

    struct Points {
        std::size_t count;
        /// eps^2 is added to that of the code; where particles have lengths of their own, that of a
        /// pair follows the rule.
        const double *eps, *x, *y, *z;
    };
    /// Computes the field of all particles at points; results with a null pointer are left out.
    void field(const Points& points, double* ax, double* ay, double* az, double* phi);

private:
    struct KeptField {
        std::unique_ptr<FieldSolver> solver;
        std::uint64_t generation = 0;
    };
    enum class Phase { no_parameters, editing, running, changed };

    KeyedScheme scheme() const; ///< resolved, from the parameters
    std::size_t index(int number) const;
    enum class Change { motion, forces };
    void changed(Change change);
    void require_running() const;
    void start();
    void take_softenings();
    void update_potentials();
    FieldSolver& kept_field(double eps2);
    void field_of_trees(const Points& points, const std::vector<std::size_t>& by_eps,
                        const FieldResults& results);
    void field_of_pairs(const Points& points, const FieldResults& results);
    void field_of_own_softenings(const Points& points, const FieldResults& results);
    void find_stops(const StopLimits& limits, std::uint64_t steps, double seconds,
                    std::vector<Stop>& stops);
    void find_collisions(std::vector<Stop>& stops);

    Phase phase_ = Phase::no_parameters;
    Particles particles_;
    std::vector<double> radius_;
    std::vector<double> own_softening_; ///< below 0: that of the parameters
    std::vector<int> numbers_;          ///< of the particles, ascending
    std::unordered_map<int, std::size_t> index_;
    int next_ = 0;

    KeyedScheme keyed_; ///< of the committed parameters
    Integration made_;
    std::unique_ptr<PairSolver> pairs_;
    std::map<double, KeptField> fields_; ///< by eps^2
    std::uint64_t generation_ = 1;       ///< of positions and masses

    double time_ = 0, step_length_ = 0;
    std::uint64_t step_ = 0;
    bool started_ = false;        ///< the integrator knows these particles
    bool has_potentials_ = false; ///< and accelerations
};

} // namespace chamomile
