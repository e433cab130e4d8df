/// \file  Threads without signals.
#pragma once

#include <csignal>

namespace chamomile {

/// Blocks all signals in its thread during its lifetime. Threads started then keep them blocked, so
/// that the run's thread gets the signals.
class SignalsBlocked {
public:
    SignalsBlocked()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_;
};

} // namespace chamomile
