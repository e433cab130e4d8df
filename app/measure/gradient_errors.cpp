#include "app/measure/gradient_errors.hpp"

#include <cmath>

#include "chamomile/core/norm.hpp"

namespace chamomile::app {

GradientOfForces::GradientOfForces(const Particles& particles, const SolverOptions& setting,
                                   ReferenceDevice reference)
    : particles_(particles), reference_(reference), field_(make_field_solver(setting)),
      derivatives_(particles.size()), position_(particles.size()), mass_(particles.size())
{
    field_->build(sources());
    field_->evaluate_sources({}, {view_of(std::span(derivatives_))});
    for (Vec3<double>& a : derivatives_)
        a = 2.0 * a;
}

FieldSources GradientOfForces::sources() const
{
    const std::vector<double>& own = particles_.softening;
    return {particles_.size(),
            view_of(std::span(particles_.position)),
            view_of(std::span(particles_.mass)),
            {},
            own.empty() ? ArrayView{} : view_of(std::span(own))};
}

ForceStatistics GradientOfForces::evaluate() const
{
    return field_->evaluate_adjoint({view_of(std::span(derivatives_))},
                                    {view_of(std::span(position_)), view_of(std::span(mass_))});
}

TargetErrors GradientOfForces::errors(std::span<const Index> targets) const
{
    SolverOptions direct = field_->options();
    direct.solver = SolverKind::direct;
    direct.precision = Precision::double_precision;
    direct.device = device_word(reference_);
    direct.instruction_set = "auto";
    direct.tree_built_by = TreeBuiltBy::automatic;
    direct.group_size = direct.cluster_size = direct.leaf_size = 0;
    const auto exact = make_field_solver(direct);
    exact->build(sources());
    std::vector<Vec3<double>> position(targets.size());
    std::vector<double> mass(targets.size());
    exact->evaluate_adjoint({view_of(std::span(derivatives_))},
                            {view_of(std::span(position)), view_of(std::span(mass)), targets});
    const auto relative = [](double error, double value) {
        return value > 0 ? error / value : error;
    };
    TargetErrors errors;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        errors.acceleration.push_back(relative(
            norm_of_any_size(position_[targets[k]] - position[k]), norm_of_any_size(position[k])));
        errors.potential.push_back(
            relative(std::abs(mass_[targets[k]] - mass[k]), std::abs(mass[k])));
        errors.scaled.push_back(NAN);
    }
    return errors;
}

} // namespace chamomile::app
