/// \file  Archives of named values in full precision, from which a run is continued. One function
/// of a class both saves and restores its state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// An archive saves values under their names, or restores them, bit for bit:
///
///     void Clock::exchange(Archive& archive) { archive("clock/time", time_); }
///
/// Names have at most 39 characters and are used once. A reading archive throws Error(restart) for
/// a name that is absent or was saved with a different type or length.
class Archive {
public:
    virtual ~Archive() = default;

    /// Returns whether the archive restores values.
    virtual bool is_reading() const = 0;

    /// Returns whether a reading archive has a block; archives of earlier versions may lack it.
    virtual bool has(const std::string&) const { return true; }

    template <class T>
    requires std::is_arithmetic_v<T>
    void operator()(const std::string& name, T& value)
    {
        if constexpr (std::is_same_v<T, bool>) {
            std::uint8_t byte = value;
            (*this)(name, byte);
            value = byte != 0;
        } else {
            if (is_reading() && size(name, format<T>()) != 1)
                throw wrong_length(name);
            exchange(name, format<T>(), std::as_writable_bytes(std::span(&value, 1)));
        }
    }

    /// Exchanges an enumerator up to `last`. Throws Error(restart) for a larger number.
    template <class T>
    requires std::is_enum_v<T>
    void operator()(const std::string& name, T& value, T last)
    {
        auto number = std::int32_t(value);
        (*this)(name, number);
        if (number < 0 || number > std::int32_t(last))
            throw Error(Fault::restart,
                        name + ": " + std::to_string(number) + ": unknown to this version");
        value = T(number);
    }

    template <class T>
    requires std::is_arithmetic_v<T>
    void operator()(const std::string& name, std::vector<T>& values)
    {
        if (is_reading())
            values.resize(std::size_t(size(name, format<T>())));
        exchange(name, format<T>(), std::as_writable_bytes(std::span(values)));
    }

    /// Exchanges records made only of doubles, such as Vec3<double>.
    template <class T>
    void records(const std::string& name, std::vector<T>& values)
    {
        if (is_reading())
            values.resize(std::size_t(count_of<T>(name)));
        exchange(name, format<double>(), std::as_writable_bytes(std::span(values)));
    }

    /// Saves numbers or records of doubles in parts: part(begin, end) returns a range of at most
    /// `max`. An ArchiveSize does not call it.
    template <class T, class Part>
    void keep(const std::string& name, std::size_t count, std::size_t max, const Part& part)
    {
        using Number = std::conditional_t<std::is_arithmetic_v<T>, T, double>;
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(Number) == 0);
        std::size_t begin = 0;
        keep_parts(name, format<Number>(), count * sizeof(T), [&] {
            const std::size_t end = std::min(begin + max, count);
            const std::span<const T> records = part(std::exchange(begin, end), end);
            return std::as_bytes(records);
        });
    }

    /// Returns the number of records of doubles under a name in a reading archive.
    template <class T>
    std::uint64_t count_of(const std::string& name)
    {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
        constexpr std::size_t width = sizeof(T) / sizeof(double);
        const std::uint64_t doubles = size(name, format<double>());
        if (doubles % width != 0)
            throw wrong_length(name);
        return doubles / width;
    }

    /// Restores the records from `begin` on. They must exist.
    template <class T>
    void part(const std::string& name, std::size_t begin, std::span<T> records)
    {
        give_part(name, format<double>(), begin * sizeof(T), std::as_writable_bytes(records));
    }

    void operator()(const std::string& name, Vec3<double>& value)
    {
        std::vector<double> parts{value.x, value.y, value.z};
        (*this)(name, parts);
        if (parts.size() != 3)
            throw wrong_length(name);
        value = {parts[0], parts[1], parts[2]};
    }

    void operator()(const std::string& name, std::string& text)
    {
        if (is_reading())
            text.resize(std::size_t(size(name, {'s', 1})));
        exchange(name, {'s', 1}, std::as_writable_bytes(std::span(text)));
    }

    template <class T>
    void operator()(const std::string& name, std::optional<T>& value)
    {
        std::vector<T> values;
        if (value)
            values.push_back(*value);
        (*this)(name, values);
        if (values.size() > 1)
            throw wrong_length(name);
        value = values.empty() ? std::nullopt : std::optional<T>(values.front());
    }

    template <class Key, class Value>
    requires std::is_arithmetic_v<Key>
    void operator()(const std::string& name, std::map<Key, Value>& map)
    {
        std::vector<Key> keys;
        std::vector<Value> values;
        for (const auto& [key, value] : map) {
            keys.push_back(key);
            values.push_back(value);
        }
        (*this)(name + "/keys", keys);
        (*this)(name + "/values", values);
        if (keys.size() != values.size())
            throw wrong_length(name);
        map.clear();
        for (std::size_t k = 0; k < keys.size(); ++k)
            map[keys[k]] = values[k];
    }

    /// Exchanges texts. They must not contain the character 0.
    void operator()(const std::string& name, std::vector<std::string>& texts);
    void operator()(const std::string& name, std::map<std::string, std::string>& map);

protected:
    /// Format of an item. kind: s text, u unsigned, i signed, f floating point; width: bytes per
    /// item.
    struct Format {
        char kind;
        std::uint8_t width;
        friend bool operator==(const Format&, const Format&) = default;
    };
    template <class T>
    static constexpr Format format()
    {
        return {std::is_floating_point_v<T> ? 'f'
                : std::is_signed_v<T>       ? 'i'
                                            : 'u',
                std::uint8_t(sizeof(T))};
    }

    /// Returns the number of items saved under a name. Throws Error(restart) if the name is absent
    /// or has a different format.
    virtual std::uint64_t size(const std::string& name, Format format) = 0;
    /// Saves the bytes; a reading archive restores them, as many as size() reports.
    virtual void exchange(const std::string& name, Format format, std::span<std::byte> bytes) = 0;

    /// Saves `bytes` bytes, from repeated calls of next().
    using NextPart = std::function<std::span<const std::byte>()>;
    virtual void keep_parts(const std::string& name, Format format, std::uint64_t bytes,
                            const NextPart& next);
    /// Restores a part of the bytes, from `begin` on.
    virtual void give_part(const std::string& name, Format format, std::uint64_t begin,
                           std::span<std::byte> bytes);

private:
    static Error wrong_length(const std::string& name)
    {
        return Error(Fault::restart, name + ": has the wrong length");
    }
};

/// Adds up the bytes and blocks that an archive would hold, except some names.
class ArchiveSize final : public Archive {
public:
    explicit ArchiveSize(std::set<std::string> left_out = {}) : left_out_(std::move(left_out)) {}

    bool is_reading() const override { return false; }
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t blocks() const { return blocks_; }

private:
    std::uint64_t size(const std::string&, Format) override { return 0; }
    void exchange(const std::string& name, Format, std::span<std::byte> bytes) override
    {
        add(name, bytes.size());
    }
    void keep_parts(const std::string& name, Format, std::uint64_t bytes, const NextPart&) override
    {
        add(name, bytes);
    }
    void add(const std::string& name, std::uint64_t bytes)
    {
        if (left_out_.contains(name))
            return;
        bytes_ += bytes;
        ++blocks_;
    }

    std::set<std::string> left_out_;
    std::uint64_t bytes_ = 0, blocks_ = 0;
};

} // namespace chamomile
