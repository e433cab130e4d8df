#include "chamomile/force/accuracy/direct_sample.hpp"

#include <cmath>

#include "chamomile/core/norm.hpp"

namespace chamomile {
namespace {

/// Sparse targets share a list; larger groups gain nothing.
constexpr int sparse_group_size = 64;

double ratio(double difference, double scale)
{
    return scale > 0 ? difference / scale : difference;
}

} // namespace

DirectSample::DirectSample(const SolverOptions& options)
{
    SolverOptions direct;
    static_cast<Physics&>(direct) = options;
    static_cast<Platform&>(direct) = options;
    direct.solver = SolverKind::direct;
    direct.group_size = sparse_group_size;
    direct_ = make_solver(direct);
}

void DirectSample::measure(const Request& request, std::size_t targets, Quantities quantities)
{
    const std::size_t n = request.count;
    targets_ = sample_targets(n, targets);
    acceleration_.clear();
    potential_.clear();
    if (targets_.empty())
        return;
    std::vector<Vec3<double>> acceleration(n);
    std::vector<double> potential(quantities == Quantities::acceleration_potential ? n : 0);
    direct_->evaluate({.count = n,
                       .position = request.position,
                       .mass = request.mass,
                       .id = request.id,
                       .acceleration = view_of(std::span(acceleration)),
                       .potential = view_of(std::span(potential)),
                       .active = targets_,
                       .softening_length = request.softening_length,
                       .softening = request.softening});
    for (const Index i : targets_) {
        acceleration_.push_back(acceleration[i]);
        if (!potential.empty())
            potential_.push_back(potential[i]);
    }
}

std::vector<double> DirectSample::acceleration_errors(const ArrayView& acceleration) const
{
    std::vector<double> errors;
    for (std::size_t k = 0; k < acceleration_.size(); ++k)
        errors.push_back(
            ratio(norm_of_any_size(acceleration.load_vector(targets_[k]) - acceleration_[k]),
                  norm_of_any_size(acceleration_[k])));
    return errors;
}

std::vector<double> DirectSample::potential_errors(const ArrayView& potential) const
{
    std::vector<double> errors;
    for (std::size_t k = 0; k < potential_.size(); ++k)
        errors.push_back(
            ratio(std::abs(potential.load(targets_[k]) - potential_[k]), std::abs(potential_[k])));
    return errors;
}

double value_at_percentile(std::vector<double>& values, double percentile)
{
    if (values.empty())
        return 0;
    const std::size_t place =
        std::min(values.size() - 1, std::size_t(0.01 * percentile * double(values.size())));
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(place), values.end());
    return values[place];
}

} // namespace chamomile
