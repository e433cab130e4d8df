/// \file  The number of host threads that the library uses.
#pragma once

#include "chamomile/core/error.hpp"

namespace chamomile {

inline constexpr int max_threads = 4096;

/// Sets the thread count for later parallel regions from the calling thread: 1 to max_threads,
/// else Error(usage). No result depends on n.
void use_threads(int n);

/// Starts the threads now. Throws Error(input) if the system has no room for them, where OpenMP
/// would end the process.
void start_threads();

/// Returns the number of threads in use.
int thread_count();

/// Returns the thread count for each of `processes` on this machine: the cores to which the
/// launcher bound this process, else an equal share.
int threads_of_process(int processes);

/// Sets the calling thread's thread count to n during its lifetime; 0: unchanged.
class ThreadsInUse {
public:
    explicit ThreadsInUse(int n);
    ~ThreadsInUse();
    ThreadsInUse(const ThreadsInUse&) = delete;
    ThreadsInUse& operator=(const ThreadsInUse&) = delete;

private:
    int before_;
};

} // namespace chamomile
