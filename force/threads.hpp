/// \file  The number of host threads that the library uses.
#pragma once

#include "chamomile/core/error.hpp"

namespace chamomile {

inline constexpr int most_threads = 4096;

/// From now on parallel regions started by the calling thread use n threads, from 1 to
/// most_threads, or Error(usage). No result depends on n.
void use_threads(int n);

/// Starts them at once. Throws Error(input) where the system has no room for so many, for which
/// OpenMP would end the process.
void start_threads();

/// Returns the number of threads in use.
int thread_count();

/// Returns how many threads each of so many processes of this machine has: as many as cores that
/// its launcher has bound it to, else an equal part of all.
int threads_of_process(int processes);

/// A ThreadsInUse has the calling thread use n threads as long as it lives; 0: as many as before.
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
