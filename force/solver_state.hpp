/// \file  What a solver's later evaluations depend on, while one is under way that may fail.
#pragma once

#include "core/memory_archive.hpp"
#include "force/solver.hpp"

namespace chamomile {

/// Gives it back (Solver::exchange) where its scope is left by an exception.
class SolverState {
public:
    explicit SolverState(Solver& solver) : solver_(solver) { solver_.exchange(state_); }
    SolverState(const SolverState&) = delete;
    SolverState& operator=(const SolverState&) = delete;
    ~SolverState()
    {
        if (is_new_)
            return;
        state_.turn();
        solver_.exchange(state_);
    }

    /// All went well: what the solver has now counts.
    void renew() { is_new_ = true; }

private:
    Solver& solver_;
    MemoryArchive state_;
    bool is_new_ = false;
};

} // namespace chamomile
