// Errors of a solver's forces, and of another code's, against direct sums in double.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/softening.hpp"
#include "chamomile/force/accuracy/exact_sums.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/accuracy/judge.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/run/texts/judge_text.hpp"
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

nb::dict in_errors(const ForceErrors& errors)
{
    nb::dict d;
    d["acceleration"] = in_percentiles(errors.acceleration);
    d["scaled"] = in_percentiles(errors.scaled);
    d["potential"] = in_percentiles(errors.potential);
    d["worst"] = errors.worst;
    return d;
}

/// Arguments common to accuracy() and judge(): particles on the host, sample and options.
class Measured {
public:
    Measured(const char* name, nb::handle positions, nb::handle masses, nb::handle softenings,
             std::int64_t sample, nb::dict keywords)
        : position_(positions, "positions", 3, Array::Access::read)
    {
        require_own_threads();
        if (sample < 1)
            throw Error(Fault::usage, "sample: " + std::to_string(sample) + ": must be 1 or more");
        const std::size_t n = position_.count();
        mass_ = Array(masses, "masses", 1, Array::Access::read, n, "positions");
        if (!softenings.is_none())
            softening_ = Array(softenings, "softenings", 1, Array::Access::read, n, "positions");
        if (position_.gpu() >= 0 || mass_.gpu() >= 0 || softening_.gpu() >= 0)
            throw Error(
                Fault::usage,
                std::string(name) +
                    ": arrays are on the GPU: must be on the host, for direct sums in double");
        if (n == 0)
            throw Error(Fault::input, "positions: none: must be at least one particle");
        keyed = read_options(keywords);
        keyed.set_softenings(bool(softening_));
    }

    Particles particles() const
    {
        Particles particles;
        particles.resize(position_.count());
        particles.softening.resize(softening_.count());
        for (std::size_t i = 0; i < particles.size(); ++i) {
            particles.id[i] = i;
            particles.mass[i] = mass_.view().load(i);
            particles.position[i] = position_.view().load_vector(i);
            if (softening_)
                particles.softening[i] = softening_.view().load(i);
        }
        return particles;
    }

    std::size_t count() const { return position_.count(); }

    KeyedOptions keyed;

private:
    Array position_, mass_, softening_;
};

nb::dict accuracy(nb::handle positions, nb::handle masses, nb::handle softenings,
                  std::int64_t sample, nb::dict keywords)
{
    const Measured measured("accuracy", positions, masses, softenings, sample, keywords);
    const SolverOptions& options = measured.keyed.options;
    ForceErrors errors;
    std::size_t targets = 0;
    {
        const Released released;
        Particles particles = measured.particles();
        make_solver(options)->solve(particles, Quantities::acceleration_potential);
        const std::vector<Index> chosen = sample_targets(particles.size(), std::size_t(sample));
        targets = chosen.size();
        Particles summed = particles;
        errors = force_errors(particles, exact_sums(summed, chosen, options), chosen);
    }
    nb::dict d = in_errors(errors);
    d["targets"] = targets;
    return d;
}

nb::dict judge_forces(nb::handle positions, nb::handle masses, nb::handle accelerations,
                      nb::handle potentials, nb::handle softenings, std::int64_t sample,
                      nb::dict keywords)
{
    const Measured measured("judge", positions, masses, softenings, sample, keywords);
    const std::size_t n = measured.count();
    Array acceleration, potential;
    if (!accelerations.is_none())
        acceleration =
            Array(accelerations, "accelerations", 3, Array::Access::read, n, "positions");
    if (!potentials.is_none())
        potential = Array(potentials, "potentials", 1, Array::Access::read, n, "positions");
    if (!acceleration && !potential)
        throw Error(Fault::usage, "accelerations: None: must be given, or potentials");
    if (acceleration.gpu() >= 0 || potential.gpu() >= 0)
        throw Error(Fault::usage, "judge: arrays are on the GPU: must be on the host");
    const auto& given = measured.keyed.given;
    JudgeRequest request;
    request.physics = measured.keyed.options;
    request.knows_softening = given.contains("eps") || given.contains("softening");
    request.knows_gravity = given.contains("G");
    request.sample = std::size_t(sample);
    request.sums = exact_sums;
    Judgement judgement;
    std::vector<std::string> lines;
    {
        const Released released;
        Particles particles = measured.particles();
        OtherForces other;
        other.by_row = true;
        for (std::size_t i = 0; i < n; ++i) {
            other.particle.push_back(Index(i));
            if (acceleration)
                other.acceleration.push_back(acceleration.view().load_vector(i));
            if (potential)
                other.potential.push_back(potential.view().load(i));
        }
        judgement = judge(particles, other, request);
        lines = judgement_texts(judgement, request.physics.softening, particles,
                                {request.physics.gravitational_constant});
    }
    nb::dict d;
    nb::list findings;
    for (const std::string& line : lines)
        findings.append(in_python(line));
    d["findings"] = findings;
    d["stated"] = in_errors(force_errors(judgement.stated, judgement.targets));
    d["found"] = in_errors(force_errors(judgement.found, judgement.targets));
    d["factor"] = judgement.factor.value;
    d["potential_factor"] = judgement.potential_factor.value;
    d["kernel"] = form_of(judgement.softening.kind).word;
    d["softening"] = judgement.softening.length;
    d["targets"] = nb::cast(judgement.targets);
    d["acceleration_errors"] = nb::cast(judgement.found.acceleration);
    d["potential_errors"] = nb::cast(judgement.found.potential);
    return d;
}

} // namespace

void bind_accuracy(nb::module_& m)
{
    m.def("accuracy", &accuracy, nb::arg("positions").none(), nb::arg("masses").none(),
          nb::arg("softenings").none(), nb::arg("sample"), nb::arg("options"));
    m.def("judge", &judge_forces, nb::arg("positions").none(), nb::arg("masses").none(),
          nb::arg("accelerations").none(), nb::arg("potentials").none(),
          nb::arg("softenings").none(), nb::arg("sample"), nb::arg("options"));
}

} // namespace chamomile::python
