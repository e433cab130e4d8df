#include "chamomile/core/interruption.hpp"

#include <utility>

namespace chamomile {
namespace {

constexpr std::chrono::milliseconds interval{100};

thread_local Interruption* present = nullptr;

} // namespace

Interruption::Interruption(std::function<void()> look)
    : look_(std::move(look)), next_(std::chrono::steady_clock::now() + interval),
      outer_(std::exchange(present, this))
{}

Interruption::~Interruption()
{
    present = outer_;
}

void look_for_interruption()
{
    if (!present)
        return;
    const auto now = std::chrono::steady_clock::now();
    if (now < present->next_)
        return;
    present->next_ = now + interval;
    present->look_();
}

} // namespace chamomile
