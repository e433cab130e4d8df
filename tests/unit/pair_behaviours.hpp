/// \file  Behaviours common to all PairSolvers; test suites call them per device.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "chamomile/force/pairs/pair_solver.hpp"
#include "tests/unit/behaviours.hpp"

namespace chamomile::tests {

PairOptions pair_options(const Machine& machine, Precision precision);

/// PlainRules define which pairs a plain sum omits, and the image of a source seen from a target.
struct PlainRules {
    std::function<bool(std::size_t target, std::size_t source)> left_out;
    Vec3<double> period{}; ///< nearest image
};

/// PlainPairSums holds sums and, for each value, the sum of absolute pair contributions, the unit
/// for errors. Three values in a row count as a vector.
template <class Sum>
struct PlainPairSums {
    std::vector<Sum> sums, amounts;
};

/// Sums pair by pair in double with the law's own call: no tiles, groups or rounding.
template <class Law>
PlainPairSums<typename Law::template Sum<double>>
plain_sum(const Law& law, const std::vector<typename Law::template Target<double>>& targets,
          const std::vector<typename Law::template Source<double>>& sources,
          const PlainRules& rules = {})
{
    using Sum = typename Law::template Sum<double>;
    PlainPairSums<Sum> plain{std::vector<Sum>(targets.size()), std::vector<Sum>(targets.size())};
    for (std::size_t i = 0; i < targets.size(); ++i)
        for (std::size_t j = 0; j < sources.size(); ++j) {
            if (rules.left_out && rules.left_out(i, j))
                continue;
            auto seen = sources[j];
            if constexpr (has_positions<Law>()) {
                const auto nearest = [](double x, double about, double side) {
                    return side > 0 ? x - side * std::nearbyint((x - about) / side) : x;
                };
                const Vec3<double>& about = targets[i].position;
                seen.position = {nearest(seen.position.x, about.x, rules.period.x),
                                 nearest(seen.position.y, about.y, rules.period.y),
                                 nearest(seen.position.z, about.z, rules.period.z)};
            }
            Sum pair{};
            law(targets[i], seen, pair);
            constexpr std::size_t width = sizeof(Sum) / sizeof(double);
            double value[width + 3] = {};
            std::memcpy(value, &pair, sizeof pair);
            double* sum = reinterpret_cast<double*>(&plain.sums[i]);
            double* amount = reinterpret_cast<double*>(&plain.amounts[i]);
            for (std::size_t k = 0; k < width; ++k) {
                sum[k] += value[k];
                const double* v = value + k / 3 * 3;
                amount[k] += k / 3 * 3 + 3 <= width
                                 ? std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
                                 : std::abs(value[k]);
            }
        }
    return plain;
}

template <class Law>
using Targets = std::vector<typename Law::template Target<double>>;
template <class Law>
using Sources = std::vector<typename Law::template Source<double>>;
template <class Law>
using Sums = std::vector<typename Law::template Sum<double>>;

/// Returns a solver's sums for equal input.
template <class Law>
Sums<Law> summed(const Law& law, const PairOptions& options, const Targets<Law>& targets,
                 const Sources<Law>& sources, std::span<const std::uint32_t> self = {},
                 const Exclusions& excluded = {})
{
    Sums<Law> sums(targets.size());
    const auto solver = make_pair_solver(law, options);
    solver->sum({as_rows(std::span(targets)), as_rows(std::span(sources)), self, excluded},
                as_rows(std::span(sums)));
    return sums;
}

/// Returns the error of each value over the sum of absolute pair contributions.
template <class Record>
std::vector<double> errors(const std::vector<Record>& sums, const PlainPairSums<Record>& exact,
                           std::size_t first = 0)
{
    const auto x = as_rows(std::span(sums)), y = as_rows(std::span(exact.sums)),
               amount = as_rows(std::span(exact.amounts));
    std::vector<double> errors;
    for (std::size_t k = first * (sizeof(Record) / sizeof(double)); k < x.size(); ++k)
        errors.push_back(std::abs(x[k] - y[k]) / amount[k]);
    return errors;
}

template <class Record>
double largest_error(const std::vector<Record>& sums, const PlainPairSums<Record>& exact,
                     std::size_t first = 0)
{
    double largest = 0;
    for (const double error : errors(sums, exact, first))
        largest = error <= largest ? largest : error; // keeps NaN
    return largest;
}

/// Returns the root mean square error.
template <class Record>
double mean_error(const std::vector<Record>& sums, const PlainPairSums<Record>& exact)
{
    double squares = 0;
    const std::vector<double> all = errors(sums, exact);
    for (const double error : all)
        squares += error * error;
    return std::sqrt(squares / double(all.size()));
}

void check_pair_sums(const Machine& machine);
void check_excluded_pairs(const Machine& machine);
void check_cutoff(const Machine& machine);
void check_pairs_without_positions(const Machine& machine);
void check_pair_units(const Machine& machine);
void check_pair_threads(const Machine& machine);
void check_bad_pairs(const Machine& machine);

inline constexpr Behaviour pair_behaviours[] = {
    {"pair sums match a plain loop", check_pair_sums},
    {"pair sums leave out exactly the excluded pairs", check_excluded_pairs},
    {"a cut-off finds every source within its radius, in every periodic image", check_cutoff},
    {"pair sums work for laws without positions", check_pairs_without_positions},
    {"pair sums in SI units keep single-precision accuracy", check_pair_units},
    {"pair sums match bitwise for any number of threads", check_pair_threads, false},
    {"pair solvers refuse invalid input with an error line", check_bad_pairs, false},
};

} // namespace chamomile::tests
