#include "chamomile/core/interruption.hpp"

#include <utility>

namespace chamomile {
namespace {

constexpr std::chrono::milliseconds interval{100};

thread_local Interruption* present = nullptr;
thread_local const std::atomic<bool>* region_ended = nullptr;

/// Ends the work of a thread. FirstException has kept an earlier exception.
struct RegionEnded {};

} // namespace

Interruption::Interruption(std::function<void()> look)
    : look_(std::move(look)), next_(std::chrono::steady_clock::now() + interval),
      outer_(std::exchange(present, this))
{}

Interruption::~Interruption()
{
    present = outer_;
}

InterruptedBy::InterruptedBy(const std::atomic<bool>& ended)
    : outer_(std::exchange(region_ended, &ended))
{}

InterruptedBy::~InterruptedBy()
{
    region_ended = outer_;
}

void look_for_interruption()
{
    if (region_ended && region_ended->load(std::memory_order_relaxed))
        throw RegionEnded();
    if (!present)
        return;
    const auto now = std::chrono::steady_clock::now();
    if (now < present->next_)
        return;
    present->next_ = now + interval;
    present->look_();
}

} // namespace chamomile
