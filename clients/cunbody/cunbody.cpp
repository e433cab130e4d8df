// CUNBODY-1's calls on the solvers for pairwise laws.
#include "chamomile/clients/cunbody/cunbody.h"

#include <cstring>
#include <vector>

#include "chamomile/clients/pair_door.hpp"
#include "chamomile/pairs/laws/gravity.hpp"
#include "chamomile/pairs/laws/gravity_jerk.hpp"

namespace chamomile {
namespace {

thread_local std::string last_error;

void require_numbers(int ni, int nj)
{
    checked_count("ni", ni);
    checked_count("nj", nj);
}

template <class Law>
std::vector<typename Law::template Sum<double>>
sum(double eps2, const std::vector<typename Law::template Target<double>>& targets,
    const std::vector<typename Law::template Source<double>>& sources)
{
    thread_local KeptSolver<Law> kept;
    const Law law{std::sqrt(checked_softening("eps2", eps2))};
    std::vector<typename Law::template Sum<double>> sums(targets.size());
    kept.with(law).sum({as_rows(std::span(targets)), as_rows(std::span(sources)), {}, {}},
                       as_rows(std::span(sums)));
    repair<Law>(law, targets, sources, sums, [&](std::size_t i, std::size_t j) {
        return law.eps > 0 || !(sources[j].position == targets[i].position);
    });
    return sums;
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
            targets[i].position = vector_of(xi[i]);
        for (std::size_t j = 0; j < sources.size(); ++j)
            sources[j] = {vector_of(xj[j]), mj[j]};
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
            targets[i] = {vector_of(xi[i]), vector_of(vi[i])};
        for (std::size_t j = 0; j < sources.size(); ++j)
            sources[j] = {vector_of(xj[j]), vector_of(vj[j]), mj[j]};
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
