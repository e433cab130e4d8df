#include "chamomile/integrate/external/external_field.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/integrate/external/external_jerk.hpp"
#include "chamomile/integrate/external/potential_table.hpp"

namespace chamomile {
namespace {

bool is_formula(const Potential& potential)
{
    return potential.shape <= PotentialShape::miyamoto_nagai;
}

/// A formula or text at one time, with its center's motion and its growth.
struct Moving {
    const Potential* potential;
    CenterPath::Row center;
    Potential::Growth growth;

    ExternalTerm term() const
    {
        return {potential->shape, center.position, growth.part * potential->strength,
                potential->a,     potential->b,    potential->c,
                potential->d};
    }

    TextPotential::Result of_text(double time, const Vec3<double>& x, const Vec3<double>& v) const
    {
        return potential->text->at({x - center.position, v - center.velocity, time});
    }

    /// Returns the squared norm of the tidal tensor at x.
    double squared_tide(double time, const Vec3<double>& x) const
    {
        if (!potential->text)
            return chamomile::squared_tide(term(), x);
        const Vec3<double> still = of_text(time, x, center.velocity).jerk;
        double square = 0;
        for (const Vec3<double>& axis :
             {Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}, Vec3<double>{0, 0, 1}})
            square +=
                norm_squared(growth.part * (of_text(time, x, center.velocity + axis).jerk - still));
        return square;
    }

    /// Adds the effect on a particle at x with velocity v.
    void add(double time, const Vec3<double>& x, const Vec3<double>& v, JerkSum& sum) const
    {
        Vec3<double> whole, jerk; // acceleration at full mass, and its rate
        if (potential->text) {
            const TextPotential::Result result = of_text(time, x, v);
            whole = result.acceleration;
            jerk = result.jerk;
            sum.potential += growth.part * result.potential;
        } else {
            ExternalTerm all = term();
            all.strength = potential->strength;
            ExternalPull pull;
            add_term(all, x, pull);
            whole = pull.acceleration;
            jerk = external_jerk(all, x, v - center.velocity);
            sum.potential += growth.part * pull.potential;
        }
        sum.acceleration += growth.part * whole;
        sum.jerk += growth.part * jerk;
        sum.jerk += growth.rate * whole;
    }
};

std::vector<Moving> moving_at(double time, const std::vector<Potential>& potentials)
{
    std::vector<Moving> all;
    for (const Potential& potential : potentials)
        if (is_formula(potential) || potential.text)
            all.push_back({&potential, potential.center_at(time), potential.growth(time)});
    return all;
}

} // namespace

ExternalField::ExternalField(std::vector<Potential> potentials, const std::string& option)
    : potentials_(std::move(potentials))
{
    int formulas = 0, rotations = 0;
    for (const Potential& potential : potentials_) {
        formulas += is_formula(potential);
        has_texts_ = has_texts_ || potential.text;
        has_functions_ = has_functions_ || potential.function;
        if (potential.shape == PotentialShape::rotation) {
            ++rotations;
            rate_ = potential.rate;
        }
    }
    if (formulas > ExternalTerms::max)
        throw Error(Fault::usage, option + ": " + std::to_string(formulas) +
                                      " potentials: must be at most " +
                                      std::to_string(ExternalTerms::max));
    if (rotations > 1)
        throw Error(Fault::usage, option + ": rotation: given twice: must be given once");
}

ExternalTerms ExternalField::terms_at(double time) const
{
    ExternalTerms terms;
    for (const Moving& moving : moving_at(time, potentials_))
        if (!moving.potential->text)
            terms.term[terms.count++] = moving.term();
    return terms;
}

void ExternalField::add(double time, std::span<const Vec3<double>> position,
                        std::span<const Index> active, std::span<Vec3<double>> acceleration,
                        std::span<double> potential) const
{
    const ExternalTerms terms = terms_at(time);
    std::vector<Moving> texts = moving_at(time, potentials_);
    std::erase_if(texts, [](const Moving& moving) { return !moving.potential->text; });
    const std::size_t n = active.empty() ? position.size() : active.size();
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = active.empty() ? k : active[k];
        ExternalPull pull = pull_of(terms, position[i]);
        for (const Moving& moving : texts) {
            const TextPotential::Result result = moving.of_text(time, position[i], {});
            pull.acceleration += moving.growth.part * result.acceleration;
            pull.potential += moving.growth.part * result.potential;
        }
        if (!acceleration.empty())
            acceleration[i] += pull.acceleration;
        if (!potential.empty())
            potential[i] += pull.potential;
    }
    if (has_functions_)
        add_functions(time, position, active, acceleration, potential);
}

/// Calls the functions with the positions of active particles only.
void ExternalField::add_functions(double time, std::span<const Vec3<double>> position,
                                  std::span<const Index> active,
                                  std::span<Vec3<double>> acceleration,
                                  std::span<double> potential) const
{
    std::vector<Vec3<double>> places, pulls;
    std::vector<double> depths;
    const auto index = [&](std::size_t k) { return active.empty() ? k : active[k]; };
    const std::size_t n = active.empty() ? position.size() : active.size();
    for (std::size_t k = 0; k < n; ++k)
        places.push_back(position[index(k)]);
    pulls.resize(n);
    depths.resize(n);
    for (const Potential& one : potentials_)
        if (one.function)
            one.function->add(time, places, pulls, depths);
    for (std::size_t k = 0; k < n; ++k) {
        if (!acceleration.empty())
            acceleration[index(k)] += pulls[k];
        if (!potential.empty())
            potential[index(k)] += depths[k];
    }
}

void ExternalField::add(double time, std::span<const MovingSource> sources,
                        std::span<const Index> active, std::span<JerkSum> sums) const
{
    const std::vector<Moving> all = moving_at(time, potentials_);
#pragma omp parallel for if (active.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < active.size(); ++k)
        for (const Moving& moving : all)
            moving.add(time, sources[active[k]].position, sources[active[k]].velocity, sums[k]);
}

void ExternalField::tidal_times(double time, std::span<const Vec3<double>> position,
                                std::span<const Index> active, std::span<double> times) const
{
    const std::vector<Moving> all = moving_at(time, potentials_);
    const std::size_t n = active.empty() ? position.size() : active.size();
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = active.empty() ? k : active[k];
        double square = 0;
        for (const Moving& moving : all)
            square += moving.squared_tide(time, position[i]);
        times[i] = tidal_time(square);
    }
}

std::optional<FrameTurn> ExternalField::turn(double length) const
{
    if (!rotates())
        return std::nullopt;
    return FrameTurn{rate_, std::cos(rate_ * length), std::sin(rate_ * length)};
}

double ExternalField::GM(double time) const
{
    double sum = 0;
    for (const Potential& potential : potentials_)
        sum += potential.growth(time).part * potential.GM;
    return sum;
}

std::string ExternalField::without_zero() const
{
    for (const Potential& potential : potentials_) {
        if (potential.function)
            return "a function";
        if (potential.shape == PotentialShape::logarithmic || potential.text)
            return row_of(potential.shape).name;
    }
    return {};
}

std::string ExternalField::without_energy() const
{
    for (const Potential& potential : potentials_) {
        if (potential.function)
            return "a function: its potential may change with t";
        const std::string name = row_of(potential.shape).name;
        if (potential.moves())
            return name + ": moves";
        if (potential.from)
            return name + ": grows";
        if (potential.text && potential.text->changes())
            return name + ": changes with t";
    }
    return {};
}

void ExternalField::require_times(double start, double end) const
{
    for (const Potential& potential : potentials_)
        if (potential.path) {
            const auto& rows = potential.path->rows;
            if (rows.front().time > start || rows.back().time < end)
                throw Error(Fault::usage,
                            "{potential}: " + potential.path->name + ": times " +
                                number_text(rows.front().time) + " to " +
                                number_text(rows.back().time) + ": must reach from the start at " +
                                number_text(start) + " to the end at " + number_text(end));
        }
}

std::string ExternalField::description() const
{
    std::string all;
    for (const Potential& potential : potentials_)
        all += (all.empty() ? "" : ";") + potential.description;
    return all;
}

Refusal refusal(const ExternalField& field, const FieldUse& use)
{
    if (use.in_box)
        return "{potential}: needs isolated particles and plain time";
    if (use.on_device && !field.has_formulas())
        return std::string("{resident}: external potential from ") +
               (field.has_functions() ? "a function" : "a text") + ": must be a formula on the GPU";
    if (use.without_softening && field.has_functions())
        return "{potential}: a function: has no tide for adaptive or individual steps: needs a "
               "softening length > 0";
    if (use.by_jerks && field.has_functions())
        return "{potential}: a function: has no jerk, needed by hermite";
    if (use.by_jerks && field.rotates())
        return "{potential}: rotation: needs the leapfrog";
    return {};
}

std::shared_ptr<const ExternalField>
read_external_field(const std::string& option, const std::vector<std::string>& texts,
                    const UnitFrame& frame, double gravitational_constant, PotentialFiles& files)
{
    if (texts.empty())
        return nullptr;
    std::vector<Potential> potentials;
    for (const std::string& text : texts)
        for (Potential& potential :
             read_potentials(option, text, frame, gravitational_constant, files))
            potentials.push_back(std::move(potential));
    return std::make_shared<ExternalField>(std::move(potentials), option);
}

} // namespace chamomile
