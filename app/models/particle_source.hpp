/// \file  Particles from a snapshot or from built-in models, for `accuracy` and `bench`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// A ParticleSource is a file, or models with particle numbers.
struct ParticleSource {
    std::string file; ///< empty: the models
    std::vector<std::string> models = {"plummer"};
    std::vector<std::uint64_t> numbers = {100000};
    std::uint64_t seed = 1;
};

/// Adds FILE, --model, --particles and --seed, the models and numbers as lists.
void add_particle_source(Options& options, ParticleSource& source);

/// Throws Error(usage) if both a file and another of these options are given.
void require_one_source(const Options& options, const ParticleSource& source);

/// Calls `visit` with the file, or with each model at each particle number: name and snapshot. Does
/// not sum a Plummer sphere's energy over all pairs.
void visit_particles(const ParticleSource& source,
                     const std::function<void(const std::string& name, Snapshot& snapshot)>& visit);

} // namespace chamomile::app
