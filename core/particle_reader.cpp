#include "chamomile/core/particle_reader.hpp"

#include <algorithm>
#include <cassert>

#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// Returns the selected values; copies them if they are not contiguous.
template <class T>
std::span<const T> chosen(const std::vector<T>& all, const RowSelection& rows,
                          std::vector<T>& gathered)
{
    if (rows.list.empty())
        return std::span(all).subspan(rows.begin, rows.size());
    const std::size_t n = rows.size();
    gathered.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k)
        gathered[k] = all[rows.list[k]];
    return gathered;
}

} // namespace

RowSelection::RowSelection(std::span<const Index> places)
{
    if (places.empty())
        return;
    begin = places.front();
    end = begin + places.size();
    std::size_t next = begin;
    if (!std::ranges::all_of(places, [&](Index place) { return place == next++; }))
        list = places;
}

std::size_t RowsInMemory::max() const
{
    return std::max<std::size_t>(particles_.size(), 1);
}

std::span<const Vec3<double>> RowsInMemory::read_vectors(Column value, const RowSelection& rows)
{
    const std::vector<Vec3<double>>* const all[] = {&particles_.position, &particles_.velocity,
                                                    &particles_.acceleration};
    assert(std::size_t(value) < std::size(all));
    return chosen(*all[std::size_t(value)], rows, vectors_[std::size_t(value)]);
}

std::span<const double> RowsInMemory::read_scalars([[maybe_unused]] Column value,
                                                   const RowSelection& rows)
{
    assert(value == Column::potential); // Particles has no data of individual steps
    return chosen(particles_.potential, rows, potentials_);
}

std::span<const std::uint64_t> RowsInMemory::read_ids(const RowSelection& rows)
{
    return chosen(particles_.id, rows, ids_);
}

} // namespace chamomile
