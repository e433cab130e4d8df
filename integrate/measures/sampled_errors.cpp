#include "chamomile/integrate/measures/sampled_errors.hpp"

#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/integrate/external/external_field.hpp"

namespace chamomile {

SampledErrors sampled_errors(SolverOptions options, std::optional<double> softening_length,
                             Particles& particles, std::size_t targets, Quantities quantities,
                             const ExternalState& external, Communicator& ranks)
{
    options.precision = Precision::double_precision;
    DirectSample sample(options);
    Request request = request_of(particles, quantities);
    request.softening_length = softening_length;
    sample.measure(request, targets, quantities, ranks);
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential;
    if (external.field) {
        const std::size_t n = particles.size();
        std::vector<Vec3<double>> pull(n);
        std::vector<double> depth(n);
        external.field->add(external.time, particles.position, sample.targets(), pull, depth);
        acceleration = particles.acceleration;
        potential = particles.potential;
        for (const Index i : sample.targets()) {
            acceleration[i] -= pull[i];
            if (request.potential)
                potential[i] -= depth[i];
        }
        request.acceleration = view_of(std::span(acceleration));
        if (request.potential)
            request.potential = view_of(std::span(potential));
    }
    const auto of_all = [&](const std::vector<double>& errors) {
        return ranks.all_gather(std::span<const double>(errors));
    };
    return {of_all(sample.acceleration_errors(request.acceleration)),
            of_all(sample.potential_errors(request.potential))};
}

} // namespace chamomile
