/// \file  A GRAPE-6 cluster: memory for j-particles (sources) with a predictor, and pipelines for
/// forces, jerks and neighbours.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/interfaces/pair_door.hpp"

namespace chamomile {

/// A JParticle is a loaded particle: a2 = acceleration / 2, j6 = jerk / 6, s18 = snap / 18, at time
/// t.
struct JParticle {
    int id = 0;
    bool loaded = false;
    double t = 0, mass = 0;
    Vec3<double> x, v, a2, j6, s18;
};

/// IParticles holds the targets of one call. Sources with the target's id are excluded.
struct IParticles {
    std::size_t count = 0;
    const int* id = nullptr;
    const double (*x)[3] = nullptr;
    const double (*v)[3] = nullptr;
    double eps2 = 0;
    const double* h2 = nullptr; ///< squares of neighbour radii; null: no lists
};

/// ForceResults holds the output arrays of a call.
struct ForceResults {
    double (*acceleration)[3] = nullptr;
    double (*jerk)[3] = nullptr;
    double* potential = nullptr; ///< negative
    int* nearest = nullptr;      ///< id of the nearest source, -1: none; null: not wanted
    float* distance = nullptr;   ///< to the nearest source; null: not wanted
};

/// A NeverMade reports a cluster that was never opened, or particles that were never loaded. A
/// program may miss this error if it does not check the results.
struct NeverMade : Error {
    explicit NeverMade(const std::string& line) : Error(Fault::usage, line) {}
};

/// A Cluster throws Error for values out of range or non-finite, and for calls out of order. It has
/// a member for each register of the boards.
class Cluster {
public:
    static constexpr std::size_t max_sources = 1 << 24;

    void load(int address, const JParticle& particle);
    void set_time(double t);
    /// Predicts the particles at addresses below nj for the current time, unless done already.
    void predict(int nj);
    /// Sums the forces of sources below nj, as last predicted.
    void sum(int nj, const IParticles& targets, const ForceResults& results);
    /// Returns the ids of sources within the radius of target i of the last sum, ascending. The
    /// first call finds the neighbours of all targets.
    const std::vector<int>& neighbours(int i);
    void find_neighbours();
    void forget_results() { lists_known_ = has_targets_ = false; }

    std::mutex mutex;
    bool faulty = false; ///< a load failed

private:
    using Source = GravityJerk::Source<double>;
    struct Place {
        double x[3], h2;
        int id;
    };

    void sort_ids();
    void exclude_own(std::size_t nj, const IParticles& targets);
    void mend(std::span<const GravityJerk::Target<double>> targets, std::span<const Source> sources,
              double eps, std::span<GravityJerk::Sum<double>> sums) const;
    void split_places();
    void find_nearest(const ForceResults& results);

    std::vector<JParticle> particles_;

    double time_ = 0;
    std::size_t predicted_ = 0; ///< addresses below are in sources_
    bool current_ = false;      ///< predicted for the current time and particles
    bool same_ids_ = false;     ///< ids unchanged since ids_ was filled, all loaded
    std::vector<Source> sources_;
    std::vector<int> ids_;                              ///< of sources_
    std::vector<std::pair<int, std::uint32_t>> sorted_; ///< ids_ with addresses
    bool ids_sorted_ = false;
    std::vector<double> x_, y_, z_; ///< positions of sources_, by component
    bool split_ = false;

    std::vector<std::uint64_t> excluded_begin_; ///< per target: range in excluded_
    std::vector<std::uint32_t> excluded_;

    bool has_targets_ = false, has_radii_ = false, lists_known_ = false;
    std::size_t seen_ = 0; ///< sources of the last sum
    std::vector<Place> places_;
    std::vector<std::vector<int>> lists_;

    KeptSolver<GravityJerk> solver_;
};

} // namespace chamomile
