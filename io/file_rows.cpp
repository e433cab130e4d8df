#include "chamomile/io/file_rows.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

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

/// Each part scales its rows first, then the whole scales them.
class FileRows::Joined final : public FileRows {
public:
    Joined(std::shared_ptr<FileRows> first, std::size_t count, std::shared_ptr<FileRows> second)
        : first_(std::move(first)), second_(std::move(second)), count_(count)
    {}

private:
    void read_numbers(Column value, std::size_t begin, std::span<double> numbers) override
    {
        const std::size_t width = is_vector(value) ? 3 : 1, end = begin + numbers.size() / width,
                          middle = std::clamp(count_, begin, end);
        if (begin < middle)
            first_->read_scaled(value, begin, numbers.first(width * (middle - begin)));
        if (middle < end)
            second_->read_scaled(value, middle - count_, numbers.last(width * (end - middle)));
    }

    std::shared_ptr<FileRows> first_, second_;
    std::size_t count_; ///< rows of the first part
};

std::shared_ptr<FileRows> FileRows::joined(std::shared_ptr<FileRows> first, std::size_t count,
                                           std::shared_ptr<FileRows> second)
{
    return std::make_shared<Joined>(std::move(first), count, std::move(second));
}

void FileRows::multiply(Column value, double factor)
{
    factors_[std::size_t(value)].push_back(factor);
}

} // namespace chamomile
