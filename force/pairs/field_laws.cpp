#include "chamomile/force/pairs/field_laws.hpp"

#include "chamomile/core/error.hpp"
#include "chamomile/core/interruption.hpp"
#include "chamomile/force/adjoint/adjoint_law.hpp"
#include "chamomile/force/pairs/laws/gravity_field.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/pairs/laws/gravity_tidal.hpp"

namespace chamomile {

FieldLaws::FieldLaws(const SolverOptions& resolved)
    : options_{.precision = resolved.precision,
               .device = resolved.device,
               .instruction_set = resolved.instruction_set}
{}

void FieldLaws::take(const Softening& softening, bool per_particle)
{
    if (tidal_ && per_particle == per_particle_ && softening.length == softening_.length)
        return;
    softening_ = softening;
    per_particle_ = per_particle;
    kind_ = LawChoice::of(softening, per_particle).kind;
    const LawNumbers numbers{.softening_length = softening.length,
                             .rule_weight = softening.rule_weight()};
    SofteningKernels::visit(kind_, [&]<class Kernel>(Kernel) {
        const auto make = [&]<class Rule>(Rule) {
            field_ = make_pair_solver(GravityField<Kernel, Rule>::of(numbers), options_);
            tidal_ = make_pair_solver(TidalTensor<Kernel, Rule>::of(numbers), options_);
        };
        per_particle ? make(RuntimeRule{}) : make(OneLength{});
    });
    if (per_particle)
        jerk_ = make_pair_solver(GravityJerkPerParticle{numbers.rule_weight}, options_);
    else
        jerk_ = make_pair_solver(GravityJerk{softening.length}, options_);
    adjoint_.reset();
}

PairSolver& FieldLaws::jerk()
{
    if (kind_ != SofteningKind::plummer)
        throw Error(Fault::usage, "softening: " + std::string(form_of(kind_).word) +
                                      ": must be plummer for jerks");
    return *jerk_;
}

PairSolver& FieldLaws::adjoint()
{
    if (!adjoint_) {
        const AdjointLaw law = AdjointLaw::of(softening_, per_particle_, softening_.length);
        adjoint_ = make_pair_solver(*law.code, law.bytes.data(), options_);
    }
    return *adjoint_;
}

std::vector<double> joined(std::size_t n, std::initializer_list<std::span<const double>> parts)
{
    look_for_interruption();
    std::size_t values = 0;
    for (const std::span<const double> part : parts)
        values += part.size();
    std::vector<double> rows;
    rows.reserve(values);
    for (std::size_t k = 0; k < n; ++k)
        for (const std::span<const double> part : parts) {
            const std::size_t width = part.size() / n;
            rows.insert(rows.end(), part.begin() + std::ptrdiff_t(width * k),
                        part.begin() + std::ptrdiff_t(width * (k + 1)));
        }
    return rows;
}

} // namespace chamomile
