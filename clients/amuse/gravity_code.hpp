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

struct GravityParameters {
    double eps2 = 0; ///< square of the Plummer softening
    double time_step = 1.0 / 64;
    double begin_time = 0;
    double tolerance = 0.001;            ///< of the tree
    double eta = 0.01;                   ///< of Hermite's steps
    std::string integrator = "leapfrog"; ///< or hermite, whose sums are direct
    std::string solver = "tree";         ///< or direct
    std::string device = "auto";         ///< cpu, gpu, gpu:1
    std::string precision = "float";     ///< or double
    /// All others by name: those of forces and of time integration (force/option_table.hpp,
    /// integrate/scheme.hpp).
    std::map<std::string, std::string> others = {};
};

struct ParticleState {
    double mass = 0;
    Vec3<double> position, velocity;
    double radius = 0;
};

/// What ends an evolution early, where it is looked for.
struct StopLimits {
    bool collisions = false;                 ///< two particles nearer than the sum of their radii
    std::optional<double> seconds = {};      ///< of wall clock
    std::optional<std::uint64_t> steps = {}; ///< of this evolution
    std::optional<double> box = {};          ///< distance of a particle
    bool box_about_center_of_mass = true;    ///< or about the origin
};

enum class StopKind { collision, timeout, number_of_steps, out_of_box };
/// With the particles it is about: two, none, or one.
struct Stop {
    StopKind kind;
    std::vector<int> particles;
};

/// Every call throws Error: usage for one out of order or an unknown particle.
class GravityCode {
public:
    /// Kept until committed.
    GravityParameters parameters;
    /// Puts one of GravityParameters::others. Throws Error(usage) for a name or value that none
    /// has.
    void set_option(const std::string& name, const std::string& value);
    /// Makes the solvers; again at any time, which changes no particle.
    void commit_parameters();

    /// The number of a new particle; numbers are not used again.
    int add(const ParticleState& state);
    void remove(int number);
    ParticleState state(int number) const;
    void set_state(int number, const ParticleState& state);
    std::size_t size() const { return numbers_.size(); }
    int first_number() const;
    int next_number(int number) const;

    /// After particles were added, removed or changed; before anything is computed.
    void commit_particles();

    /// Ends at t exactly, or at the end of the step in which a limit was met.
    std::vector<Stop> evolve(double t, const StopLimits& limits = {});
    double time() const { return time_; }
    double step_length() const { return step_length_; } ///< of the last step, or the fixed one

    Vec3<double> acceleration(int number);
    double potential(int number); ///< of all others, negative
    double kinetic_energy() const;
    double potential_energy();
    double mass() const;
    Vec3<double> center_of_mass() const;
    Vec3<double> center_of_mass_velocity() const;
    double radius() const; ///< of the farthest particle from the centre of mass

    struct Points {
        std::size_t count;
        const double *eps, *x, *y, *z; ///< eps^2 is added to that of the code
    };
    /// Of all particles, at points; what is null is not computed.
    void field(const Points& points, double* ax, double* ay, double* az, double* phi);

private:
    struct KeptField {
        std::unique_ptr<FieldSolver> solver;
        std::uint64_t generation = 0;
    };
    enum class Phase { no_parameters, editing, running, changed };

    KeyedScheme scheme() const; ///< of the parameters, settled
    std::size_t index(int number) const;
    enum class Change { motion, forces };
    void changed(Change change);
    void require_running() const;
    void start();
    void update_potentials();
    FieldSolver& kept_field(double eps2);
    void field_of_trees(const Points& points, const std::vector<std::size_t>& by_eps,
                        const FieldResults& results);
    void field_of_pairs(const Points& points, const FieldResults& results);
    void find_stops(const StopLimits& limits, std::uint64_t steps, double seconds,
                    std::vector<Stop>& stops);
    void find_collisions(std::vector<Stop>& stops);

    Phase phase_ = Phase::no_parameters;
    Particles particles_;
    std::vector<double> radius_;
    std::vector<int> numbers_; ///< of the particles, ascending
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
