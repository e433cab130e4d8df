// Options for a field, from an accuracy goal.
#include "chamomile/core/error.hpp"
#include "chamomile/force/field.hpp"

namespace chamomile {

SolverOptions options_for(const FieldSources& sources, const SolverOptions& options)
{
    if (!options.accuracy)
        return options;
    if (sources.position.on_device || sources.mass.on_device)
        throw Error(Fault::usage, "accuracy: sources are on the GPU: must be on the host");
    Particles particles;
    particles.resize(sources.count);
    for (std::size_t i = 0; i < sources.count; ++i) {
        particles.position[i] = sources.position.load_vector(i);
        particles.mass[i] = sources.mass.load(i);
    }
    if (sources.softening)
        for (std::size_t i = 0; i < sources.count; ++i)
            particles.softening.push_back(sources.softening.load(i));
    const auto chooser = make_solver(options);
    chooser->solve(particles, Quantities::acceleration);
    SolverOptions found = chooser->options();
    found.accuracy.reset();
    return found;
}

} // namespace chamomile
