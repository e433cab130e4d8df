/// \file  An AMUSE community code without AMUSE: particles by number, parameters, phases, evolution
/// to exact times, field at any points. G = 1.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "chamomile/force/field.hpp"
#include "chamomile/force/pairs/pair_solver.hpp"
#include "chamomile/integrate/diagnostics.hpp"
#include "chamomile/integrate/scheme.hpp"

namespace chamomile {

/// GravityParameters holds the parameters that AMUSE sets.
struct GravityParameters {
    double eps2 = 0; ///< square of the Plummer softening
    double time_step = 1.0 / 64;
    double begin_time = 0;
    double tolerance = 0.001;            ///< for the tree's acceptance criterion
    double eta = 0.01;                   ///< for Hermite steps
    std::string integrator = "leapfrog"; ///< or hermite, with direct sums
    std::string solver = "tree";         ///< or direct
    std::string device = "auto";         ///< cpu, gpu, gpu:1
    std::string precision = "float";     ///< or double
    /// All other options by name: force options (force/option_table.hpp) and time integration
    /// (integrate/scheme.hpp).
    std::map<std::string, std::string> others = {};
};

/// A ParticleState is a particle in AMUSE's terms.
struct ParticleState {
    double mass = 0;
    Vec3<double> position, velocity;
    double radius = 0;
};

/// StopLimits holds the enabled stopping conditions of an evolution.
struct StopLimits {
    bool collisions = false;                 ///< distance below the sum of radii
    std::optional<double> seconds = {};      ///< of wall-clock time
    std::optional<std::uint64_t> steps = {}; ///< in this evolution
    std::optional<double> box = {};          ///< max distance of a particle
    bool box_about_center_of_mass = true;    ///< false: about the origin
};

enum class StopKind { collision, timeout, number_of_steps, out_of_box };
/// A Stop is a stopping condition that was met, with its particles: two for a collision, one for
/// out of box, otherwise none.
struct Stop {
    StopKind kind;
    std::vector<int> particles;
};

/// The particles, parameters and phases of an AMUSE code. Each failing call throws Error: usage for
/// a call out of order or an unknown particle. Its many members are AMUSE's parameters and stopping
/// conditions.
class GravityCode {
public:
    /// Take effect at commit_parameters().
    GravityParameters parameters;
    /// Sets one of GravityParameters::others. Throws Error(usage) for an unknown name or value.
    void set_option(const std::string& name, const std::string& value);
    /// Makes the solvers. May be called again at any time, and does not change particles.
    void commit_parameters();

    /// Adds a particle and returns its number. Numbers are never reused.
    int add(const ParticleState& state);
    void remove(int number);
    ParticleState state(int number) const;
    void set_state(int number, const ParticleState& state);
    /// Softening length of a particle: sqrt(eps2) until set_softening(). A pair uses the larger
    /// length, unless the option softening_rule differs.
    double softening(int number) const;
    void set_softening(int number, double length);
    std::size_t size() const { return numbers_.size(); }
    int first_number() const;
    int next_number(int number) const;

    /// Must be called after adding, removing or changing particles, before any computation.
    void commit_particles();

    /// Evolves exactly to t, or to the end of the first step in which a condition is met.
    std::vector<Stop> evolve(double t, const StopLimits& limits = {});
    double time() const { return time_; }
    double step_length() const { return step_length_; } ///< of the last step, or the fixed one

    Vec3<double> acceleration(int number);
    double potential(int number); ///< due to all other particles, negative
    double kinetic_energy() const { return sums().kinetic; }
    double potential_energy();
    double mass() const { return sums().mass; }
    Vec3<double> center_of_mass() const { return sums().center_of_mass; }
    Vec3<double> center_of_mass_velocity() const;
    double radius() const; ///< max distance of a particle from the center of mass

    struct Points {
        std::size_t count;
        /// Softening lengths, combined in quadrature with eps2 of the code. With per-particle
        /// softening, the rule for pairs applies.
        const double *eps, *x, *y, *z;
    };
    /// Computes the field of all particles at points. Null results are skipped.
    void field(const Points& points, double* ax, double* ay, double* az, double* phi);

private:
    struct KeptField {
        std::unique_ptr<FieldSolver> solver;
        std::uint64_t generation = 0;
    };
    enum class Phase { no_parameters, editing, running, changed };

    IntegratorOptionsReader scheme() const; ///< resolved, from the parameters
    std::size_t index(int number) const;
    enum class Change { motion, forces };
    void changed(Change change);
    void require_running() const;
    void start();
    void set_softenings();
    void update_potentials();
    Diagnostics sums() const; ///< 0 if no particle has a mass
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
    std::vector<double> own_softening_; ///< < 0: use the parameters
    std::vector<int> numbers_;          ///< of the particles, ascending
    std::unordered_map<int, std::size_t> index_;
    int next_ = 0;

    IntegratorOptionsReader keyed_; ///< from the committed parameters
    IntegratorWithSolver made_;
    std::unique_ptr<PairSolver> pairs_;
    std::map<double, KeptField> fields_; ///< per eps^2
    std::uint64_t generation_ = 1;       ///< of positions and masses

    double time_ = 0, step_length_ = 0;
    std::uint64_t step_ = 0;
    bool started_ = false;        ///< the integrator has these particles
    bool has_potentials_ = false; ///< accelerations and potentials are current
};

} // namespace chamomile
