/// \file  Exceptions in OpenMP parallel regions, from which no exception may escape.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>

#include "chamomile/core/interruption.hpp"

namespace chamomile {

/// Keeps the first exception of a parallel region for the thread that started the region. This
/// thread also looks for interruptions. After an exception, look_for_interruption() throws in the
/// other threads.
class FirstException {
public:
    template <class Work>
    void run(Work work) noexcept
    {
        if (caught_.load(std::memory_order_relaxed))
            return;
        try {
            const InterruptedBy others(caught_);
            look_for_interruption();
            work();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!exception_)
                exception_ = std::current_exception();
            caught_.store(true, std::memory_order_relaxed);
        }
    }
    bool caught() const { return exception_ != nullptr; }
    void rethrow() const { std::rethrow_exception(exception_); }

private:
    std::atomic<bool> caught_{false};
    std::mutex mutex_;
    std::exception_ptr exception_;
};

} // namespace chamomile
