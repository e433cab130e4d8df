/// \file  Forces of another code and exact ones at a sample of targets, and the laws that relate
/// them.
#pragma once

#include <vector>

#include "chamomile/force/accuracy/judge.hpp"

namespace chamomile {

inline constexpr double gain = 0.05;       ///< in ln(error), that justifies a hypothesis
inline constexpr double rounding = 1e-9;   ///< smaller errors need no other law
inline constexpr double negligible = 1e-6; ///< smaller factors are rounding of single precision

/// Forces of both codes at some targets; one of the two vectors of the other code may be empty.
struct JudgedSample {
    std::vector<Vec3<double>> other;
    std::vector<double> other_potential;
    ReferenceSums exact;
    std::vector<double> self_energy; ///< -G m / eps
};

/// Returns the median; 0 without values.
double median_of(std::vector<double> values);

/// Returns the mean of ln(error). Errors below `rounding` count as equal.
double score(const std::vector<double>& errors);

/// Returns whether a hypothesis with a relative change of forces is worth naming, if it lowers the
/// mean ln(error) by `gain`.
bool is_worth(double change, double gain);

/// Returns an acceleration of the other code by the law: axes, factor and constant.
Vec3<double> corrected(const Vec3<double>& other, const Judgement& law);

/// Returns the cosines of the angles between exact accelerations and other ones with these axes.
std::vector<double> cosines(const JudgedSample& sample, const Judgement& law);

/// Returns the accelerations along the exact ones, over the exact ones, without factor.
std::vector<double> ratios(const JudgedSample& sample, const Judgement& law);

std::vector<double> acceleration_errors(const JudgedSample& sample, const Judgement& law);
std::vector<double> potential_errors(const JudgedSample& sample, const Judgement& law);
TargetErrors errors_of(const JudgedSample& sample, const Judgement& law);

/// Sets the factor of the accelerations and a constant one in addition, each if it lowers the
/// errors.
void fit_accelerations(const JudgedSample& sample, bool knows_gravity, Judgement& law);

/// Sets factor, offset and self energy of the potentials, each if it lowers the errors.
void fit_potentials(const JudgedSample& sample, bool knows_gravity, Judgement& law);

/// Returns bins of equally many targets, in the order of `value`.
std::vector<ErrorBin> bins_of(const JudgedSample& sample, const Judgement& law,
                              const std::vector<double>& value, const std::vector<bool>& left_out);

/// Returns the indices of few errors above a wide gap, largest first, and the largest error below.
std::vector<std::size_t> find_outliers(const std::vector<double>& errors, double& max_of_others);

} // namespace chamomile
