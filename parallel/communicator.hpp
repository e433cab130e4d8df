/// \file  What ranks say to each other. One rank alone is a communicator too, so that no caller
/// asks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/exact_sum.hpp"

namespace chamomile {

/// A PeerFailed reports on one rank what another has failed of.
class PeerFailed : public Error {
public:
    using Error::Error;
};

/// An Agreed is an error of which all ranks know, so that they can go on together.
class Agreed : public Error {
public:
    using Error::Error;
};

/// Returns what is to be said of an exception: its Error, or that of memory or of anything else.
Error error_of(const std::exception_ptr& failure);

/// Returns the line that reports the failure of a rank of several: "rank 3 of 8: what".
Error of_rank(int rank, int size, const Error& error);

/// An Inbox holds the bytes that came from each rank, one rank after the other. Its memory serves
/// the next exchange again.
class Inbox {
public:
    using value_type = std::byte;

    /// Returns the records that a rank has sent, which lie in this inbox.
    template <class T>
    std::span<const T> from(int rank) const
    {
        return records<T>(begin_[std::size_t(rank)], begin_[std::size_t(rank) + 1]);
    }
    /// Returns those of all ranks, in the order of ranks.
    template <class T>
    std::span<const T> all() const
    {
        return records<T>(0, begin_.back());
    }

    /// Makes room for so many bytes of each rank, and returns where they go. What was there is
    /// lost.
    std::byte* make_room(std::span<const std::size_t> sizes);
    /// Returns for how many bytes it has memory.
    std::size_t capacity() const { return capacity_; }
    /// Returns where the bytes of a rank begin.
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

/// Patience says how long a rank waits for others.
enum class Patience {
    limited, ///< until the time limit, after which those that are silent count as failed
    endless  ///< for an order that may come at any time
};

/// Traffic counts what a rank has sent to others: with exchanges() a message for each receiver that
/// gets bytes, with collectives their bytes once.
struct Traffic {
    std::uint64_t messages = 0, bytes = 0;
    std::uint64_t exchanges = 0;   ///< calls that send each rank bytes of its own
    std::uint64_t collectives = 0; ///< calls that gather, broadcast or reduce
};

/// Reduction is how values of ranks are combined: neither depends on their order.
enum class Reduction { sum, min };

/// A Communicator connects the ranks of a computation, which all make the same calls in the same
/// order. No result depends on what carries the bytes or on what arrives first. Its calls throw
/// PeerFailed once any rank has failed, and Error(device) if one is silent for longer than the time
/// limit. One thread of a rank talks at a time.
class Communicator {
public:
    virtual ~Communicator() = default;

    virtual int rank() const { return 0; }
    virtual int size() const { return 1; }
    /// Return the number of ranks on this machine, and the number of this rank among them.
    virtual int ranks_on_host() const { return 1; }
    virtual int rank_on_host() const { return 0; }
    /// Tells whether all ranks are threads of this process.
    virtual bool shares_memory() const { return false; }
    /// On rank 0 of these: waits after a failure until the others end, for the time limit and a
    /// minute at most.
    virtual void wait_for_ends() {}

    /// Sends to[r], of size() entries, to each rank r, and puts what comes from each into an inbox.
    /// It returns when what is sent may be changed again.
    void exchange(std::span<const std::span<const std::byte>> to, Inbox& inbox,
                  Patience patience = Patience::limited);

    /// Does the same with records of a trivially copyable type.
    template <class T>
    void all_to_all(std::span<const std::span<const T>> to, Inbox& inbox)
    {
        std::vector<std::span<const std::byte>> bytes;
        for (const std::span<const T> records : to)
            bytes.push_back(std::as_bytes(records));
        exchange(bytes, inbox);
    }

    /// Returns what all ranks have, in the order of ranks.
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

    /// Sends each rank what is in its run of the values that rank 0 has, those from `first` on of
    /// `count`, which come to equal parts; other ranks have none.
    template <class T>
    void deal(std::span<const T> values, std::uint64_t count, Inbox& inbox, std::size_t first = 0)
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
    std::size_t first_of_run(std::uint64_t count, int rank) const
    {
        return std::size_t(count * std::uint64_t(rank) / std::uint64_t(size()));
    }
    /// Sends to rank 0 what each rank has.
    template <class T>
    void collect(std::span<const T> values, Inbox& inbox)
    {
        std::vector<std::span<const T>> to{std::size_t(size())};
        to[0] = values;
        all_to_all<T>(to, inbox);
    }

    /// Returns what rank 0 has, on all ranks.
    Inbox broadcast(std::span<const std::byte> from_first, Patience patience = Patience::limited);

    /// Sizes tells whether all ranks give equally many bytes.
    enum class Sizes { any, equal };
    /// Gathers what each rank has, on all ranks.
    void gather(std::span<const std::byte> mine, Sizes sizes, Inbox& inbox,
                Patience patience = Patience::limited);

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

    /// Runs the same work on all ranks, which must not talk. If it throws on any, the error of the
    /// lowest such rank is thrown on all as an Agreed.
    template <class Work>
    void together(const Work& work)
    {
        std::exception_ptr failure;
        try {
            work();
        } catch (...) {
            failure = std::current_exception();
        }
        agree(failure);
    }

    /// Returns what work returns that all ranks do together, with their calls. Throws the same
    /// Error on all where all have agreed on it, after which they can go on; else PeerFailed.
    template <class Work>
    auto as_one(const Work& work) -> decltype(work())
    {
        try {
            return work();
        } catch (const Agreed& error) {
            throw Error(error.fault(), error.line());
        } catch (const PeerFailed&) {
            throw;
        } catch (...) {
            const Error error = error_of(std::current_exception());
            fail(error);
            throw PeerFailed(error.fault(), of_rank(rank(), size(), error).line());
        }
    }

    /// Tells the other ranks that this one cannot go on: each of their calls ends with PeerFailed,
    /// now and later, and so do those of this rank.
    virtual void fail(const Error&) noexcept {}
    /// Returns whether some rank has failed.
    virtual bool has_failed() const { return false; }

    const Traffic& traffic() const { return traffic_; }
    /// Counts bytes that this rank sends to others by a link of GPUs.
    void count_bytes(std::uint64_t bytes) { traffic_.bytes += bytes; }
    /// The link between the GPUs of these ranks; null until it is made. It ends with them.
    std::shared_ptr<void>& link_of_gpus() { return link_of_gpus_; }

    /// Returns how many seconds a rank may be silent.
    double time_limit() const { return time_limit_; }
    void set_time_limit(double seconds) { time_limit_ = seconds; }

    /// Returns how many of the threads that a rank alone would use are for each.
    virtual int share_of_threads(int threads) const { return threads; }

protected:
    /// Carries the bytes of exchange().
    virtual void transfer(std::span<const std::span<const std::byte>> to, Inbox& inbox, Patience);
    /// Carry the bytes of collectives; by transfer() unless there is a faster way. What
    /// transfer_from_first() brings comes from rank 0.
    virtual void transfer_to_all(std::span<const std::byte> mine, Sizes, Inbox& inbox, Patience);
    virtual void transfer_from_first(std::span<const std::byte> bytes, Inbox& inbox, Patience);
    virtual void transfer_reduced(std::span<std::uint64_t> values, Reduction);

private:
    template <class T>
    std::vector<T> gathered(std::span<const T> mine, Sizes sizes)
    {
        Inbox inbox;
        gather(std::as_bytes(mine), sizes, inbox);
        return {inbox.all<T>().begin(), inbox.all<T>().end()};
    }
    void agree(const std::exception_ptr& failure);
    void reduce(std::span<std::uint64_t> values, Reduction reduction);
    void count_collective(std::size_t bytes);

    Traffic traffic_;
    std::shared_ptr<void> link_of_gpus_;
    double time_limit_ = 600;
};

/// Copies bytes; many by all threads.
void copy_bytes(std::span<const std::byte> from, std::byte* to);

/// Returns the error that tells which rank has been silent for so long.
Error silent_rank(int rank, int size, double seconds);

} // namespace chamomile
