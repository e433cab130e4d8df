/// \file  The end of a long call from outside: Ctrl-C in Python, chm_cancel() in C.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace chamomile {

/// An Interruption watches the calls of one thread while it lives. Long loops call
/// look_for_interruption(), which calls `look` every 100 ms. What `look` throws ends the call;
/// results are then incomplete.
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

/// While it lives, look_for_interruption() throws in this thread once `ended` is true.
class InterruptedBy {
public:
    explicit InterruptedBy(const std::atomic<bool>& ended);
    InterruptedBy(const InterruptedBy&) = delete;
    ~InterruptedBy();

private:
    const std::atomic<bool>* outer_;
};

/// Calls `look` of this thread's latest Interruption if it is time. Throws what `look` throws. In a
/// parallel region the first thread has an Interruption, each thread an InterruptedBy.
void look_for_interruption();

} // namespace chamomile
