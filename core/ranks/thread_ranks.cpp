#include "chamomile/core/ranks/thread_ranks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>

namespace chamomile {
namespace {

/// Deadline of a wait without timeout. condition_variable::wait() has a new symbol version in g++
/// 12's library, so a wheel with it would not load on systems with an older library.
constexpr auto without_end = std::chrono::steady_clock::time_point::max();

/// A rank waits awake this long before it sleeps: to wake it takes some 40 us.
constexpr std::chrono::microseconds awake{100};

} // namespace

/// MessageQueues is the mailbox for all ranks: it holds messages under way.
class MessageQueues {
public:
    /// The first error, which ended the ranks, and the failed rank.
    struct Failure {
        int rank;
        Error error;
    };

    MessageQueues(int ranks, const RankOptions& options)
        : ranks_(ranks), options_(options), messages_(std::size_t(ranks) * std::size_t(ranks)),
          mailboxes_(std::size_t(ranks))
    {}

    int ranks() const { return ranks_; }
    const RankOptions& options() const { return options_; }

    /// Posts a message without a copy: the bytes must stay until wait_until_taken() returns.
    void mailbox(int from, int to, std::span<const std::byte> bytes)
    {
        const std::lock_guard lock(mutex_);
        throw_if_failed(from);
        message(from, to) = {bytes, Message::State::posted};
        ++mailbox_of(from).not_taken;
        if (++mailbox_of(to).arrived == ranks_)
            mailbox_of(to).notify();
    }

    /// Waits up to `limit` seconds (none: forever) for messages from all ranks, and returns them.
    std::vector<std::span<const std::byte>> open(int to, std::optional<double> limit)
    {
        std::unique_lock lock(mutex_);
        Mailbox& mailbox = mailbox_of(to);
        const auto is_ready = [&] { return failure_ || mailbox.arrived == ranks_; };
        if (!mailbox.wait(lock, limit, is_ready))
            throw silent_rank(first_silent(to), ranks_, *limit);
        throw_if_failed(to);
        mailbox.arrived = 0;
        std::vector<std::span<const std::byte>> messages;
        for (int from = 0; from < ranks_; ++from) {
            message(from, to).state = Message::State::open;
            messages.push_back(message(from, to).bytes);
        }
        return messages;
    }

    /// Releases the opened messages after their use.
    void close(int to)
    {
        const std::lock_guard lock(mutex_);
        for (int from = 0; from < ranks_; ++from)
            if (message(from, to).state == Message::State::open)
                remove(from, to);
    }

    /// Waits until every receiver has used this rank's messages. Needs no timeout: after open(),
    /// every rank is known to be in this call.
    void wait_until_taken(int from)
    {
        std::unique_lock lock(mutex_);
        Mailbox& mailbox = mailbox_of(from);
        mailbox.wait(lock, {}, [&] { return failure_ || mailbox.not_taken == 0; });
        throw_if_failed(from);
    }

    /// Takes back unopened messages, and waits for receivers that use the others.
    void withdraw(int from)
    {
        std::unique_lock lock(mutex_);
        for (int to = 0; to < ranks_; ++to)
            if (message(from, to).state == Message::State::posted) {
                remove(from, to);
                --mailbox_of(to).arrived;
            }
        Mailbox& mailbox = mailbox_of(from);
        mailbox.wait(lock, {}, [&] { return mailbox.not_taken == 0; });
    }

    void fail(int rank, const Error& error)
    {
        const std::lock_guard lock(mutex_);
        if (!failure_)
            failure_ = Failure{rank, error};
        for (Mailbox& mailbox : mailboxes_)
            mailbox.notify();
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

    /// Waits until `threads` threads have ended; after a failure at most for the time limit plus
    /// `more` seconds. Returns whether they ended.
    bool wait_for_ends(int threads, double more = 0)
    {
        std::unique_lock lock(mutex_);
        const auto have_ended = [&] { return ended_ >= threads; };
        if (!failure_)
            changed_.wait_until(lock, without_end, [&] { return have_ended() || failure_; });
        return changed_.wait_for(lock, std::chrono::duration<double>(options_.time_limit + more),
                                 have_ended);
    }

private:
    /// A Message is a message between two ranks, in the sender's memory.
    struct Message {
        enum class State { none, posted, open };
        std::span<const std::byte> bytes = {};
        State state = State::none;
    };
    /// Per rank: messages received but not opened, and messages sent but not yet used.
    struct Mailbox {
        int arrived = 0, not_taken = 0;
        std::condition_variable changed;
        std::atomic<unsigned> changes = 0; // calls of notify()

        void notify()
        {
            ++changes;
            changed.notify_all();
        }

        /// Waits up to `limit` seconds (none: forever) until is_ready(). Returns whether it is.
        template <class Ready>
        bool wait(std::unique_lock<std::mutex>& lock, std::optional<double> limit,
                  const Ready& is_ready)
        {
            if (is_ready())
                return true;
            const unsigned seen = changes;
            lock.unlock();
            const auto begin = std::chrono::steady_clock::now();
            while (changes == seen && std::chrono::steady_clock::now() < begin + awake)
                std::this_thread::yield();
            lock.lock();
            if (!limit)
                return changed.wait_until(lock, without_end, is_ready);
            return changed.wait_for(lock, std::chrono::duration<double>(*limit), is_ready);
        }
    };

    Message& message(int from, int to)
    {
        return messages_[std::size_t(from) * std::size_t(ranks_) + std::size_t(to)];
    }
    Mailbox& mailbox_of(int rank) { return mailboxes_[std::size_t(rank)]; }

    void remove(int from, int to)
    {
        message(from, to) = {};
        if (--mailbox_of(from).not_taken == 0)
            mailbox_of(from).notify();
    }

    int first_silent(int to)
    {
        int from = 0;
        while (from + 1 < ranks_ && message(from, to).state != Message::State::none)
            ++from;
        return from;
    }

    void throw_if_failed(int rank) const
    {
        if (failure_)
            throw PeerFailed(failure_->error.fault(),
                             failure_->rank == rank
                                 ? failure_->error.line()
                                 : of_rank(failure_->rank, ranks_, failure_->error).line());
    }

    int ranks_;
    RankOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable changed_; // signals a failure or an ended thread
    std::vector<Message> messages_;   // one per pair of ranks
    std::vector<Mailbox> mailboxes_;
    std::optional<Failure> failure_;
    int ended_ = 0;
};

namespace {

/// The destructor withdraws messages under way from this rank, and closes received ones.
class Transfer {
public:
    Transfer(MessageQueues& queues, int rank) : queues_(queues), rank_(rank) {}
    ~Transfer()
    {
        queues_.close(rank_);
        queues_.withdraw(rank_);
    }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

private:
    MessageQueues& queues_;
    int rank_;
};

class ThreadRank final : public Communicator {
public:
    ThreadRank(std::shared_ptr<MessageQueues> queues, int rank)
        : queues_(std::move(queues)), rank_(rank),
          random_(queues_->options().held_back.value_or(0) + std::uint64_t(rank))
    {
        set_time_limit(queues_->options().time_limit);
    }

    int rank() const override { return rank_; }
    int size() const override { return queues_->ranks(); }
    int ranks_on_host() const override { return queues_->ranks(); }
    int rank_on_host() const override { return rank_; }
    bool shares_memory() const override { return true; }
    void wait_for_ends() override { queues_->wait_for_ends(size() - 1, 60); }
    int share_of_threads(int threads) const override { return std::max(1, threads / size()); }
    void fail(const Error& error) noexcept override { queues_->fail(rank_, error); }
    bool has_failed() const override { return queues_->failure().has_value(); }

private:
    void transfer(Messages to, Inbox& inbox, Timeout timeout) override
    {
        carry(to, timeout, [&](Messages messages) {
            std::vector<std::size_t> sizes;
            for (const auto& message : messages)
                sizes.push_back(message.size());
            std::byte* const place = inbox.make_room(sizes);
            for (int r = 0; r < size(); ++r)
                copy_bytes(messages[std::size_t(r)], place + inbox.begin(r));
        });
    }

    void transfer_in_place(Messages to, Inbox&, const std::function<void(Messages)>& use) override
    {
        carry(to, Timeout::limited, use);
    }

    void carry(Messages to, Timeout timeout, const std::function<void(Messages)>& use)
    {
        const Transfer transfer(*queues_, rank_); // on any exception, no message outlives its bytes
        for (int r = 0; r < size(); ++r) {
            hold_back();
            queues_->mailbox(rank_, r, to[std::size_t(r)]);
        }
        use(queues_->open(rank_, timeout == Timeout::limited ? std::optional(time_limit())
                                                             : std::nullopt));
        queues_->close(rank_);
        queues_->wait_until_taken(rank_);
    }

    void hold_back()
    {
        if (queues_->options().held_back)
            std::this_thread::sleep_for(std::chrono::microseconds(random_() % 1000));
    }

    std::shared_ptr<MessageQueues> queues_;
    int rank_;
    std::mt19937_64 random_;
};

/// Runs one rank. An exception ends every rank.
void run_rank(const std::shared_ptr<MessageQueues>& queues, int rank,
              const std::function<void(Communicator&)>& body)
{
    ThreadRank communicator(queues, rank);
    try {
        body(communicator);
    } catch (const PeerFailed&) { // the failed rank has reported why
    } catch (...) {
        queues->fail(rank, error_of(std::current_exception()));
    }
}

} // namespace

ThreadRanks::ThreadRanks(int ranks, const std::function<void(Communicator&)>& body,
                         RankOptions options)
{
    if (ranks < 1 || ranks > max_thread_ranks)
        throw Error(Fault::usage, "ranks: " + std::to_string(ranks) + ": must be 1 to " +
                                      std::to_string(max_thread_ranks));
    queues_ = std::make_shared<MessageQueues>(ranks, options);
    first_ = std::make_unique<ThreadRank>(queues_, 0);
    try {
        for (int r = 1; r < ranks; ++r)
            threads_.emplace_back([queues = queues_, r, body] { // copies, for a thread left behind
                run_rank(queues, r, body);
                queues->end_one();
            });
    } catch (const std::system_error& error) {
        queues_->fail(0, Error(Fault::input, std::to_string(ranks) + " ranks: cannot be started: " +
                                                 error.code().message()));
    }
}

ThreadRanks::~ThreadRanks()
{
    try {
        end();
    } catch (const Error&) { // the first caller knows it already
    }
}

void ThreadRanks::end()
{
    const bool all_ended = queues_->wait_for_ends(int(threads_.size()));
    for (std::thread& thread : threads_)
        all_ended ? thread.join() : thread.detach();
    threads_.clear();
    if (const auto failure = queues_->failure())
        throw of_rank(failure->rank, queues_->ranks(), failure->error);
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
