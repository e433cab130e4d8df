// CUNBODY-1's calls on the solvers for pairwise laws.
#include "clients/cunbody/cunbody.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "pairs/laws/gravity.hpp"
#include "pairs/laws/gravity_jerk.hpp"
#include "pairs/pair_solver.hpp"

namespace chamomile {
namespace {

thread_local std::string last_error;

PairOptions options_of_environment()
{
    PairOptions options;
    if (const char* device = std::getenv("CHAMOMILE_DEVICE"))
        options.device = device;
    if (const char* precision = std::getenv("CHAMOMILE_PRECISION")) {
        if (std::strcmp(precision, "double") == 0)
            options.precision = Precision::double_precision;
        else if (std::strcmp(precision, "float") != 0)
            throw Error(Fault::usage, std::string("CHAMOMILE_PRECISION: ") + precision +
                                          ": must be float or double");
    }
    return options;
}

/// A solver of one law, made anew when the softening changes.
template <class Law>
class Kept {
public:
    PairSolver& with(double eps2)
    {
        if (!(eps2 >= 0) || !std::isfinite(eps2))
            throw Error(Fault::usage, "eps2: " + std::to_string(eps2) + ": must be 0 or more");
        if (!solver_ || eps2 != eps2_) {
            solver_ = make_pair_solver(Law{std::sqrt(eps2)}, options_of_environment());
            eps2_ = eps2;
        }
        return *solver_;
    }

private:
    std::unique_ptr<PairSolver> solver_;
    double eps2_ = -1;
};

void require_numbers(int ni, int nj)
{
    for (const auto& [name, n] : {std::pair("ni", ni), std::pair("nj", nj)})
        if (n < 0)
            throw Error(Fault::usage,
                        std::string(name) + ": " + std::to_string(n) + ": must be 0 or more");
}

/// Sums anew, one pair after the other, those that are not finite: with pairs closer than float can
/// tell, or at one place, which without softening add nothing.
template <class Law>
void repair(const Law& law, std::span<const typename Law::template Target<double>> targets,
            std::span<const typename Law::template Source<double>> sources,
            std::span<typename Law::template Sum<double>> sums)
{
    using Sum = typename Law::template Sum<double>;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto values = as_rows(std::span<const Sum>(&sums[i], 1));
        if (std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
            continue;
        sums[i] = Sum{};
        for (const auto& source : sources)
            if (law.eps > 0 || !(source.position == targets[i].position))
                law(targets[i], source, sums[i]);
    }
}

template <class Law>
std::vector<typename Law::template Sum<double>>
sum(double eps2, const std::vector<typename Law::template Target<double>>& targets,
    const std::vector<typename Law::template Source<double>>& sources)
{
    thread_local Kept<Law> kept;
    std::vector<typename Law::template Sum<double>> sums(targets.size());
    kept.with(eps2).sum({as_rows(std::span(targets)), as_rows(std::span(sources)), {}, {}},
                        as_rows(std::span(sums)));
    repair<Law>(Law{std::sqrt(eps2)}, targets, sources, sums);
    return sums;
}

Vec3<double> vector(const double (&x)[3])
{
    return {x[0], x[1], x[2]};
}

void store(const Vec3<double>& x, double (&to)[3])
{
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
}

/// Runs a call; false if it failed.
template <class Call>
bool succeeds(Call call) noexcept
{
    try {
        last_error.clear();
        call();
        return true;
    } catch (const std::exception& error) {
        try {
            last_error = error.what();
        } catch (...) {
        }
    }
    return false;
}

void fill_with_nan(double* values, std::ptrdiff_t count)
{
    std::fill_n(values, std::max<std::ptrdiff_t>(0, count),
                std::numeric_limits<double>::quiet_NaN());
}

} // namespace
} // namespace chamomile

using namespace chamomile;

extern "C" {

void force(const double (*xj)[3], const double* mj, const double (*xi)[3], double eps2,
           double (*a)[3], int ni, int nj)
{
    const auto call = [&] {
        require_numbers(ni, nj);
        std::vector<GravityAcceleration::Target<double>> targets(std::size_t(ni), {{}});
        std::vector<GravityAcceleration::Source<double>> sources(std::size_t(nj), {{}, 0});
        for (std::size_t i = 0; i < targets.size(); ++i)
            targets[i].position = vector(xi[i]);
        for (std::size_t j = 0; j < sources.size(); ++j)
            sources[j] = {vector(xj[j]), mj[j]};
        const auto sums = sum<GravityAcceleration>(eps2, targets, sources);
        for (std::size_t i = 0; i < sums.size(); ++i)
            store(sums[i].acceleration, a[i]);
    };
    if (!succeeds(call))
        fill_with_nan(&a[0][0], 3 * std::ptrdiff_t(ni));
}

void force_jerk_potential(const double (*xj)[3], const double (*vj)[3], const double* mj,
                          const double (*xi)[3], const double (*vi)[3], double eps2, double (*a)[3],
                          double (*jerk)[3], double* pot, int ni, int nj)
{
    const auto call = [&] {
        require_numbers(ni, nj);
        std::vector<GravityJerk::Target<double>> targets(static_cast<std::size_t>(ni));
        std::vector<GravityJerk::Source<double>> sources(static_cast<std::size_t>(nj));
        for (std::size_t i = 0; i < targets.size(); ++i)
            targets[i] = {vector(xi[i]), vector(vi[i])};
        for (std::size_t j = 0; j < sources.size(); ++j)
            sources[j] = {vector(xj[j]), vector(vj[j]), mj[j]};
        const auto sums = sum<GravityJerk>(eps2, targets, sources);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            store(sums[i].acceleration, a[i]);
            store(sums[i].jerk, jerk[i]);
            pot[i] = sums[i].potential;
        }
    };
    if (succeeds(call))
        return;
    fill_with_nan(&a[0][0], 3 * std::ptrdiff_t(ni));
    fill_with_nan(&jerk[0][0], 3 * std::ptrdiff_t(ni));
    fill_with_nan(pot, ni);
}

const char* cunbody_error(void)
{
    return last_error.c_str();
}

// As Fortran compilers call them: by reference, with an underscore.

void force_(const double (*xj)[3], const double* mj, const double (*xi)[3], const double* eps2,
            double (*a)[3], const int* ni, const int* nj)
{
    force(xj, mj, xi, *eps2, a, *ni, *nj);
}

void force_jerk_potential_(const double (*xj)[3], const double (*vj)[3], const double* mj,
                           const double (*xi)[3], const double (*vi)[3], const double* eps2,
                           double (*a)[3], double (*jerk)[3], double* pot, const int* ni,
                           const int* nj)
{
    force_jerk_potential(xj, vj, mj, xi, vi, *eps2, a, jerk, pot, *ni, *nj);
}

void cunbody_error_text_(char* text, std::size_t length)
{
    std::memset(text, ' ', length);
    std::memcpy(text, last_error.data(), std::min(length, last_error.size()));
}

} // extern "C"
