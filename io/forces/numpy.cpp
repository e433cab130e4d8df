// Reads numpy's .npy files (format 1 to 3) and .npz archives, stored or deflated.
#include <algorithm>
#include <bit>
#include <cstring>

#include <zlib.h>

#include "chamomile/core/number_text.hpp"
#include "chamomile/io/forces/forces_file.hpp"
#include "chamomile/io/input_file.hpp"

namespace chamomile {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t entry_mark = 0x02014b50, local_mark = 0x04034b50, end_mark = 0x06054b50;

/// An array in rows; whole numbers are kept exactly, too.
struct NumpyArray {
    std::string name;
    std::size_t rows = 1, columns = 1;
    std::vector<double> values;
    std::vector<std::uint64_t> whole;
};

template <class T>
T little(const Bytes& bytes, std::size_t offset, bool big = false)
{
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return big == (std::endian::native == std::endian::little) ? byte_swapped(value) : value;
}

/// Returns the text after "'key':" in an .npy header, up to the next comma outside of brackets.
std::string header_value(const std::string& header, const std::string& key)
{
    const auto place = header.find("'" + key + "':");
    if (place == header.npos)
        return "";
    std::string value;
    for (std::size_t i = place + key.size() + 3, depth = 0; i < header.size(); ++i) {
        depth += header[i] == '(' || header[i] == '[';
        depth -= header[i] == ')' || header[i] == ']';
        if (depth == 0 && (header[i] == ',' || header[i] == '}'))
            break;
        if (header[i] != ' ' && header[i] != '\'')
            value += header[i];
    }
    return value;
}

double number_at(const Bytes& bytes, std::size_t offset, char kind, std::size_t width, bool big)
{
    if (kind == 'f')
        return width == 4 ? double(little<float>(bytes, offset, big))
                          : little<double>(bytes, offset, big);
    if (kind == 'i')
        return width == 4 ? double(little<std::int32_t>(bytes, offset, big))
                          : double(little<std::int64_t>(bytes, offset, big));
    return width == 4 ? double(little<std::uint32_t>(bytes, offset, big))
                      : double(little<std::uint64_t>(bytes, offset, big));
}

NumpyArray parse(const InputFile& file, const std::string& name, const Bytes& bytes)
{
    const auto refuse = [&](const std::string& field, const std::string& value,
                            const std::string& allowed) {
        throw bad_input(file.path(), name.empty() ? field : name + ", " + field, value, allowed);
    };
    if (bytes.size() < 12 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
        refuse("format", "not numpy's", "must be an .npy array");
    const bool is_old = bytes[6] == std::byte(1);
    const std::size_t start = is_old ? 10 : 12, length = is_old ? little<std::uint16_t>(bytes, 8)
                                                                : little<std::uint32_t>(bytes, 8);
    if (length > bytes.size() - start)
        refuse("header", std::to_string(length) + " bytes", "must be in the file");
    const std::string header(reinterpret_cast<const char*>(bytes.data()) + start, length),
        type = header_value(header, "descr"), shape = header_value(header, "shape");
    const char order = type.empty() ? ' ' : type[0], kind = type.size() < 3 ? ' ' : type[1];
    const std::size_t width = type.size() == 3 ? std::size_t(type[2] - '0') : 0;
    if ((order != '<' && order != '>') || (kind != 'f' && kind != 'i' && kind != 'u') ||
        (width != 4 && width != 8))
        refuse("type", type, "must be f4, f8, i4, i8, u4 or u8");
    NumpyArray array{name, 1, 1, {}, {}};
    std::vector<std::size_t> sizes;
    for (std::size_t begin = 1; begin < shape.size();) {
        const std::size_t end = std::min(shape.find_first_of(",)", begin), shape.size());
        if (const auto size = parsed_number<std::size_t>(shape.substr(begin, end - begin)))
            sizes.push_back(*size);
        begin = end + 1;
    }
    if (sizes.empty() || sizes.size() > 2)
        refuse("shape", shape, "must be (N,) or (N, columns)");
    array.rows = sizes[0];
    array.columns = sizes.size() == 2 ? sizes[1] : 1;
    const std::size_t data = bytes.size() - start - length;
    if (array.columns > 64 || array.rows > data / width ||
        array.rows * array.columns * width != data)
        refuse("shape", shape, "must fit to the bytes of the file");
    const bool by_columns = header_value(header, "fortran_order") == "True";
    for (std::size_t row = 0; row < array.rows; ++row)
        for (std::size_t column = 0; column < array.columns; ++column) {
            const std::size_t k = by_columns ? column * array.rows + row
                                             : row * array.columns + column,
                              offset = start + length + k * width;
            array.values.push_back(number_at(bytes, offset, kind, width, order == '>'));
            if (kind != 'f')
                array.whole.push_back(width == 4
                                          ? little<std::uint32_t>(bytes, offset, order == '>')
                                          : little<std::uint64_t>(bytes, offset, order == '>'));
        }
    return array;
}

/// Returns the unpacked bytes of an archive's entry; `entry` is its place in the directory.
Bytes unpacked(const InputFile& file, const Bytes& all, std::size_t entry, const std::string& name)
{
    const auto refuse = [&](const char* value, const char* allowed) {
        throw bad_input(file.path(), name, value, allowed);
    };
    const unsigned method = little<std::uint16_t>(all, entry + 10);
    const std::size_t packed = little<std::uint32_t>(all, entry + 20),
                      plain = little<std::uint32_t>(all, entry + 24),
                      local = little<std::uint32_t>(all, entry + 42);
    if (plain == 0xffffffff || local + 30 > all.size() ||
        little<std::uint32_t>(all, local) != local_mark)
        refuse("not readable", "must be an array below 4 GiB");
    const std::size_t data = local + 30 + little<std::uint16_t>(all, local + 26) +
                             little<std::uint16_t>(all, local + 28);
    if (data > all.size() || packed > all.size() - data || (method != 0 && method != 8))
        refuse("not readable", "must be stored or deflated, as numpy.savez writes");
    const auto begin = all.begin() + std::ptrdiff_t(data);
    if (method == 0)
        return {begin, begin + std::ptrdiff_t(packed)};
    if (plain / 1100 > packed)
        refuse("not readable", "must be deflated");
    Bytes bytes(plain);
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(all.data() + data));
    stream.avail_in = uInt(packed);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = uInt(plain);
    const bool is_good = inflateInit2(&stream, -MAX_WBITS) == Z_OK &&
                         inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!is_good)
        refuse("damaged", "must be deflated");
    return bytes;
}

std::vector<NumpyArray> parse_archive(const InputFile& file, const Bytes& all)
{
    std::size_t end = all.size() < 22 ? 0 : all.size() - 22;
    while (end > 0 && little<std::uint32_t>(all, end) != end_mark)
        --end;
    if (end == 0)
        throw bad_input(file.path(), "format", "a damaged archive", "must be complete");
    std::size_t place = little<std::uint32_t>(all, end + 16);
    std::vector<NumpyArray> arrays;
    for (unsigned k = 0; k < little<std::uint16_t>(all, end + 10); ++k) {
        if (place + 46 > all.size() || little<std::uint32_t>(all, place) != entry_mark)
            throw bad_input(file.path(), "format", "a damaged archive", "must be complete");
        const std::size_t length = little<std::uint16_t>(all, place + 28);
        std::string name(reinterpret_cast<const char*>(all.data()) + place + 46,
                         std::min(length, all.size() - place - 46));
        if (name.ends_with(".npy"))
            name.resize(name.size() - 4);
        if (column_name(name) != "-")
            arrays.push_back(parse(file, name, unpacked(file, all, place, name)));
        place += 46 + length + little<std::uint16_t>(all, place + 30) +
                 little<std::uint16_t>(all, place + 32);
    }
    return arrays;
}

/// Sets the columns that an array of an archive holds by its name.
void add_array(const InputFile& file, const NumpyArray& array, ForcesFile& forces)
{
    const bool is_vector = array.columns == 3;
    std::string column = column_name(array.name);
    if (is_vector && column == "x")
        column = "position";
    const bool takes_vector = column == "acceleration" || column == "position";
    if (is_vector != takes_vector || array.columns % 2 == 0 ||
        (!takes_vector && column != "potential" && column != "id"))
        throw bad_input(file.path(), array.name,
                        std::to_string(array.rows) + " x " + std::to_string(array.columns),
                        "must be acceleration or position of shape (N, 3), potential or id (N,)");
    if (column == "id" && array.whole.empty())
        throw bad_input(file.path(), array.name, "real numbers", "must be whole numbers");
    if (column == "id")
        forces.id = array.whole;
    else
        set_columns(forces,
                    column == "acceleration" ? std::vector<std::string>{"ax", "ay", "az"}
                    : is_vector              ? std::vector<std::string>{"x", "y", "z"}
                                             : std::vector<std::string>{column},
                    array.values);
}

} // namespace

bool is_numpy(const InputFile& file)
{
    if (file.size() < 12)
        return false;
    const auto start = file.value<std::array<char, 6>>(0);
    return std::memcmp(start.data(), "\x93NUMPY", 6) == 0 ||
           std::memcmp(start.data(), "PK\x03\x04", 4) == 0;
}

ForcesFile read_numpy(const InputFile& file)
{
    Bytes bytes(std::size_t(file.size()));
    file.read(0, bytes);
    ForcesFile forces;
    if (bytes[0] != std::byte('P')) {
        const NumpyArray array = parse(file, "", bytes);
        const auto names = known_columns(array.columns);
        if (!names)
            throw bad_input(file.path(), "shape", "(N, " + std::to_string(array.columns) + ")",
                            "must be (N, 3) accelerations, (N, 4) with potentials or (N,) "
                            "potentials; name more by numpy.savez");
        forces.format = "numpy array";
        set_columns(forces, *names, array.values);
        return forces;
    }
    forces.format = "numpy archive";
    for (const NumpyArray& array : parse_archive(file, bytes))
        add_array(file, array, forces);
    const std::size_t rows = forces.size();
    for (const std::size_t size : {forces.acceleration.size(), forces.potential.size(),
                                   forces.position.size(), forces.id.size()})
        if (size != 0 && size != rows)
            throw bad_input(file.path(), "rows", std::to_string(size),
                            "must be equal in all arrays, " + std::to_string(rows));
    return forces;
}

} // namespace chamomile
