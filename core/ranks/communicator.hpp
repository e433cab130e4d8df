/// \file  Messages between ranks. A single rank is a communicator too, so that callers need no
/// special case.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/exact_sum.hpp"

namespace chamomile {

/// Reports a failure on another rank.
class PeerFailed : public Error {
public:
    using Error::Error;
};

/// An error known on every rank, after which computation can continue.
class CollectiveError : public Error {
public:
    using Error::Error;
};

/// Converts an exception to an Error, also std::bad_alloc and unknown types.
Error error_of(const std::exception_ptr& failure);

/// Returns the error with the failed rank before its line: "rank 3 of 8: line".
Error of_rank(int rank, int size, const Error& error);

/// An Inbox holds the bytes received from each rank, ordered by rank. Memory is kept for the next
/// exchange.
class Inbox {
public:
    using value_type = std::byte;

    /// Returns the records received from a rank. They lie in this inbox.
    template <class T>
    std::span<const T> from(int rank) const
    {
        return records<T>(begin_[std::size_t(rank)], begin_[std::size_t(rank) + 1]);
    }
    /// Returns the records from all ranks, in rank order.
    template <class T>
    std::span<const T> all() const
    {
        return records<T>(0, begin_.back());
    }

    /// Makes room for sizes[r] bytes from each rank r, and returns the start. Old contents are
    /// lost.
    std::byte* make_room(std::span<const std::size_t> sizes);
    /// Returns the number of bytes allocated.
    std::size_t capacity() const { return capacity_; }
    /// Returns where the bytes from a rank begin.
    std::size_t begin(int rank) const { return begin_[std::size_t(rank)]; }
    /// Returns the memory, for a transfer that may outlive this inbox.
    std::shared_ptr<const std::byte[]> memory() const { return memory_; }

private:
    template <class T>
    std::span<const T> records(std::size_t begin, std::size_t end) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        return {reinterpret_cast<const T*>(memory_.get() + begin), (end - begin) / sizeof(T)};
    }

    std::shared_ptr<std::byte[]> memory_;
    std::size_t capacity_ = 0;
    std::vector<std::size_t> begin_ = {0};
};

/// How long a call waits for silent ranks.
enum class Timeout {
    limited, ///< until the time limit; then silent ranks count as failed
    endless  ///< no timeout: an order may come at any time
};

/// Counts messages and bytes sent by a rank. exchange() counts one message per remote receiver with
/// any bytes. A collective counts its bytes once, and no message.
struct Traffic {
    std::uint64_t messages = 0, bytes = 0;
    std::uint64_t exchanges = 0;   ///< calls with separate bytes for each rank
    std::uint64_t collectives = 0; ///< calls that gather, broadcast or reduce
};

/// How to combine values from all ranks; the result is independent of rank order.
enum class Reduction { sum, min };

/// A Communicator connects the ranks of a computation. All ranks must make the same calls in the
/// same order. No result depends on the transport or on the order of arrival. Calls throw
/// PeerFailed once any rank has failed, and Error(device) if a rank stays silent beyond the time
/// limit. Only one thread per rank may communicate at a time.
class Communicator {
public:
    virtual ~Communicator() = default;

    virtual int rank() const { return 0; }
    virtual int size() const { return 1; }
    /// Return the number of ranks on this machine, and the local rank's number among them.
    virtual int ranks_on_host() const { return 1; }
    virtual int rank_on_host() const { return 0; }
    /// True if the ranks are threads in a single process.
    virtual bool shares_memory() const { return false; }
    /// Rank 0 of thread ranks: after a failure, waits until the other ranks end, at most for the
    /// time limit plus a minute.
    virtual void wait_for_ends() {}

    /// Sends to[r] to each rank r and receives into `inbox`. `to` has size() entries. Returns when
    /// the sent bytes may be changed again.
    void exchange(std::span<const std::span<const std::byte>> to, Inbox& inbox,
                  Timeout timeout = Timeout::limited);

    using Messages = std::span<const std::span<const std::byte>>;
    /// Sends to[r] to each rank r, and calls use(messages): messages[r] is the message from rank r,
    /// in that rank's memory or in `inbox`, valid until `use` returns. `use` must not communicate
    /// or change the bytes of `to`. Returns when they may be changed again.
    void exchange(Messages to, Inbox& inbox, const std::function<void(Messages)>& use);

    /// Like exchange(), with records of a trivially copyable type.
    template <class T>
    void all_to_all(std::span<const std::span<const T>> to, Inbox& inbox)
    {
        std::vector<std::span<const std::byte>> bytes;
        for (const std::span<const T> records : to)
            bytes.push_back(std::as_bytes(records));
        exchange(bytes, inbox);
    }

    /// Gathers every rank's records on each rank, in rank order.
    template <class T>
    std::vector<T> all_gather(std::span<const T> mine)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        return gathered(mine, Sizes::any);
    }
    template <class T>
    std::vector<T> all_gather(const T& mine)
    {
        return gathered(std::span<const T>(&mine, 1), Sizes::equal);
    }

    /// Scatters `count` values from rank 0 in nearly equal consecutive ranges, one per rank. A call
    /// may hold only part of them: `values` starts at value `first`. Empty on other ranks.
    template <class T>
    void scatter(std::span<const T> values, std::uint64_t count, Inbox& inbox,
                 std::size_t first = 0)
    {
        std::vector<std::span<const T>> to{std::size_t(size())};
        for (int r = 0; !values.empty() && r < size(); ++r) {
            const std::size_t end = first + values.size(),
                              from = std::clamp(first_of_run(count, r), first, end);
            to[std::size_t(r)] = values.subspan(
                from - first, std::clamp(first_of_run(count, r + 1), first, end) - from);
        }
        all_to_all<T>(to, inbox);
    }
    /// Returns the first value of a rank's range in scatter(); rank size(): `count`.
    std::size_t first_of_run(std::uint64_t count, int rank) const
    {
        return std::size_t(count * std::uint64_t(rank) / std::uint64_t(size()));
    }
    /// Gathers each rank's values on rank 0.
    template <class T>
    void gather(std::span<const T> values, Inbox& inbox)
    {
        std::vector<std::span<const T>> to{std::size_t(size())};
        to[0] = values;
        all_to_all<T>(to, inbox);
    }

    /// Returns the bytes of rank 0 on every rank.
    Inbox broadcast(std::span<const std::byte> from_first, Timeout timeout = Timeout::limited);

    /// Whether every rank gives the same number of bytes.
    enum class Sizes { any, equal };
    /// Gathers every rank's bytes on each rank.
    void gather(std::span<const std::byte> mine, Sizes sizes, Inbox& inbox,
                Timeout timeout = Timeout::limited);

    /// Replaces each entry by its sum over all ranks, modulo 2^64.
    void sum(std::span<std::uint64_t> values) { reduce(values, Reduction::sum); }
    template <class Record>
    void sum(ExactSums<Record>& sums)
    {
        sums.carry();
        const std::span<std::int64_t> digits = sums.digits();
        sum({reinterpret_cast<std::uint64_t*>(digits.data()), digits.size()});
    }
    /// Replaces each entry by its minimum over all ranks.
    void min(std::span<double> values);

    /// Runs `work`, which must not communicate, on every rank. If it throws anywhere, each rank
    /// throws the error from the lowest failing rank as CollectiveError. `timeout`: of ranks that
    /// wait for others.
    template <class Work>
    void run_and_agree(const Work& work, Timeout timeout = Timeout::limited)
    {
        std::exception_ptr failure;
        try {
            work();
        } catch (...) {
            failure = std::current_exception();
        }
        agree(failure, timeout);
    }

    /// Runs collective work and returns its result. CollectiveError becomes Error on every rank,
    /// and computation can continue. Any other failure ends every rank with PeerFailed.
    template <class Work>
    auto run_or_fail(const Work& work) -> decltype(work())
    {
        try {
            return work();
        } catch (const CollectiveError& error) {
            throw Error(error.fault(), error.line());
        } catch (const PeerFailed&) {
            throw;
        } catch (...) {
            const Error error = error_of(std::current_exception());
            fail(error);
            throw PeerFailed(error.fault(), of_rank(rank(), size(), error).line());
        }
    }

    /// Ends the computation because this rank failed: from now on every call on every rank throws
    /// PeerFailed.
    virtual void fail(const Error&) noexcept {}
    /// Returns whether any rank has failed.
    virtual bool has_failed() const { return false; }

    const Traffic& traffic() const { return traffic_; }
    /// Adds bytes that this rank sends directly between GPUs.
    void count_bytes(std::uint64_t bytes) { traffic_.bytes += bytes; }
    /// The direct link between GPUs; null until made. Destroyed with the communicator.
    std::shared_ptr<void>& link_of_gpus() { return link_of_gpus_; }

    /// Returns the timeout for other ranks in seconds.
    double time_limit() const { return time_limit_; }
    void set_time_limit(double seconds) { time_limit_ = seconds; }

    /// Returns how many of a single rank's `threads` each rank should use.
    virtual int share_of_threads(int threads) const { return threads; }

protected:
    /// Carry the bytes of exchange(), into `inbox` or for `use`.
    virtual void transfer(Messages to, Inbox& inbox, Timeout);
    virtual void transfer_in_place(Messages to, Inbox& inbox,
                                   const std::function<void(Messages)>& use);
    /// Carry the bytes of collectives, by transfer() unless overridden. The inbox of
    /// transfer_from_first() holds the bytes as received from rank 0.
    virtual void transfer_to_all(std::span<const std::byte> mine, Sizes, Inbox& inbox, Timeout);
    virtual void transfer_from_first(std::span<const std::byte> bytes, Inbox& inbox, Timeout);
    virtual void transfer_reduced(std::span<std::uint64_t> values, Reduction);

private:
    template <class T>
    std::vector<T> gathered(std::span<const T> mine, Sizes sizes)
    {
        Inbox inbox;
        gather(std::as_bytes(mine), sizes, inbox);
        return {inbox.all<T>().begin(), inbox.all<T>().end()};
    }
    void agree(const std::exception_ptr& failure, Timeout timeout);
    void reduce(std::span<std::uint64_t> values, Reduction reduction);
    void count_exchange(Messages to);
    void count_collective(std::size_t bytes);

    Traffic traffic_;
    std::shared_ptr<void> link_of_gpus_;
    double time_limit_ = 600;
};

/// Copies bytes, with several threads for large copies.
void copy_bytes(std::span<const std::byte> from, std::byte* to);

/// Returns the error for a rank that was silent for `seconds`.
Error silent_rank(int rank, int size, double seconds);

} // namespace chamomile
