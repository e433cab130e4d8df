/// \file  Ranks that are threads of one process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

class Hub;

inline constexpr int most_thread_ranks = 1024;

/// RankOptions say how ranks wait for each other.
struct RankOptions {
    double time_limit = 600; ///< seconds after which a rank that is silent counts as failed
    /// This is the seed by which each message is held back for a random while, at most a
    /// millisecond, so that tests see other orders of arrival.
    std::optional<std::uint64_t> held_back = {};
};

/// ThreadRanks are so many ranks, of which rank 0 is that of the caller; body(communicator) runs on
/// each other one in a thread of its own.
class ThreadRanks {
public:
    ThreadRanks(int ranks, const std::function<void(Communicator&)>& body, RankOptions options);
    /// Ends as end() does, and throws nothing.
    ~ThreadRanks();
    ThreadRanks(const ThreadRanks&) = delete;
    ThreadRanks& operator=(const ThreadRanks&) = delete;

    Communicator& first() { return *first_; }

    /// Returns when the bodies of the others have ended, or throws the first failure. The threads
    /// of a rank that stays silent are left behind: they touch nothing but what `body` holds by
    /// value.
    void end();

private:
    std::shared_ptr<Hub> hub_;
    std::unique_ptr<Communicator> first_;
    std::vector<std::thread> threads_;
};

/// Runs body(communicator) on `ranks` ranks, that of rank 0 by the calling thread, and returns when
/// all have ended. The first failure is thrown here.
void run_ranks(int ranks, const std::function<void(Communicator&)>& body, RankOptions options = {});

} // namespace chamomile
