#include "chamomile/run/begin.hpp"

#include <cmath>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/file_rows.hpp"

namespace chamomile {

double start_of(const CosmologyRequest& cosmology, const Snapshot& state)
{
    return cosmology.asked ? std::log(state.time) : state.time;
}

std::shared_ptr<const Clock> begin_clock(const CosmologyRequest& cosmology,
                                         const std::string& source, const SolverOptions& forces,
                                         const GivenOptions& given, Snapshot& state)
{
    if (cosmology.asked) {
        set_background(cosmology, source, state);
        if (given.contains("box") && contradicts_box(forces.box, state))
            throw Error(Fault::usage, "{box}: " + number_text(forces.box) +
                                          ": must be the box of the file in a cosmological run, " +
                                          number_text(state.box_size));
    }
    return clock_of(cosmology, state);
}

void begin_field(Scheme& scheme, std::shared_ptr<const ExternalField> field,
                 const SimulationOptions& time)
{
    scheme.field = std::move(field);
    if (scheme.field)
        scheme.field->require_times(time.start_time, time.end_time);
}

Refusal refuse_energy_limit(const RunSettings& settings, const ExternalField* field)
{
    const std::string why = field && settings.max_energy_error ? field->without_energy() : "";
    if (why.empty())
        return {};
    return "{max-energy-error}: contradicts {potential} " + why + ": energy is not conserved";
}

TimeLoop begin_loop(const SolverOptions& forces, const Scheme& scheme,
                    std::shared_ptr<const Clock> clock, Snapshot& state,
                    const SimulationOptions& time)
{
    TimeLoop loop{std::move(clock), {}, nullptr};
    loop.made = make_integrator(forces, scheme, *loop.clock);
    Integrator& integrator = *loop.made.integrator;
    if (state.deferred && !integrator.rows(state.particles)) // they do not live on ranks
        load_deferred(state);
    if (state.deferred)
        integrator.begin_from(std::exchange(state.deferred, nullptr));
    loop.simulation =
        std::make_unique<Simulation>(state.particles, integrator, time.start_time, time.end_time);
    return loop;
}

} // namespace chamomile
