#include "chamomile/force/accuracy/judged_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chamomile/core/norm.hpp"

namespace chamomile {
namespace {

/// Returns the median with its standard error for normally distributed values.
Estimate estimate(const std::vector<double>& values)
{
    const double median = median_of(values);
    std::vector<double> distance;
    for (double value : values)
        distance.push_back(std::abs(value - median));
    return {median, 1.2533 * 1.4826 * median_of(distance) / std::sqrt(double(values.size()))};
}

Vec3<double> turned(const Vec3<double>& a, const Judgement& by)
{
    const double components[] = {a.x, a.y, a.z};
    const auto component = [&](std::size_t k) {
        return by.sign[k] * components[std::size_t(by.axis[k])];
    };
    return {component(0), component(1), component(2)};
}

double exact_potential(const JudgedSample& sample, std::size_t k, const Judgement& law)
{
    return sample.exact.potential[k] + (law.has_self_energy ? sample.self_energy[k] : 0);
}

double potential_difference(const JudgedSample& sample, std::size_t k, const Judgement& law)
{
    return sample.other_potential[k] / law.potential_factor.value - law.potential_offset -
           exact_potential(sample, k, law);
}

} // namespace

Vec3<double> corrected(const Vec3<double>& other, const Judgement& law)
{
    return 1 / law.factor.value * turned(other, law) - law.added;
}

double median_of(std::vector<double> values)
{
    if (values.empty())
        return 0;
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

bool is_worth(double change, double gain)
{
    constexpr double small = 1.5e-4; // trees have smaller systematic errors
    return change > negligible && gain > (change > small ? 0.2 : 1);
}

double score(const std::vector<double>& errors)
{
    double sum = 0;
    for (double error : errors)
        sum += std::isfinite(error) ? std::log(std::max(error, rounding)) : 100;
    return errors.empty() ? 0 : sum / double(errors.size());
}

std::vector<double> cosines(const JudgedSample& sample, const Judgement& axes)
{
    std::vector<double> result;
    for (std::size_t k = 0; k < sample.other.size(); ++k) {
        const Vec3<double>&exact = sample.exact.acceleration[k],
              other = turned(sample.other[k], axes);
        const double size = norm_of_any_size(exact) * norm_of_any_size(other);
        if (size > 0)
            result.push_back(dot(exact, other) / size);
    }
    return result;
}

std::vector<double> ratios(const JudgedSample& sample, const Judgement& law)
{
    std::vector<double> result;
    for (std::size_t k = 0; k < sample.other.size(); ++k)
        if (const Vec3<double>& exact = sample.exact.acceleration[k]; norm_squared(exact) > 0)
            result.push_back(dot(exact, turned(sample.other[k], law)) / norm_squared(exact));
    return result;
}

std::vector<double> acceleration_errors(const JudgedSample& sample, const Judgement& law)
{
    std::vector<double> errors;
    for (std::size_t k = 0; k < sample.other.size(); ++k) {
        const Vec3<double>& exact = sample.exact.acceleration[k];
        const double size = norm_of_any_size(exact),
                     error = norm_of_any_size(corrected(sample.other[k], law) - exact);
        errors.push_back(size > 0 ? error / size : error);
    }
    return errors;
}

std::vector<double> potential_errors(const JudgedSample& sample, const Judgement& law)
{
    std::vector<double> errors;
    for (std::size_t k = 0; k < sample.other_potential.size(); ++k) {
        const double size = std::abs(sample.exact.potential[k]),
                     error = std::abs(potential_difference(sample, k, law));
        errors.push_back(size > 0 ? error / size : error);
    }
    return errors;
}

TargetErrors errors_of(const JudgedSample& sample, const Judgement& law)
{
    TargetErrors errors{acceleration_errors(sample, law), potential_errors(sample, law), {}};
    for (std::size_t k = 0; k < sample.other.size(); ++k)
        errors.scaled.push_back(errors.acceleration[k] *
                                norm_of_any_size(sample.exact.acceleration[k]) /
                                sample.exact.absolute_sum[k]);
    return errors;
}

void fit_accelerations(const JudgedSample& sample, bool knows_gravity, Judgement& law)
{
    if (sample.other.empty())
        return;
    double best = score(acceleration_errors(sample, law));
    Judgement trial = law;
    trial.factor = estimate(ratios(sample, law));
    const auto keep_better = [&](double size) {
        if (const double with = score(acceleration_errors(sample, trial));
            is_worth(size, best - with)) {
            best = with;
            law = trial;
        } else {
            trial = law;
        }
    };
    if (!knows_gravity && trial.factor.value != 0)
        keep_better(std::abs(trial.factor.value - 1));
    std::vector<double> x, y, z, size;
    for (std::size_t k = 0; k < sample.other.size(); ++k) {
        const Vec3<double>& exact = sample.exact.acceleration[k];
        const Vec3<double> difference = corrected(sample.other[k], law) - exact;
        x.push_back(difference.x);
        y.push_back(difference.y);
        z.push_back(difference.z);
        size.push_back(norm_of_any_size(exact));
    }
    trial = law;
    trial.added = {median_of(x), median_of(y), median_of(z)};
    keep_better(norm_of_any_size(trial.added) / std::max(median_of(size), 1e-300));
}

namespace {

/// Potentials of both codes, with factor, offset and self energy.
class PotentialFit {
public:
    PotentialFit(const JudgedSample& sample, bool knows_gravity, const Judgement& law)
        : sample_(sample), knows_gravity_(knows_gravity), start_(law), best_(law),
          min_score_(score(potential_errors(sample, law)))
    {}

    /// Tries factors with self energy and offset, or without.
    void attempt(bool has_self_energy, bool has_offset)
    {
        Judgement trial = start_;
        trial.has_self_energy = has_self_energy;
        std::vector<double> exact, sizes;
        for (std::size_t k = 0; k < sample_.other_potential.size(); ++k) {
            exact.push_back(exact_potential(sample_, k, trial));
            sizes.push_back(std::abs(exact.back()));
        }
        const double size = std::max(median_of(sizes), 1e-300);
        for (const Estimate& factor :
             {Estimate{1, 0}, start_.factor, has_offset ? slope(exact) : ratio(exact)}) {
            if (factor.value == 0 || (knows_gravity_ && factor.value != 1))
                continue;
            trial.potential_factor = factor;
            std::vector<double> offset;
            for (std::size_t k = 0; k < exact.size(); ++k)
                offset.push_back(sample_.other_potential[k] / factor.value - exact[k]);
            trial.potential_offset = has_offset ? median_of(offset) : 0;
            const double with = score(potential_errors(sample_, trial));
            std::vector<double> change;
            for (std::size_t k = 0; k < exact.size(); ++k)
                change.push_back(std::abs(difference(k, trial) - difference(k, best_)));
            if (is_worth(median_of(change) / size, min_score_ - with)) {
                min_score_ = with;
                best_ = trial;
            }
        }
    }

    const Judgement& best() const { return best_; }

private:
    double difference(std::size_t k, const Judgement& law) const
    {
        return potential_difference(sample_, k, law);
    }

    Estimate ratio(const std::vector<double>& exact) const
    {
        std::vector<double> values;
        for (std::size_t k = 0; k < exact.size(); ++k)
            if (exact[k] != 0)
                values.push_back(sample_.other_potential[k] / exact[k]);
        return estimate(values);
    }

    /// The median slope between targets that are far apart in potential (Theil 1950).
    Estimate slope(const std::vector<double>& exact) const
    {
        std::vector<std::size_t> order(exact.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return exact[a] < exact[b]; });
        std::vector<double> values;
        for (std::size_t k = 0; k + order.size() / 2 < order.size(); ++k)
            if (const std::size_t a = order[k], b = order[k + order.size() / 2];
                exact[a] != exact[b])
                values.push_back((sample_.other_potential[a] - sample_.other_potential[b]) /
                                 (exact[a] - exact[b]));
        return estimate(values);
    }

    const JudgedSample& sample_;
    bool knows_gravity_;
    Judgement start_, best_;
    double min_score_;
};

} // namespace

void fit_potentials(const JudgedSample& sample, bool knows_gravity, Judgement& law)
{
    if (sample.other_potential.empty())
        return;
    PotentialFit fit(sample, knows_gravity, law);
    for (const bool has_offset : {false, true})
        for (const bool has_self_energy : {false, true})
            fit.attempt(has_self_energy, has_offset);
    law = fit.best();
}

std::vector<ErrorBin> bins_of(const JudgedSample& sample, const Judgement& law,
                              const std::vector<double>& value, const std::vector<bool>& left_out)
{
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < value.size(); ++k)
        if (!left_out[k] && norm_squared(sample.exact.acceleration[k]) > 0)
            order.push_back(k);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return value[a] < value[b]; });
    const std::size_t count = std::clamp<std::size_t>(order.size() / 20, 1, 8);
    std::vector<ErrorBin> bins;
    for (std::size_t b = 0; b < count && !order.empty(); ++b) {
        std::vector<double> ratio, errors;
        const std::size_t begin = b * order.size() / count, end = (b + 1) * order.size() / count;
        for (std::size_t k = begin; k < end; ++k) {
            const Vec3<double>& exact = sample.exact.acceleration[order[k]];
            ratio.push_back(dot(exact, corrected(sample.other[order[k]], law)) /
                            norm_squared(exact));
            errors.push_back(law.found.acceleration[order[k]]);
        }
        const Percentiles p = percentiles(errors);
        bins.push_back(
            {value[order[begin]], value[order[end - 1]], p.median, p.p99, estimate(ratio)});
    }
    return bins;
}

std::vector<std::size_t> find_outliers(const std::vector<double>& errors, double& max_of_others)
{
    constexpr double gap = 10, far = 30; // ratios to the next error and to the median
    std::vector<std::size_t> order(errors.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
    max_of_others = errors.empty() ? 0 : errors[order[0]];
    const std::size_t max_count =
        std::min(errors.size() / 2, std::max<std::size_t>(errors.size() / 50, 3));
    for (std::size_t k = max_count; k-- > 0;)
        if (const double above = errors[order[k]], below = errors[order[k + 1]];
            above > gap * below && above > far * errors[order[errors.size() / 2]] && above > 1e-9) {
            max_of_others = below;
            order.resize(k + 1);
            return order;
        }
    return {};
}

} // namespace chamomile
