#include "chamomile/io/hdf5/stored_rows.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/io/hdf5/fletcher_sum.hpp"
#include "chamomile/io/input_file.hpp"

namespace chamomile {
namespace {

/// How numbers lie in a file.
struct NumberForm {
    int bytes;
    ByteOrder order;
};

std::optional<NumberForm> form_of(hid_t type, std::initializer_list<hid_t> little,
                                  std::initializer_list<hid_t> big)
{
    constexpr bool is_little = std::endian::native == std::endian::little;
    const auto is_one_of = [&](std::initializer_list<hid_t> known) {
        return std::any_of(known.begin(), known.end(),
                           [&](hid_t one) { return H5Tequal(type, one) > 0; });
    };
    const int bytes = int(H5Tget_size(type));
    if (is_one_of(little))
        return NumberForm{bytes, is_little ? ByteOrder::host : ByteOrder::swapped};
    if (is_one_of(big))
        return NumberForm{bytes, is_little ? ByteOrder::swapped : ByteOrder::host};
    return {};
}

std::optional<NumberForm> form_of(hid_t type, double)
{
    return form_of(type, {H5T_IEEE_F32LE, H5T_IEEE_F64LE}, {H5T_IEEE_F32BE, H5T_IEEE_F64BE});
}

std::optional<NumberForm> form_of(hid_t type, std::uint64_t)
{
    return form_of(type, {H5T_STD_U32LE, H5T_STD_U64LE}, {H5T_STD_U32BE, H5T_STD_U64BE});
}

void read_numbers(const InputFile& file, std::int64_t offset, NumberForm form,
                  std::span<double> numbers)
{
    file.read_reals(offset, form.bytes, form.order, numbers);
}

void read_numbers(const InputFile& file, std::int64_t offset, NumberForm form,
                  std::span<std::uint64_t> numbers)
{
    file.read_integers(offset, form.bytes, form.order, numbers);
}

/// Chunks of whole rows.
struct Chunks {
    std::size_t rows;
    bool has_sums;
};

std::optional<Chunks> chunks_of(hid_t creation, std::size_t columns)
{
    hsize_t extent[H5S_MAX_RANK] = {};
    const int rank = H5Pget_chunk(creation, H5S_MAX_RANK, extent);
    if (rank < 1 || rank > 2 || (rank == 2 ? extent[1] : 1) != columns)
        return {};
    const int filters = H5Pget_nfilters(creation);
    unsigned flags = 0;
    std::size_t values = 0;
    if (filters > 1 || (filters == 1 && H5Pget_filter2(creation, 0, &flags, &values, nullptr, 0,
                                                       nullptr, nullptr) != H5Z_FILTER_FLETCHER32))
        return {};
    return Chunks{std::size_t(extent[0]), filters == 1};
}

std::uint32_t sum_after(std::span<const std::byte> chunk)
{
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < 4; ++k)
        sum |= std::uint32_t(chunk[k]) << (8 * k);
    return sum;
}

/// Reads the stored bytes of chunk `number`. Returns false if it is incomplete or has other
/// filters.
bool read_chunk(const Hdf5Handle& data, const Chunks& chunks, std::size_t number,
                std::span<std::byte> chunk)
{
    const Hdf5Quiet quiet;
    const hsize_t offset[] = {number * chunks.rows, 0};
    hsize_t stored = 0;
    std::uint32_t skipped_filters = 0;
    return H5Dget_chunk_storage_size(data.id(), offset, &stored) >= 0 && stored == chunk.size() &&
           H5Dread_chunk(data.id(), H5P_DEFAULT, offset, &skipped_filters, chunk.data()) >= 0 &&
           skipped_filters == 0;
}

/// Returns where chunk `number` of `bytes` begins in the file, or nothing if it is incomplete or
/// has other filters.
std::optional<std::int64_t> place_of(const Hdf5Handle& data, const Chunks& chunks,
                                     std::size_t number, std::size_t bytes)
{
    const hsize_t first_row[] = {number * chunks.rows, 0};
    unsigned skipped_filters = 0;
    haddr_t place = HADDR_UNDEF;
    hsize_t stored = 0;
    if (H5Dget_chunk_info_by_coord(data.id(), first_row, &skipped_filters, &place, &stored) < 0 ||
        place == HADDR_UNDEF || stored != bytes || skipped_filters != 0)
        return {};
    return std::int64_t(place);
}

/// Returns false if a link leads to another file, or a user block shifts addresses.
bool is_in(const std::filesystem::path& path, const Hdf5Handle& data)
{
    const std::string expected = path.string();
    std::string name(expected.size() + 1, '\0');
    if (H5Fget_name(data.id(), name.data(), name.size()) != ssize_t(expected.size()) ||
        name.c_str() != expected)
        return false;
    const Hdf5Handle file(H5Iget_file_id(data.id()), H5Fclose),
        creation(H5Fget_create_plist(file.id()), H5Pclose);
    hsize_t user_block = 0;
    return H5Pget_userblock(creation.id(), &user_block) >= 0 && user_block == 0;
}

template <class T>
bool read_contiguous(const std::filesystem::path& path, const Hdf5Handle& data, NumberForm form,
                     std::size_t first_number, std::span<T> numbers)
{
    const haddr_t place = H5Dget_offset(data.id());
    if (place == HADDR_UNDEF || !is_in(path, data))
        return false;
    const Hdf5Quiet::Pause pause;
    try {
        read_numbers(InputFile(path), std::int64_t(place + first_number * std::size_t(form.bytes)),
                     form, numbers);
    } catch (const Error&) {
        return false;
    }
    return true;
}

/// Returns where the chunks from `first` to `last` begin, or nothing if HDF5 must read them. HDF5
/// searches each from the first on, which must not take longer than to read them.
std::vector<std::int64_t> places_of(const std::filesystem::path& path, const Hdf5Handle& data,
                                    const Chunks& chunks, std::size_t first, std::size_t last,
                                    std::size_t bytes)
{
    constexpr std::size_t bytes_read_in_a_step = 64; // of the search
    if (last * bytes_read_in_a_step > bytes || !is_in(path, data))
        return {};
    std::vector<std::int64_t> places;
    for (std::size_t c = first; c <= last; ++c) {
        const std::optional<std::int64_t> place = place_of(data, chunks, c, bytes);
        if (!place)
            return {};
        places.push_back(*place);
    }
    return places;
}

/// All threads read, check and convert chunks. If HDF5 must read them, it serves one thread at a
/// time.
template <class T>
bool read_chunks(const std::filesystem::path& path, const Hdf5Handle& data, const Chunks& chunks,
                 NumberForm form, std::size_t begin, std::size_t columns, std::span<T> numbers)
{
    constexpr std::size_t max_bytes = 4 << 20; // HDF5 keeps a larger chunk between blocks
    const std::size_t row = columns * std::size_t(form.bytes), bytes = chunks.rows * row,
                      end = begin + numbers.size() / columns, first = begin / chunks.rows,
                      last = (end - 1) / chunks.rows,
                      stored = bytes + (chunks.has_sums ? sizeof(std::uint32_t) : 0);
    if (bytes > max_bytes)
        return false;
    const std::vector<std::int64_t> places = places_of(path, data, chunks, first, last, stored);
    const Hdf5Quiet::Pause pause;
    std::optional<InputFile> file;
    try {
        if (!places.empty())
            file.emplace(path);
    } catch (const Error&) {
        return false;
    }
    std::atomic<bool> is_wrong = false;
#pragma omp parallel
    {
        std::vector<std::byte> chunk;
#pragma omp for schedule(dynamic)
        for (std::size_t c = first; c <= last; ++c)
            try {
                const std::size_t row_of_chunk = c * chunks.rows,
                                  from = std::max(begin, row_of_chunk),
                                  to = std::min(end, row_of_chunk + chunks.rows);
                if (is_wrong)
                    continue;
                chunk.resize(stored);
                if (file)
                    file->read(places[c - first], chunk);
                const std::span<const std::byte> read = chunk;
                if ((!file && !read_chunk(data, chunks, c, chunk)) ||
                    (chunks.has_sums &&
                     fletcher_sum(read.first(bytes)) != sum_after(read.subspan(bytes))))
                    is_wrong = true;
                else
                    convert(read.subspan((from - row_of_chunk) * row), form.bytes, form.order,
                            numbers.subspan((from - begin) * columns, (to - from) * columns));
            } catch (...) {
                is_wrong = true;
            }
    }
    return !is_wrong;
}

template <class T>
bool read(const std::filesystem::path& path, const Hdf5Handle& data, std::size_t begin,
          std::size_t columns, std::span<T> numbers)
{
    const Hdf5Handle type(H5Dget_type(data.id()), H5Tclose),
        creation(H5Dget_create_plist(data.id()), H5Pclose);
    const std::optional<NumberForm> form = form_of(type.id(), T());
    if (!form || numbers.empty())
        return false;
    if (H5Pget_layout(creation.id()) == H5D_CONTIGUOUS)
        return read_contiguous(path, data, *form, begin * columns, numbers);
    if (H5Pget_layout(creation.id()) != H5D_CHUNKED)
        return false;
    const std::optional<Chunks> chunks = chunks_of(creation.id(), columns);
    return chunks && read_chunks(path, data, *chunks, *form, begin, columns, numbers);
}

} // namespace

bool read_stored_rows(const std::filesystem::path& file, const Hdf5Handle& data, std::size_t begin,
                      std::size_t columns, std::span<double> numbers)
{
    return read(file, data, begin, columns, numbers);
}

bool read_stored_rows(const std::filesystem::path& file, const Hdf5Handle& data, std::size_t begin,
                      std::size_t columns, std::span<std::uint64_t> numbers)
{
    return read(file, data, begin, columns, numbers);
}

} // namespace chamomile
