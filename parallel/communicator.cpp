#include "chamomile/parallel/communicator.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "chamomile/core/number_text.hpp"

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
        capacity_ = more;
    }
    return memory_.get();
}

void Communicator::exchange(std::span<const std::span<const std::byte>> to, Inbox& inbox,
                            Patience patience)
{
    assert(to.size() == std::size_t(size()));
    for (std::size_t r = 0; r < to.size(); ++r)
        if (r != std::size_t(rank()) && !to[r].empty()) {
            ++traffic_.messages;
            traffic_.bytes += to[r].size();
        }
    transfer(to, inbox, patience);
}

void Communicator::transfer(std::span<const std::span<const std::byte>> to, Inbox& inbox, Patience)
{
    const std::size_t size = to[0].size();
    copy_bytes(to[0], inbox.make_room(std::span(&size, 1)));
}

Inbox Communicator::gather(std::span<const std::byte> mine)
{
    Inbox inbox;
    exchange(std::vector<std::span<const std::byte>>(std::size_t(size()), mine), inbox);
    return inbox;
}

Inbox Communicator::broadcast(std::span<const std::byte> from_first, Patience patience)
{
    std::vector<std::span<const std::byte>> to{std::size_t(size())};
    if (rank() == 0)
        std::fill(to.begin(), to.end(), from_first);
    Inbox inbox;
    exchange(to, inbox, patience);
    return inbox;
}

/// Each rank combines a slice of the values, by rank order, so that memory and bytes do not grow
/// with the number of ranks.
template <class T, class Combine>
void Communicator::reduce(std::span<T> values, const Combine& combine)
{
    if (size() == 1)
        return;
    const std::size_t ranks = std::size_t(size()), n = values.size();
    std::vector<std::span<const T>> slices;
    for (std::size_t r = 0; r < ranks; ++r)
        slices.push_back(values.subspan(n * r / ranks, n * (r + 1) / ranks - n * r / ranks));
    Inbox parts;
    all_to_all<T>(slices, parts);
    const auto first = parts.from<T>(0);
    std::vector<T> slice(first.begin(), first.end());
    for (int r = 1; r < size(); ++r)
        for (std::size_t k = 0; k < slice.size(); ++k)
            slice[k] = combine(slice[k], parts.from<T>(r)[k]);
    const std::vector<T> all = all_gather(std::span<const T>(slice));
    std::copy(all.begin(), all.end(), values.begin());
}

void Communicator::sum(std::span<double> values)
{
    reduce(values, [](double a, double b) { return a + b; });
}

void Communicator::sum(std::span<std::uint64_t> values)
{
    reduce(values, [](std::uint64_t a, std::uint64_t b) { return a + b; });
}

void Communicator::least(std::span<double> values)
{
    reduce(values, [](double a, double b) { return b < a ? b : a; });
}

void Communicator::agree(const std::exception_ptr& failure)
{
    std::string mine;
    if (failure) {
        const Error error = error_of(failure);
        mine = std::to_string(int(error.fault())) + " " + error.what();
    }
    const Inbox errors = gather(std::as_bytes(std::span(mine)));
    for (int r = 0; r < size(); ++r) {
        const auto text = errors.from<char>(r);
        if (text.size() > 1)
            throw Agreed(Fault(text[0] - '0'), std::string(text.begin() + 2, text.end()));
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
        return Error(Fault::input, "not enough memory for so many particles or cells");
    } catch (const std::exception& error) {
        return Error(Fault::device, std::string("unexpected: ") + error.what());
    } catch (...) {
        return Error(Fault::device, "unexpected: an exception of unknown type");
    }
}

Error of_rank(int rank, int size, const Error& error)
{
    return Error(error.fault(), "rank " + std::to_string(rank) + " of " + std::to_string(size) +
                                    ": " + error.what());
}

Error silent_rank(int rank, int size, double seconds)
{
    return of_rank(rank, size,
                   Error(Fault::device, "silent for " + number_text(seconds) +
                                            " seconds: must answer (--peer-timeout)"));
}

} // namespace chamomile
