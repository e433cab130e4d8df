/// \file  Ranks with a failure at any exchange.
#pragma once

#include <atomic>
#include <new>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"

namespace chamomile::tests {

/// A FailingRank fails before a given exchange, counted from 0.
class FailingRank final : public Communicator {
public:
    FailingRank(Communicator& ranks, int exchange, bool of_memory)
        : ranks_(ranks), left_(exchange), of_memory_(of_memory)
    {
        set_time_limit(ranks.time_limit());
    }

    int rank() const override { return ranks_.rank(); }
    int size() const override { return ranks_.size(); }
    int ranks_on_host() const override { return ranks_.ranks_on_host(); }
    int share_of_threads(int threads) const override { return ranks_.share_of_threads(threads); }
    void fail(const Error& error) noexcept override { ranks_.fail(error); }
    bool has_failed() const override { return ranks_.has_failed(); }

    /// Returns whether the failing exchange was reached.
    bool has_occurred() const { return left_ < 0; }

private:
    void transfer(std::span<const std::span<const std::byte>> to, Inbox& inbox,
                  Timeout timeout) override
    {
        if (left_-- == 0) {
            if (of_memory_)
                throw std::bad_alloc();
            throw Error(Fault::input, "a fault");
        }
        ranks_.exchange(to, inbox, timeout);
    }

    Communicator& ranks_;
    int left_;
    bool of_memory_;
};

/// The outcome of ranks with a failure.
struct FailedRanks {
    std::string line;          ///< the error common to all ranks, or ""
    bool has_occurred = false; ///< the failing exchange was reached
    bool reports =
        false; ///< the line matches the failure, or is empty if the failure was not reached
};

/// Runs body(communicator) on ranks; rank `failing` fails before exchange `exchange`. Odd exchanges
/// fail from lack of memory.
template <class Body>
FailedRanks run_with_fault(int ranks, int failing, int exchange, const Body& body)
{
    const bool of_memory = exchange % 2 == 1;
    std::atomic<bool> has_occurred{false};
    FailedRanks failed;
    try {
        run_ranks(ranks,
                  [&](Communicator& own) {
                      FailingRank with_fault(own, own.rank() == failing ? exchange : -1, of_memory);
                      try {
                          body(with_fault);
                      } catch (...) {
                          if (own.rank() == failing) // other ranks would overwrite its value
                              has_occurred = with_fault.has_occurred();
                          throw;
                      }
                  },
                  {.time_limit = 60, .held_back = {}});
    } catch (...) {
        failed.line = error_of(std::current_exception()).what();
    }
    failed.has_occurred = has_occurred;
    const std::string what = of_memory ? "not enough memory for the particles or cells" : "a fault";
    const std::string named =
        "rank " + std::to_string(failing) + " of " + std::to_string(ranks) + ": " + what;
    failed.reports = has_occurred ? failed.line.starts_with(what) || failed.line.starts_with(named)
                                  : failed.line.empty();
    return failed;
}

} // namespace chamomile::tests
