// CUNBODY-1's calls, with the names of its paper and its library, implemented with pairwise-law
// solvers.
#include "chamomile/interfaces/cunbody/cunbody.h"

#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "chamomile/force/gpu.hpp"
#include "chamomile/force/pairs/laws/gravity.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/interfaces/pair_door.hpp"
#include "chamomile/interfaces/second_names.hpp"

namespace chamomile {
namespace {

thread_local std::string last_error;
thread_local std::optional<int> device_of_call; ///< the GPU that a call names

/// A PendingCall holds the sums between cunbody1_force_begin() and cunbody1_force_end().
struct PendingCall {
    bool waiting = false;
    std::vector<GravityAcceleration::Sum<double>> sums;
};
thread_local PendingCall pending_call;

void require_numbers(int ni, int nj)
{
    checked_count("ni", ni);
    checked_count("nj", nj);
}

/// Returns the options of a call. Environment variables override the call. Without GPUs, the call's
/// choice is ignored.
PairOptions options_of_call()
{
    PairOptions options = options_of_environment();
    if (device_of_call && !std::getenv("CHAMOMILE_DEVICE") && !list_gpus().empty())
        options.device = "gpu:" + std::to_string(*device_of_call);
    return options;
}

template <class Law>
std::vector<typename Law::template Sum<double>>
sum(double eps2, const std::vector<typename Law::template Target<double>>& targets,
    const std::vector<typename Law::template Source<double>>& sources)
{
    thread_local std::map<std::optional<int>, KeptSolver<Law>> kept; // by device
    const double eps = std::sqrt(checked_softening("eps2", eps2));
    const Law law{eps};
    std::vector<typename Law::template Sum<double>> sums(targets.size());
    kept[device_of_call]
        .with(law, options_of_call)
        .sum({as_rows(std::span(targets)), as_rows(std::span(sources)), {}, {}},
             as_rows(std::span(sums)));
    repair<Law>(law, targets, sources, sums, [&](std::size_t i, std::size_t j) {
        return eps > 0 || !(sources[j].position == targets[i].position);
    });
    return sums;
}

std::vector<GravityAcceleration::Sum<double>>
forces(const double (*xj)[3], const double* mj, const double (*xi)[3], double eps2, int ni, int nj)
{
    require_numbers(ni, nj);
    std::vector<GravityAcceleration::Target<double>> targets(std::size_t(ni), {{}});
    std::vector<GravityAcceleration::Source<double>> sources(std::size_t(nj), {{}, 0});
    for (std::size_t i = 0; i < targets.size(); ++i)
        targets[i].position = vector_of(xi[i]);
    for (std::size_t j = 0; j < sources.size(); ++j)
        sources[j] = {vector_of(xj[j]), mj[j]};
    return sum<GravityAcceleration>(eps2, targets, sources);
}

void store(const std::vector<GravityAcceleration::Sum<double>>& sums, double (*a)[3])
{
    for (std::size_t i = 0; i < sums.size(); ++i)
        store(sums[i].acceleration, a[i]);
}

/// Runs a call. Returns false if it failed.
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
    if (!succeeds([&] { store(forces(xj, mj, xi, eps2, ni, nj), a); }))
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

SECOND_NAME(7, cunbody1_force, force);

void cunbody1_force_mp(int devid, const double (*xj)[3], const double* mj, const double (*xi)[3],
                       double eps2, double (*a)[3], int ni, int nj)
{
    device_of_call = devid;
    force(xj, mj, xi, eps2, a, ni, nj);
    device_of_call.reset();
}

void cunbody1_force_begin(const double (*xj)[3], const double* mj, const double (*xi)[3],
                          double eps2, double (*)[3], int ni, int nj)
{
    pending_call.waiting = succeeds([&] { pending_call.sums = forces(xj, mj, xi, eps2, ni, nj); });
}

void cunbody1_force_end(const double (*)[3], const double*, const double (*)[3], double,
                        double (*a)[3], int ni, int)
{
    // An error of cunbody1_force_begin() is reported here.
    if (!pending_call.waiting && !last_error.empty())
        return fill_with_nan(&a[0][0], 3 * std::ptrdiff_t(ni));
    const auto call = [&] {
        if (!pending_call.waiting)
            throw Error(Fault::usage,
                        "order of calls: call cunbody1_force_begin before cunbody1_force_end");
        pending_call.waiting = false;
        if (checked_count("ni", ni) != pending_call.sums.size())
            throw Error(Fault::usage, "ni: " + std::to_string(ni) +
                                          ": must be as in cunbody1_force_begin, " +
                                          std::to_string(pending_call.sums.size()));
        store(pending_call.sums, a);
    };
    if (!succeeds(call))
        fill_with_nan(&a[0][0], 3 * std::ptrdiff_t(ni));
}

const char* cunbody_error(void)
{
    return last_error.c_str();
}

FORTRAN(7, force);
FORTRAN(11, force_jerk_potential);
FORTRAN(7, cunbody1_force);
FORTRAN(8, cunbody1_force_mp);
FORTRAN(7, cunbody1_force_begin);
FORTRAN(7, cunbody1_force_end);

void cunbody_error_text_(char* text, std::size_t length)
{
    std::memset(text, ' ', length);
    std::memcpy(text, last_error.data(), std::min(length, last_error.size()));
}

} // extern "C"
