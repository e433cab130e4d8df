/// \file  Saves a solver's state during an evaluation that may fail.
#pragma once

#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Restores the solver's state (Solver::exchange()) if an exception leaves its scope.
class SolverState {
public:
    explicit SolverState(Solver& solver) : solver_(solver) { solver_.exchange(state_); }
    SolverState(const SolverState&) = delete;
    SolverState& operator=(const SolverState&) = delete;
    ~SolverState()
    {
        if (is_accepted_)
            return;
        state_.rewind();
        try {
            solver_.exchange(state_);
        } catch (const std::exception&) { // report the first error only
        }
    }

    /// Keeps the solver's new state, after success.
    void accept() { is_accepted_ = true; }

private:
    Solver& solver_;
    MemoryArchive state_;
    bool is_accepted_ = false;
};

} // namespace chamomile
