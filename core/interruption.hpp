/// \file  Ends a long call from outside: Ctrl-C in Python, chm_cancel() in C.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace chamomile {

/// While it exists, an Interruption watches the calls of its thread. Long loops call
/// look_for_interruption(), which calls `look` at most every 100 ms. An exception from `look` ends
/// the call; results are then incomplete.
class Interruption {
public:
    explicit Interruption(std::function<void()> look);
    Interruption(const Interruption&) = delete;
    ~Interruption();

private:
    friend void look_for_interruption();

    std::function<void()> look_;
    std::chrono::steady_clock::time_point next_;
    Interruption* outer_;
};

/// While it exists, look_for_interruption() throws in this thread once `ended` is true.
class InterruptedBy {
public:
    explicit InterruptedBy(const std::atomic<bool>& ended);
    InterruptedBy(const InterruptedBy&) = delete;
    ~InterruptedBy();

private:
    const std::atomic<bool>* outer_;
};

/// Calls `look` of this thread's latest Interruption if it is time, and passes on its exceptions.
/// In a parallel region the first thread has an Interruption, each thread an InterruptedBy.
void look_for_interruption();

} // namespace chamomile
