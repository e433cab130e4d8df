/// \file  Common parts of the libraries that implement other codes' calls: options from the
/// environment, persistent solvers, repair of overflows in float, first error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/pairs/pair_solver.hpp"

namespace chamomile {

/// Returns the options from CHAMOMILE_DEVICE (auto, cpu, gpu, gpu:1) and CHAMOMILE_PRECISION
/// (float, double).
inline PairOptions options_of_environment()
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

/// Returns CHAMOMILE_PIPES, the number of i-particles per call recommended to the host code, or
/// `usual` if it is not a positive number.
inline int pipes_of_environment(int usual)
{
    const char* text = std::getenv("CHAMOMILE_PIPES");
    const long pipes = text ? std::strtol(text, nullptr, 10) : 0;
    return pipes > 0 && pipes <= 1 << 30 ? int(pipes) : usual;
}

/// Returns `value`. Throws Error(usage) if it is negative or not finite.
inline double checked_softening(const char* name, double value)
{
    if (!(value >= 0) || !std::isfinite(value))
        throw Error(Fault::usage,
                    std::string(name) + ": " + std::to_string(value) + ": must be 0 or more");
    return value;
}

/// Returns n. Throws Error(usage) if it is negative.
inline std::size_t checked_count(const char* name, int n)
{
    if (n < 0)
        throw Error(Fault::usage,
                    std::string(name) + ": " + std::to_string(n) + ": must be 0 or more");
    return std::size_t(n);
}

/// Throws Error(usage) for a null pointer to n > 0 items.
template <class T>
void require_pointer(const char* name, const T* pointer, std::size_t n)
{
    if (!pointer && n > 0)
        throw Error(Fault::usage, std::string(name) + ": must not be null");
}

/// A KeptSolver holds a solver for one law. The solver is remade when the law's numbers change.
template <class Law>
class KeptSolver {
public:
    PairSolver& with(const Law& law) { return with(law, options_of_environment); }
    /// Returns the solver. options() is called to make a new one.
    template <class Options>
    PairSolver& with(const Law& law, Options options)
    {
        if (!solver_ || differs(law)) {
            solver_ = make_pair_solver(law, options());
            law_ = law;
        }
        return *solver_;
    }

private:
    bool differs(const Law& law) const
    {
        if constexpr (std::is_empty_v<Law>)
            return false;
        else
            return std::memcmp(&law, &*law_, sizeof law) != 0;
    }

    std::unique_ptr<PairSolver> solver_;
    std::optional<Law> law_;
};

/// Throws Error(usage) in a forked child of a process that has computed before. Threads and devices
/// do not survive a fork, and the child would wait forever.
inline void require_same_process()
{
    static const pid_t first = getpid();
    if (getpid() != first)
        throw Error(Fault::usage, "forked process: cannot compute after a call of the parent: fork "
                                  "before the first call");
}

inline bool all_finite(std::span<const double> values)
{
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// Recomputes non-finite sums in double, pair by pair: pairs may be too close for float. meets(i,
/// j) returns whether target i interacts with source j.
template <class Law, class Meets>
void repair(const Law& law, std::span<const typename Law::template Target<double>> targets,
            std::span<const typename Law::template Source<double>> sources,
            std::span<typename Law::template Sum<double>> sums, Meets meets)
{
    using Sum = typename Law::template Sum<double>;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (all_finite(as_rows(std::span<const Sum>(&sums[i], 1))))
            continue;
        sums[i] = Sum{};
        for (std::size_t j = 0; j < sources.size(); ++j)
            if (meets(i, j))
                law(targets[i], sources[j], sums[i]);
    }
}

inline void fill_with_nan(double* values, std::ptrdiff_t count)
{
    if (values)
        std::fill_n(values, std::max<std::ptrdiff_t>(0, count),
                    std::numeric_limits<double>::quiet_NaN());
}

inline Vec3<double> vector_of(const double (&x)[3])
{
    return {x[0], x[1], x[2]};
}

inline void store(const Vec3<double>& x, double (&to)[3])
{
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
}

/// A FirstFault keeps the first error message since the last clear(), from any thread.
class FirstFault {
public:
    void keep(const char* call, const char* line) noexcept
    {
        const std::lock_guard lock(mutex_);
        try {
            if (line_.empty())
                line_ = std::string(call) + ": " + line;
        } catch (...) { // no memory for the message
        }
    }
    void clear() noexcept
    {
        const std::lock_guard lock(mutex_);
        line_.clear();
    }
    /// Returns a copy, valid until this thread calls again.
    const char* line() noexcept
    {
        thread_local std::string copy;
        const std::lock_guard lock(mutex_);
        try {
            copy = line_;
        } catch (...) {
        }
        return copy.c_str();
    }

private:
    std::mutex mutex_;
    std::string line_;
};

} // namespace chamomile
