#include "app/models/particle_source.hpp"

#include "app/command_files.hpp"
#include "app/models/built_in_model.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/io/models/plummer.hpp"
#include "chamomile/io/particle_check.hpp"

namespace chamomile::app {

void add_particle_source(Options& options, ParticleSource& source)
{
    options.positional("FILE", source.file, "a snapshot; built-in models if none", Need::optional);
    options.group("Particles without a FILE");
    options.texts("model", "MODEL,...", source.models, "of " + built_in_model_names(),
                  built_in_models());
    options.numbers("particles,n", source.numbers, between(1, 4294967294), "their numbers");
    options.number("seed", source.seed, not_negative, "of its random numbers");
}

void require_one_source(const Options& options, const ParticleSource& source)
{
    record_input(source.file);
    for (const char* option : {"model", "particles", "seed"})
        if (!source.file.empty() && options.given(option))
            throw Error(Fault::usage, std::string("--") + option + ": contradicts the file " +
                                          source.file + "; give one");
}

void visit_particles(const ParticleSource& source,
                     const std::function<void(const std::string& name, Snapshot& snapshot)>& visit)
{
    if (!source.file.empty()) {
        Snapshot snapshot = read_particles(source.file);
        require_particles(snapshot.particles, source.file);
        return visit(source.file, snapshot);
    }
    for (const std::string& model : source.models)
        for (std::uint64_t n : source.numbers) {
            Snapshot snapshot =
                model == "plummer"
                    ? make_plummer({.particles = n, .seed = source.seed, .exact_energy_limit = 0})
                    : make_built_in_model(model, n, source.seed);
            visit(model, snapshot);
        }
}

} // namespace chamomile::app
