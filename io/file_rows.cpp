#include "chamomile/io/file_rows.hpp"

#include <cassert>

namespace chamomile {

std::span<const Vec3<double>> FileRows::read_vectors(Column value, const RowSelection& rows)
{
    assert(rows.list.empty());
    std::vector<Vec3<double>>& block = vectors_[std::size_t(value)];
    block.resize(rows.size());
    read(value, rows.begin, std::span(block));
    return block;
}

std::span<const double> FileRows::read_scalars(Column value, const RowSelection& rows)
{
    assert(rows.list.empty());
    potentials_.resize(rows.size());
    read(value, rows.begin, std::span(potentials_));
    return potentials_;
}

void FileRows::read(Column value, std::size_t begin, std::span<Vec3<double>> into)
{
    static_assert(sizeof(Vec3<double>) == 3 * sizeof(double)); // read as rows of three
    if (into.empty())
        return;
    read_scaled(value, begin, {&into.front().x, 3 * into.size()});
    if (value == Column::position && box_)
        for (Vec3<double>& position : into)
            position = box_.wrapped(position);
}

void FileRows::read(Column value, std::size_t begin, std::span<double> into)
{
    read_scaled(value, begin, into);
}

void FileRows::read_scaled(Column value, std::size_t begin, std::span<double> numbers)
{
    read_numbers(value, begin, numbers);
    for (const double factor : factors_[std::size_t(value)])
        for (double& number : numbers)
            number *= factor;
}

void FileRows::multiply(Column value, double factor)
{
    factors_[std::size_t(value)].push_back(factor);
}

} // namespace chamomile
