// Several cards share a direct sum: each has all sources and a part of the targets.
#include <exception>
#include <thread>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile {
namespace {

/// Sums of fewer pairs are done sooner by one card.
constexpr double least_shared = 1e10;

class DealtDirectSolver final : public Solver {
public:
    DealtDirectSolver(const std::vector<int>& devices, const SolverOptions& options)
        : options_(options)
    {
        for (const int device : devices)
            cards_.push_back(make_cuda_direct_solver(device, options));
    }

    ForceStatistics evaluate(const Request& request) override
    {
        require_whole(request);
        if (request.position.on_device || request.rung)
            throw Error(Fault::usage, "several cards: arrays: must lie on the host");
        const std::size_t cards = cards_.size(),
                          n = request.active.empty() ? request.count : request.active.size();
        if (double(n) * double(request.count) < least_shared)
            return cards_[0]->evaluate(request);
        std::vector<ForceStatistics> statistics(cards);
        numbers_.resize(cards);
        std::vector<std::exception_ptr> failures(cards);
        std::vector<std::jthread> threads; // joined also where one cannot be started
        for (std::size_t c = 0; c < cards; ++c)
            threads.emplace_back([&, c, count = std::max(1, thread_count() / int(cards))] {
                use_threads(count);
                try {
                    statistics[c] =
                        cards_[c]->evaluate_part(request, {int(c), int(cards)}, numbers_[c]);
                } catch (...) {
                    failures[c] = std::current_exception();
                }
            });
        threads.clear();
        for (const std::exception_ptr& failure : failures)
            if (failure)
                std::rethrow_exception(failure);
        return together(statistics);
    }

    std::string device() const override
    {
        return std::to_string(cards_.size()) + " cards, " + cards_[0]->device();
    }
    const SolverOptions& options() const override { return options_; }

private:
    /// The cards work at once: the times are those of the one that takes longest.
    static ForceStatistics together(const std::vector<ForceStatistics>& cards)
    {
        ForceStatistics all;
        std::size_t slowest = 0;
        for (std::size_t c = 0; c < cards.size(); ++c) {
            if (cards[c].device_span > cards[slowest].device_span)
                slowest = c;
            add(all, cards[c]);
        }
        all.device_busy = cards[slowest].device_busy;
        all.device_span = cards[slowest].device_span;
        all.device_wait = cards[slowest].device_wait;
        all.profile = cards[slowest].profile;
        return all;
    }

    SolverOptions options_;
    std::vector<std::unique_ptr<DirectSolver>> cards_;
    std::vector<std::vector<Index>> numbers_; // of the targets of each card
};

} // namespace

std::unique_ptr<Solver> make_dealt_direct_solver(const std::vector<int>& devices,
                                                 const SolverOptions& options)
{
    return std::make_unique<DealtDirectSolver>(devices, options);
}

} // namespace chamomile
