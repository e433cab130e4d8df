#include "chamomile/io/hdf5/rows.hpp"

#include <algorithm>

#include "chamomile/io/hdf5/layout.hpp"

namespace chamomile {
namespace {

const char* name_of(Column value)
{
    using namespace hdf5_layout;
    constexpr const char* names[] = {positions, velocities, accelerations, potentials};
    return names[std::size_t(value)];
}

hsize_t columns_of(Column value)
{
    return is_vector(value) ? 3 : 1;
}

} // namespace

Hdf5Rows::~Hdf5Rows()
{
    const Hdf5Quiet quiet;
    data_.close();
    pieces_.clear();
}

std::vector<const UnchangedFile*> Hdf5Rows::files() const
{
    std::vector<const UnchangedFile*> files;
    for (const Hdf5Piece& piece : pieces_)
        files.push_back(&piece.as_opened);
    return files;
}

void Hdf5Rows::read_numbers(Column value, std::size_t begin, std::span<double> numbers)
{
    const Hdf5Quiet quiet;
    const std::size_t columns = columns_of(value), end = begin + numbers.size() / columns;
    std::size_t first = 0;
    for (std::size_t type = 0; type < 6; ++type)
        for (const Hdf5Piece& piece : pieces_) {
            const std::size_t last = first + std::size_t(piece.counts[type]),
                              from = std::max(begin, first), to = std::min(end, last);
            if (from < to) {
                read({&piece, type, value}, from - first,
                     numbers.subspan((from - begin) * columns, (to - from) * columns));
                piece.as_opened.check();
            }
            first = last;
        }
}

void Hdf5Rows::read(const Source& source, std::size_t begin, std::span<double> numbers)
{
    const Hdf5Group group = source.piece->type_group(source.type);
    const char* const name = name_of(source.value);
    if (!data_ || !(source == source_)) {
        data_.close();
        data_ = group.open_rows(name);
        source_ = source;
    }
    group.read_rows(data_, name, begin, columns_of(source.value), numbers);
}

} // namespace chamomile
