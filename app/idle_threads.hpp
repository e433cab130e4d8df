/// \file  How long idle OpenMP threads spin before they sleep.
#pragma once

namespace chamomile::app {

/// Makes waiting threads sleep after 10000 spins, 0.1 to 0.5 ms, if other programs hold the cores
/// or the arguments name several ranks, and no environment variable sets the wait policy. OpenMP
/// reads the environment before main(), so this restarts the program in the same process with the
/// same arguments. Call it before anything is opened or started.
void let_idle_threads_sleep(int argc, char** argv);

} // namespace chamomile::app
