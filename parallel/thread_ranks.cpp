#include "chamomile/parallel/thread_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>

namespace chamomile {
namespace {

/// The time until which a wait without an end goes on. condition_variable::wait() itself has a new
/// name in the library of g++ 12, by which a wheel would not load on systems with an older one.
constexpr auto without_end = std::chrono::steady_clock::time_point::max();

/// A Failure tells the error that ended the ranks, and of which rank it is.
struct Failure {
    int rank;
    Error error;
};

} // namespace

/// A Hub holds what is under way between the ranks.
class Hub {
public:
    Hub(int ranks, const RankOptions& options)
        : ranks_(ranks), options_(options), boxes_(std::size_t(ranks) * std::size_t(ranks))
    {}

    int ranks() const { return ranks_; }
    const RankOptions& options() const { return options_; }

    void put(int from, int to, Parcel parcel)
    {
        const std::lock_guard lock(mutex_);
        throw_if_failed(from);
        box(from, to).push_back(std::move(parcel));
        changed_.notify_all();
    }

    /// Waits for so many seconds, or (none) until it comes.
    Parcel take(int from, int to, std::optional<double> limit)
    {
        std::unique_lock lock(mutex_);
        std::deque<Parcel>& here = box(from, to);
        const auto is_ready = [&] { return failure_ || !here.empty(); };
        if (!limit)
            changed_.wait_until(lock, without_end, is_ready);
        else if (!changed_.wait_for(lock, std::chrono::duration<double>(*limit), is_ready))
            throw silent_rank(from, ranks_, *limit);
        throw_if_failed(to);
        Parcel parcel = std::move(here.front());
        here.pop_front();
        return parcel;
    }

    void fail(int rank, const Error& error)
    {
        const std::lock_guard lock(mutex_);
        if (!failure_)
            failure_ = Failure{rank, error};
        changed_.notify_all();
    }

    std::optional<Failure> failure() const
    {
        const std::lock_guard lock(mutex_);
        return failure_;
    }

    void end_one()
    {
        const std::lock_guard lock(mutex_);
        ++ended_;
        changed_.notify_all();
    }

    /// Returns whether so many threads have ended, for which a failure leaves the time limit.
    bool wait_for_ends(int threads)
    {
        std::unique_lock lock(mutex_);
        const auto have_ended = [&] { return ended_ >= threads; };
        if (!failure_)
            changed_.wait_until(lock, without_end, [&] { return have_ended() || failure_; });
        return changed_.wait_for(lock, std::chrono::duration<double>(options_.time_limit),
                                 have_ended);
    }

private:
    std::deque<Parcel>& box(int from, int to)
    {
        return boxes_[std::size_t(from) * std::size_t(ranks_) + std::size_t(to)];
    }

    void throw_if_failed(int rank) const
    {
        if (failure_)
            throw PeerFailed(failure_->error.fault(),
                             failure_->rank == rank
                                 ? failure_->error.what()
                                 : of_rank(failure_->rank, ranks_, failure_->error).what());
    }

    int ranks_;
    RankOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::deque<Parcel>> boxes_; // from one rank to another
    std::optional<Failure> failure_;
    int ended_ = 0;
};

namespace {

class ThreadRank final : public Communicator {
public:
    ThreadRank(std::shared_ptr<Hub> hub, int rank)
        : hub_(std::move(hub)), rank_(rank),
          random_(hub_->options().held_back.value_or(0) + std::uint64_t(rank))
    {
        set_time_limit(hub_->options().time_limit);
    }

    int rank() const override { return rank_; }
    int size() const override { return hub_->ranks(); }
    int ranks_on_host() const override { return hub_->ranks(); }
    int rank_on_host() const override { return rank_; }
    int share_of_threads(int threads) const override { return std::max(1, threads / size()); }
    void fail(const Error& error) noexcept override { hub_->fail(rank_, error); }
    bool has_failed() const override { return hub_->failure().has_value(); }

private:
    std::vector<Parcel> transfer(std::span<const std::span<const std::byte>> to,
                                 Patience patience) override
    {
        for (int r = 0; r < size(); ++r) {
            hold_back();
            hub_->put(rank_, r, Parcel(to[std::size_t(r)]));
        }
        std::vector<Parcel> from;
        for (int r = 0; r < size(); ++r)
            from.push_back(hub_->take(r, rank_,
                                      patience == Patience::limited ? std::optional(time_limit())
                                                                    : std::nullopt));
        return from;
    }

    void hold_back()
    {
        if (hub_->options().held_back)
            std::this_thread::sleep_for(std::chrono::microseconds(random_() % 1000));
    }

    std::shared_ptr<Hub> hub_;
    int rank_;
    std::mt19937_64 random_;
};

/// Runs one rank; what it throws ends all.
void run_rank(const std::shared_ptr<Hub>& hub, int rank,
              const std::function<void(Communicator&)>& body)
{
    ThreadRank communicator(hub, rank);
    try {
        body(communicator);
    } catch (const PeerFailed&) { // the rank that failed has told why
    } catch (...) {
        hub->fail(rank, error_of(std::current_exception()));
    }
}

} // namespace

ThreadRanks::ThreadRanks(int ranks, const std::function<void(Communicator&)>& body,
                         RankOptions options)
{
    if (ranks < 1 || ranks > most_thread_ranks)
        throw Error(Fault::usage, "ranks: " + std::to_string(ranks) + ": must be 1 to " +
                                      std::to_string(most_thread_ranks));
    hub_ = std::make_shared<Hub>(ranks, options);
    first_ = std::make_unique<ThreadRank>(hub_, 0);
    try {
        for (int r = 1; r < ranks; ++r)
            threads_.emplace_back([hub = hub_, r, body] { // copies, for a thread left behind
                run_rank(hub, r, body);
                hub->end_one();
            });
    } catch (const std::system_error& error) {
        hub_->fail(0, Error(Fault::input, std::to_string(ranks) + " ranks: cannot be started: " +
                                              error.code().message()));
    }
}

ThreadRanks::~ThreadRanks()
{
    try {
        end();
    } catch (const Error&) { // the first caller has learnt of it
    }
}

void ThreadRanks::end()
{
    const bool all_ended = hub_->wait_for_ends(int(threads_.size()));
    for (std::thread& thread : threads_)
        all_ended ? thread.join() : thread.detach();
    threads_.clear();
    if (const auto failure = hub_->failure())
        throw of_rank(failure->rank, hub_->ranks(), failure->error);
}

void run_ranks(int ranks, const std::function<void(Communicator&)>& body, RankOptions options)
{
    ThreadRanks all(ranks, body, options);
    try {
        body(all.first());
    } catch (...) {
        all.first().fail(error_of(std::current_exception())); // the first failure counts
        throw;                                                // when all have ended
    }
    all.end();
}

} // namespace chamomile
