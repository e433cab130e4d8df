#include "chamomile/parallel/communicator.hpp"

#include <algorithm>
#include <cassert>
#include <new>

#include "chamomile/core/number_text.hpp"

namespace chamomile {

std::vector<Parcel> Communicator::exchange(std::span<const std::span<const std::byte>> to,
                                           Patience patience)
{
    assert(to.size() == std::size_t(size()));
    for (std::size_t r = 0; r < to.size(); ++r)
        if (r != std::size_t(rank()) && !to[r].empty()) {
            ++traffic_.messages;
            traffic_.bytes += to[r].size();
        }
    return transfer(to, patience);
}

std::vector<Parcel> Communicator::transfer(std::span<const std::span<const std::byte>> to, Patience)
{
    return {Parcel(to[0])};
}

std::vector<Parcel> Communicator::gather(std::span<const std::byte> mine)
{
    return exchange(std::vector<std::span<const std::byte>>(std::size_t(size()), mine));
}

Parcel Communicator::broadcast(std::span<const std::byte> from_first, Patience patience)
{
    std::vector<std::span<const std::byte>> to{std::size_t(size())};
    if (rank() == 0)
        std::fill(to.begin(), to.end(), from_first);
    return std::move(exchange(to, patience)[0]);
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
    const std::vector<Parcel> parts = all_to_all<T>(slices);
    std::vector<T> slice(parts[0].template as<T>().begin(), parts[0].template as<T>().end());
    for (std::size_t r = 1; r < ranks; ++r)
        for (std::size_t k = 0; k < slice.size(); ++k)
            slice[k] = combine(slice[k], parts[r].template as<T>()[k]);
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
    for (const Parcel& parcel : gather(std::as_bytes(std::span(mine)))) {
        const auto text = parcel.as<char>();
        if (text.size() > 1)
            throw Agreed(Fault(text[0] - '0'), std::string(text.begin() + 2, text.end()));
    }
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
