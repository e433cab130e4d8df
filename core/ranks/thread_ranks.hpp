/// \file  Ranks that are threads of one process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

class MessageQueues;

inline constexpr int max_thread_ranks = 1024;

/// How ranks wait for each other.
struct RankOptions {
    double time_limit = 600; ///< seconds after which a silent rank counts as failed
    /// For tests: seed for random delays up to 1 ms per message, to vary the order of arrival.
    std::optional<std::uint64_t> held_back = {};
};

/// Runs ranks as threads. The calling thread becomes rank 0; each further rank runs
/// body(communicator) in a new thread.
class ThreadRanks {
public:
    ThreadRanks(int ranks, const std::function<void(Communicator&)>& body, RankOptions options);
    /// Like end(), but throws nothing.
    ~ThreadRanks();
    ThreadRanks(const ThreadRanks&) = delete;
    ThreadRanks& operator=(const ThreadRanks&) = delete;

    Communicator& first() { return *first_; }

    /// Waits until the bodies on ranks 1 and above end, or throws the first failure. If a rank
    /// stays silent after a failure, every thread is detached; it touches only what `body` holds by
    /// value.
    void end();

private:
    std::shared_ptr<MessageQueues> queues_;
    std::unique_ptr<Communicator> first_;
    std::vector<std::thread> threads_;
};

/// Runs body(communicator) on `ranks` ranks, with rank 0 in the calling thread. Returns when all
/// have ended, or throws the first failure.
void run_ranks(int ranks, const std::function<void(Communicator&)>& body, RankOptions options = {});

} // namespace chamomile
