/// \file  Sums over pairs by any law. Targets and sources are separate; sums are direct or have a
/// cut-off.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "chamomile/core/profile.hpp"
#include "chamomile/force/pairs/law_code.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// How and where to sum pairs.
struct PairOptions {
    Precision precision = Precision::single_precision;
    std::string device = "auto";          ///< auto, cpu, gpu or gpu:n
    std::string instruction_set = "auto"; ///< for the CPU
    /// Sources beyond the cut-off may be skipped; within it the law decides. Needs positions.
    /// Infinite: all pairs.
    double cutoff = std::numeric_limits<double>::infinity();
    /// Sides of a periodic box; 0: not periodic along that axis. A side must be at least twice the
    /// cut-off.
    Vec3<double> period{};
    int group_size = 0; ///< max targets per list of tiles; 0: chosen
};

/// Sources that a target does not see, in compressed rows: for target i (the caller's index)
/// sources[begin[i] .. begin[i + 1]), as the caller's indices in any order.
struct Exclusions {
    std::span<const std::uint64_t> begin; ///< empty: no exclusions; else one more than targets
    std::span<const std::uint32_t> sources;
};

/// Stands for no source.
inline constexpr std::uint32_t no_source = 0xffffffffu;

/// Small systems of bodies, one after the other: block-diagonal sums. Bodies see only their own
/// system, each without itself. Needs an infinite cut-off.
struct SmallSystems {
    /// System b has the sources offsets[b] to offsets[b + 1] - 1. Empty: no small systems.
    std::span<const std::uint64_t> offsets;
    int left_out = 0; ///< a target's row is its source's row without this value
    /// Values are not checked again: the sums of a value that is not finite are not finite.
    bool is_checked = false;
    /// Sources and sums are in memory of the solver's GPU. `is_checked` is then set, and no side of
    /// a system is longer than `extent`.
    bool on_device = false;
    double extent = 0;

    bool empty() const { return offsets.empty(); }
    std::size_t size() const { return offsets.size() - 1; }
};

/// What to sum. Rows are consecutive doubles, in the order of the law's records.
struct PairTask {
    std::span<const double> targets; ///< n_i rows
    std::span<const double> sources; ///< n_j rows
    /// self[i]: index of the source identical to target i, excluded from its sum, or no_source;
    /// empty: no target is a source.
    std::span<const std::uint32_t> self;
    Exclusions excluded;
    SmallSystems systems = {}; ///< then all members but `sources` are empty
};

/// Work done for one sum.
struct PairStatistics {
    std::uint64_t pairs = 0; ///< evaluated, excluded ones included
    std::uint64_t targets = 0, sources = 0, groups = 0;
    double device_busy = 0; ///< seconds during which a pair kernel ran; 0 on the host
    Profile profile;
};

/// Sums by one law. Not thread-safe: use one solver per thread. No bit of a sum depends on the
/// number of threads.
class PairSolver {
public:
    virtual ~PairSolver() = default;

    /// Writes n_i rows. Throws Error(input) for a non-finite value or an incomplete row,
    /// Error(device) if the device fails. Sums need not be finite: the law defines the value for
    /// coincident pairs.
    virtual PairStatistics sum(const PairTask& task, std::span<double> sums) = 0;

    /// Returns a device name such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;
};

/// Returns a solver for the law, which is copied. Throws Error(usage) for options out of range,
/// Error(device) if the device is absent or the law was not compiled for it.
std::unique_ptr<PairSolver> make_pair_solver(const LawCode& code, const void* law,
                                             const PairOptions& options);

template <class Law>
std::unique_ptr<PairSolver> make_pair_solver(const Law& law, const PairOptions& options = {})
{
    return make_pair_solver(law_code<Law>(), &law, options);
}

/// Returns records as rows of doubles.
template <class Record>
std::span<const double> as_rows(std::span<const Record> records)
{
    static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % sizeof(double) == 0);
    return {reinterpret_cast<const double*>(records.data()),
            records.size() * (sizeof(Record) / sizeof(double))};
}

template <class Record>
std::span<double> as_rows(std::span<Record> records) requires(!std::is_const_v<Record>)
{
    return {reinterpret_cast<double*>(records.data()),
            records.size() * (sizeof(Record) / sizeof(double))};
}

} // namespace chamomile
