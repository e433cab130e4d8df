/// \file  Batches: many small systems of bodies in one call, by direct sums.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chamomile/force/field.hpp"

namespace chamomile {

/// Systems of bodies, one after the other in each array. Arrays are on the host, or all of them on
/// the solver's GPU.
struct Batch {
    /// System b has the bodies offsets[b] to offsets[b + 1] - 1, one or more; one more offset than
    /// systems.
    std::span<const std::uint64_t> offsets;
    ArrayView position, velocity, mass; ///< `velocity` is for jerks and advance()
    ArrayView softening = {};           ///< per body; empty: one length for all

    std::size_t systems() const { return offsets.empty() ? 0 : offsets.size() - 1; }
    std::size_t bodies() const { return offsets.empty() ? 0 : offsets.back(); }
};

enum class BatchScheme {
    leapfrog, ///< kick, drift, kick
    hermite   ///< fourth order: predict, evaluate, correct (Makino & Aarseth 1992)
};

/// Shared steps of each system.
struct BatchSteps {
    BatchScheme scheme = BatchScheme::leapfrog;
    std::span<const double> length; ///< a single one, or one per system
    std::uint64_t count = 1;
};

class BatchRows;

/// Sums and steps of batches. Not thread-safe. No bit of a result depends on the number of threads,
/// or on other systems in the batch if their sizes and masses are within some 1e12 of each other.
class BatchSolver {
public:
    /// Throws Error(usage) with the refusal, and like make_solver().
    explicit BatchSolver(const SolverOptions& options);
    ~BatchSolver();

    /// Evaluates the field at each body due to the other bodies of its system. Not for tidal
    /// tensors. Throws Error(usage) for wrong offsets or views, Error(input) for non-finite values
    /// or coincident bodies without softening, Error(device).
    ForceStatistics evaluate(const Batch& batch, const FieldResults& results);

    /// Moves all bodies by equal steps: replaces positions and velocities. Throws like evaluate(),
    /// and leaves the arrays unchanged then, unless a GPU's memory held parts of the batch only.
    ForceStatistics advance(const Batch& batch, const BatchSteps& steps);

    /// Returns a device name such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    std::string device();
    /// Returns the options in force.
    const SolverOptions& options() const { return options_; }

private:
    struct Laws;

    void begin(const Batch& batch, bool with_jerks, bool moves, const FieldResults& results);
    void sum(ForceStatistics& statistics);
    void repair();
    [[noreturn]] void refuse_values(const Batch& batch) const;
    [[noreturn]] void refuse_sum(std::size_t system, std::size_t body, std::span<const double> rows,
                                 std::size_t width) const;
    ArrayView mirrored(const ArrayView& view, std::size_t slot, bool is_read);
    void write_back(const ArrayView& to, const ArrayView& from) const;

    SolverOptions options_;
    int gpu_;
    std::unique_ptr<Laws> laws_;
    std::unique_ptr<BatchRows> rows_;
    Batch batch_; // in memory of the solver's device
    FieldResults results_;
    bool with_jerks_ = false;
    double unit_ = 1, extent_ = 0; // of masses; of systems
    std::vector<std::shared_ptr<std::byte>> mirrors_;
    std::vector<std::size_t> mirror_bytes_;
};

/// Returns why no batch can be solved with these options; nothing if it can.
std::optional<std::string> batch_refusal(const SolverOptions& options);

} // namespace chamomile
