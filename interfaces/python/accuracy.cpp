// Errors of a solver's forces against direct sums in double.
#include "chamomile/core/error.hpp"
#include "chamomile/force/accuracy/exact_sums.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/field.hpp"
#include "interfaces/python/array.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/faults.hpp"
#include "interfaces/python/options.hpp"

namespace chamomile::python {
namespace {

nb::dict in_percentiles(const Percentiles& p)
{
    nb::dict d;
    d["rms"] = p.rms;
    d["median"] = p.median;
    d["p90"] = p.p90;
    d["p99"] = p.p99;
    d["p999"] = p.p999;
    d["max"] = p.max;
    return d;
}

nb::dict accuracy(nb::handle positions, nb::handle masses, nb::handle softenings,
                  std::int64_t sample, nb::dict keywords)
{
    require_own_threads();
    if (sample < 1)
        throw Error(Fault::usage, "sample: " + std::to_string(sample) + ": must be 1 or more");
    const Array position(positions, "positions", 3, Array::Access::read);
    const Array mass(masses, "masses", 1, Array::Access::read, position.count(), "positions");
    Array softening;
    if (!softenings.is_none())
        softening =
            Array(softenings, "softenings", 1, Array::Access::read, position.count(), "positions");
    if (position.gpu() >= 0 || mass.gpu() >= 0 || softening.gpu() >= 0)
        throw Error(
            Fault::usage,
            "accuracy: arrays are on the GPU: must be on the host, for direct sums in double");
    if (position.count() == 0)
        throw Error(Fault::input, "positions: none: must be at least one particle");
    KeyedOptions keyed = read_options(keywords);
    keyed.set_softenings(bool(softening));
    const SolverOptions& options = keyed.options;
    ForceErrors errors;
    std::size_t targets = 0;
    {
        const Released released;
        Particles particles;
        particles.resize(position.count());
        particles.softening.resize(softening.count());
        for (std::size_t i = 0; i < particles.size(); ++i) {
            particles.id[i] = i;
            particles.mass[i] = mass.view().load(i);
            particles.position[i] = position.view().load_vector(i);
            if (softening)
                particles.softening[i] = softening.view().load(i);
        }
        make_solver(options)->solve(particles, Quantities::acceleration_potential);
        const std::vector<Index> chosen = sample_targets(particles.size(), std::size_t(sample));
        targets = chosen.size();
        Particles summed = particles;
        errors = force_errors(particles, exact_sums(summed, chosen, options), chosen);
    }
    nb::dict d;
    d["acceleration"] = in_percentiles(errors.acceleration);
    d["scaled"] = in_percentiles(errors.scaled);
    d["potential"] = in_percentiles(errors.potential);
    d["worst"] = errors.worst;
    d["targets"] = targets;
    return d;
}

} // namespace

void bind_accuracy(nb::module_& m)
{
    m.def("accuracy", &accuracy, nb::arg("positions").none(), nb::arg("masses").none(),
          nb::arg("softenings").none(), nb::arg("sample"), nb::arg("options"));
}

} // namespace chamomile::python
