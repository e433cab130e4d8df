/// \file  A GRAPE-5 board: memory for j-particles (sources), pipelines for i-particles (targets).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "chamomile/force/pairs/laws/gravity.hpp"
#include "chamomile/force/pairs/laws/softened_pairs.hpp"
#include "chamomile/force/pairs/laws/softened_quadrupoles.hpp"
#include "chamomile/interfaces/grape5/force_table.hpp"
#include "chamomile/interfaces/pair_door.hpp"

namespace chamomile {

using Row = const double[3];

/// A Board throws Error(usage) for values out of range or calls out of order. Array pointers refer
/// to address 0: loading nj from adr reads x[adr] to x[adr + nj - 1]. It has a member for each
/// register of the board.
class Board {
public:
    static constexpr std::size_t max_sources = 1 << 24;

    void load_positions(int adr, int nj, Row* x);
    void load_masses(int adr, int nj, const double* m);
    void load_softenings(int adr, int nj, const double* eps2); ///< null: none
    void load_cells(int adr, int nj, Row* x, const double* m, const double (*q)[6]);
    void use_sources(int n) { used_ = checked_count("n", n); }
    void use_cells(int n) { used_cells_ = checked_count("n", n); }

    void set_targets(int ni, Row* x, double eps2);
    void set_softenings(int ni, const double* eps2); ///< of the targets; call after set_targets()

    /// Sums Newtonian forces, or forces from a table.
    void sum_sources(const std::shared_ptr<const ForceTable>& table);
    void sum_cells();
    /// Returns accelerations, and potentials: sum m / u times `sign` (+1 or -1).
    void results(int ni, double (*a)[3], double* potential, int sign) const;

    std::mutex mutex;
    bool faulty = false; ///< the last load failed

private:
    using Source = GravityPotential::Source<double>;
    using Target = GravityPotential::Target<double>;

    std::size_t grow(int adr, int nj, const char* what);
    template <class Law>
    void sum(PairSolver& solver, const Law& law,
             const std::vector<typename Law::template Target<double>>& targets,
             std::span<const typename Law::template Source<double>> sources);
    template <class Law>
    std::vector<typename Law::template Target<double>> softened_targets() const;
    void require_targets() const;

    std::vector<Source> sources_;         ///< NaN if not loaded
    std::vector<double> eps2_of_sources_; ///< empty: none
    std::vector<SoftenedQuadrupoles::Source<double>> cells_;
    std::size_t used_ = 0, used_cells_ = 0;

    std::vector<Target> targets_;
    double eps2_ = 0;                     ///< common softening,
    std::vector<double> eps2_of_targets_; ///< or per target
    bool has_targets_ = false, has_results_ = false;
    std::vector<double> sums_; ///< acceleration and potential of each target

    KeptSolver<GravityPotential> uniform_;
    KeptSolver<SoftenedPairs> softened_;
    KeptSolver<SoftenedQuadrupoles> quadrupoles_;
    std::unique_ptr<PairSolver> tabulated_;
    std::shared_ptr<const ForceTable> table_; ///< law of tabulated_
};

} // namespace chamomile
