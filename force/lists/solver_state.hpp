/// \file  The state that a solver's later evaluations depend on, kept while one is under way that
/// may fail.
#pragma once

#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Gives the state back (Solver::exchange) where its scope is left by an exception.
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
        } catch (const std::exception&) { // the first error is the one to tell
        }
    }

    /// Accepts what the solver has now, because all went well.
    void accept() { is_accepted_ = true; }

private:
    Solver& solver_;
    MemoryArchive state_;
    bool is_accepted_ = false;
};

} // namespace chamomile
