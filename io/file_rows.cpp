#include "chamomile/io/file_rows.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "chamomile/core/bytes.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/io/formats.hpp"
#include "chamomile/io/input_file.hpp"

namespace chamomile {
namespace {

std::vector<std::array<std::int64_t, 3>> stamps(const std::vector<const UnchangedFile*>& files)
{
    std::vector<std::array<std::int64_t, 3>> stamps;
    for (const UnchangedFile* file : files)
        stamps.push_back(file->stamp());
    return stamps;
}

} // namespace

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
#pragma omp parallel for if (into.size() > worth_threads) schedule(static)
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
    const std::vector<double>& factors = factors_[std::size_t(value)];
#pragma omp parallel for if (numbers.size() > worth_threads && !factors.empty()) schedule(static)
    for (double& number : numbers)
        for (const double factor : factors)
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
    if (value == Column::position && bounds_)
        bounds_ = Box{factor * bounds_->low, factor * bounds_->high};
}

std::vector<std::byte> FileRows::packed() const
{
    std::vector<std::byte> bytes;
    const std::vector<const UnchangedFile*> files = this->files();
    if (files.empty())
        return bytes;
    put_sized(bytes, std::filesystem::absolute(files.front()->path()).string());
    put_sized(bytes, stamps(files));
    for (const std::vector<double>& factors : factors_)
        put_sized(bytes, factors);
    put_bytes(bytes, &box_);
    return bytes;
}

std::shared_ptr<FileRows> FileRows::unpacked(std::span<const std::byte>& bytes)
{
    std::string path;
    std::vector<std::array<std::int64_t, 3>> expected;
    read_sized(bytes, path);
    read_sized(bytes, expected);
    std::array<std::vector<double>, 4> factors;
    for (std::vector<double>& one : factors)
        read_sized(bytes, one);
    Periodicity box;
    read_bytes(bytes, &box);
    std::shared_ptr<FileRows> rows = open_rows(path);
    if (stamps(rows->files()) != expected)
        throw bad_input(path, "size or time", "not those of rank 0", "must be the same file");
    rows->factors_ = std::move(factors);
    rows->box_ = box;
    return rows;
}

} // namespace chamomile
