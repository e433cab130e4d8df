#include "chamomile/core/ranks/communicator.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/populate.hpp"

namespace chamomile {

std::byte* Inbox::make_room(std::span<const std::size_t> sizes)
{
    begin_ = {0};
    for (const std::size_t size : sizes)
        begin_.push_back(begin_.back() + size);
    if (begin_.back() > capacity_) {
        memory_.reset();
        capacity_ = 0;
        const std::size_t more = begin_.back() + begin_.back() / 8;
        memory_ = std::make_shared_for_overwrite<std::byte[]>(more);
        populate(memory_.get(), begin_.back());
        capacity_ = more;
    }
    return memory_.get();
}

void Communicator::exchange(Messages to, Inbox& inbox, Timeout timeout)
{
    count_exchange(to);
    transfer(to, inbox, timeout);
}

void Communicator::exchange(Messages to, Inbox& inbox, const std::function<void(Messages)>& use)
{
    count_exchange(to);
    transfer_in_place(to, inbox, use);
}

void Communicator::count_exchange(Messages to)
{
    assert(to.size() == std::size_t(size()));
    ++traffic_.exchanges;
    for (std::size_t r = 0; r < to.size(); ++r)
        if (r != std::size_t(rank()) && !to[r].empty()) {
            ++traffic_.messages;
            traffic_.bytes += to[r].size();
        }
}

void Communicator::count_collective(std::size_t bytes)
{
    ++traffic_.collectives;
    if (size() > 1)
        traffic_.bytes += bytes;
}

void Communicator::transfer(Messages to, Inbox& inbox, Timeout)
{
    const std::size_t size = to[0].size();
    copy_bytes(to[0], inbox.make_room(std::span(&size, 1)));
}

void Communicator::transfer_in_place(Messages to, Inbox& inbox,
                                     const std::function<void(Messages)>& use)
{
    std::vector<std::span<const std::byte>> messages(to.begin(), to.end());
    messages[std::size_t(rank())] = {}; // stays where it is
    transfer(messages, inbox, Timeout::limited);
    for (int r = 0; r < size(); ++r)
        messages[std::size_t(r)] = r == rank() ? to[std::size_t(r)] : inbox.from<std::byte>(r);
    use(messages);
}

void Communicator::gather(std::span<const std::byte> mine, Sizes sizes, Inbox& inbox,
                          Timeout timeout)
{
    count_collective(mine.size());
    transfer_to_all(mine, sizes, inbox, timeout);
}

void Communicator::transfer_to_all(std::span<const std::byte> mine, Sizes, Inbox& inbox,
                                   Timeout timeout)
{
    transfer(std::vector<std::span<const std::byte>>(std::size_t(size()), mine), inbox, timeout);
}

Inbox Communicator::broadcast(std::span<const std::byte> from_first, Timeout timeout)
{
    const std::span<const std::byte> sent = rank() == 0 ? from_first : std::span<const std::byte>();
    count_collective(sent.size());
    Inbox inbox;
    transfer_from_first(sent, inbox, timeout);
    return inbox;
}

void Communicator::transfer_from_first(std::span<const std::byte> bytes, Inbox& inbox,
                                       Timeout timeout)
{
    transfer_to_all(bytes, Sizes::any, inbox, timeout); // empty on other ranks
}

void Communicator::reduce(std::span<std::uint64_t> values, Reduction reduction)
{
    count_collective(values.size_bytes());
    if (size() > 1)
        transfer_reduced(values, reduction);
}

/// Gathers a few values on every rank. Of many values each rank combines a slice, so that memory
/// does not grow with the number of ranks.
void Communicator::transfer_reduced(std::span<std::uint64_t> values, Reduction reduction)
{
    constexpr std::size_t few = 4096;
    const std::size_t ranks = std::size_t(size()), n = values.size();
    const bool has_slices = n > few;
    std::vector<std::span<const std::byte>> parts;
    for (std::size_t r = 0; r < ranks; ++r) {
        const std::size_t begin = n * r / ranks, end = n * (r + 1) / ranks;
        parts.push_back(std::as_bytes(has_slices ? values.subspan(begin, end - begin) : values));
    }
    Inbox inbox;
    transfer(parts, inbox, Timeout::limited);
    const auto first = inbox.from<std::uint64_t>(0);
    std::vector<std::uint64_t> combined(first.begin(), first.end());
    for (int r = 1; r < size(); ++r) {
        const auto other = inbox.from<std::uint64_t>(r);
        for (std::size_t k = 0; k < combined.size(); ++k)
            combined[k] = reduction == Reduction::sum ? combined[k] + other[k]
                                                      : std::min(combined[k], other[k]);
    }
    if (has_slices) {
        transfer_to_all(std::as_bytes(std::span(combined)), Sizes::any, inbox, Timeout::limited);
        const auto all = inbox.all<std::uint64_t>();
        combined.assign(all.begin(), all.end());
    }
    std::ranges::copy(combined, values.begin());
}

/// Compares doubles by integer keys with the same order. Hence -0 is less than 0 and a NaN has a
/// fixed place, independent of the transport.
void Communicator::min(std::span<double> values)
{
    constexpr std::uint64_t sign = std::uint64_t(1) << 63;
    std::vector<std::uint64_t> keys(values.size());
    std::ranges::transform(values, keys.begin(), [](double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        return bits & sign ? ~bits : bits | sign;
    });
    reduce(keys, Reduction::min);
    std::ranges::transform(keys, values.begin(), [](std::uint64_t key) {
        return std::bit_cast<double>(key & sign ? key & ~sign : ~key);
    });
}

namespace {

/// A rank can lack memory alone. Other errors say what is wrong for all.
bool is_lack_of_memory(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

void Communicator::agree(const std::exception_ptr& failure, Timeout timeout)
{
    std::string mine;
    if (failure) {
        Error error = error_of(failure);
        if (size() > 1 && is_lack_of_memory(failure))
            error = of_rank(rank(), size(), error);
        mine = std::to_string(int(error.fault())) + " " + error.line();
    }
    Inbox errors;
    gather(std::as_bytes(std::span(mine)), Sizes::any, errors, timeout);
    for (int r = 0; r < size(); ++r) {
        const auto text = errors.from<char>(r);
        if (text.size() > 1)
            throw CollectiveError(Fault(text[0] - '0'), std::string(text.begin() + 2, text.end()));
    }
}

void copy_bytes(std::span<const std::byte> from, std::byte* to)
{
    constexpr std::size_t part = std::size_t(1) << 18;
    const std::size_t n = from.size();
#pragma omp parallel for if (n > 4 * part) schedule(static)
    for (std::size_t begin = 0; begin < n; begin += part)
        std::memcpy(to + begin, from.data() + begin, std::min(part, n - begin));
}

Error error_of(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return Error(Fault::input, "not enough memory for the particles or cells");
    } catch (const std::exception& error) {
        return Error(Fault::device, std::string("unexpected: ") + error.what());
    } catch (...) {
        return Error(Fault::device, "unexpected: an exception of unknown type");
    }
}

Error of_rank(int rank, int size, const Error& error)
{
    return Error(error.fault(), "rank " + std::to_string(rank) + " of " + std::to_string(size) +
                                    ": " + error.line());
}

Error silent_rank(int rank, int size, double seconds)
{
    return of_rank(rank, size,
                   Error(Fault::device, "silent for " + number_text(seconds) +
                                            " seconds: must answer ({peer-timeout})"));
}

} // namespace chamomile
