/// \file  Tools common to file format tests: a folder, particles, and files built byte by byte.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A TemporaryFolder is an empty folder, deleted after the test.
class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "chamomile-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Scatter generates irregular numbers, identical on every machine.
class Scatter {
public:
    double operator()() // in -1..1, all 53 bits used
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return double(state_ >> 11) * 0x1p-52 - 1;
    }
    Vec3<double> vector() { return {(*this)(), (*this)(), (*this)()}; }

private:
    std::uint64_t state_ = 42;
};

/// Returns particles of all types in mixed order, with ids neither sorted nor dense.
inline Snapshot sample_snapshot(std::size_t n = 597)
{
    Scatter scatter;
    Snapshot snapshot;
    Particles& particles = snapshot.particles;
    particles.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        particles.id[i] = (i * 7919) % 1000003 + 5;
        particles.type[i] = std::uint8_t(i * 5 % 6);
        particles.mass[i] = 2 + scatter();
        particles.position[i] = 1e3 * scatter.vector();
        particles.velocity[i] = scatter.vector();
        particles.acceleration[i] = 1e-7 * scatter.vector();
        particles.potential[i] = scatter() - 2;
    }
    snapshot.time = 1.0 / 3;
    return snapshot;
}

/// Returns particle indices by ascending id.
inline std::vector<std::size_t> by_id(const Particles& particles)
{
    std::vector<std::size_t> order(particles.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return particles.id[a] < particles.id[b]; });
    return order;
}

/// Checks that both hold bitwise equal particles, in any order.
inline void check_same_particles(const Particles& a, const Particles& b, bool with_forces)
{
    REQUIRE(a.size() == b.size());
    const auto order_a = by_id(a), order_b = by_id(b);
    std::size_t different = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const std::size_t i = order_a[k], j = order_b[k];
        const bool same = a.id[i] == b.id[j] && a.type[i] == b.type[j] && a.mass[i] == b.mass[j] &&
                          a.position[i] == b.position[j] && a.velocity[i] == b.velocity[j] &&
                          (!with_forces || (a.acceleration[i] == b.acceleration[j] &&
                                            a.potential[i] == b.potential[j]));
        different += same ? 0 : 1;
    }
    CHECK(different == 0);
}

/// Returns the error line thrown on reading the file; fails the test if none is thrown.
inline std::string reading_error(const std::filesystem::path& path)
{
    try {
        read_snapshot(path);
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::input);
        const std::string line = error.what();
        CHECK(line.find('\n') == line.npos);
        return line;
    }
    FAIL_CHECK(path.string() << " was read without an error");
    return "";
}

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != text.npos;
}

inline std::string file_bytes(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline bool has_bytes(const std::filesystem::path& path, const std::string& bytes)
{
    return file_bytes(path) == bytes;
}

inline void make_file(const std::filesystem::path& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

/// Bytes appends values in a byte order.
class Bytes {
public:
    explicit Bytes(ByteOrder order = ByteOrder::host) : order_(order) {}

    template <class T>
    Bytes& add(T value)
    {
        value = in_host_order(value, order_);
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Bytes& add_text(const std::string& text)
    {
        text_ += text;
        return *this;
    }
    /// Adds a Fortran record: the bytes between two copies of their count.
    Bytes& add_record(const Bytes& record)
    {
        add(std::uint32_t(record.text_.size()));
        text_ += record.text_;
        return add(std::uint32_t(record.text_.size()));
    }
    const std::string& text() const { return text_; }
    ByteOrder order() const { return order_; }

private:
    ByteOrder order_;
    std::string text_;
};

} // namespace chamomile
