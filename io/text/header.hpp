/// \file  What the comments of a text file say, one `# key: value` each.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Collects the comments; any that it does not know are comments and nothing more.
class TextHeader {
public:
    explicit TextHeader(const std::filesystem::path& file) : file_(file) {}

    /// One comment, without the leading `#`. Throws Error with Fault::input when a known key has
    /// a value that it cannot have, or two.
    void add(std::string_view comment, std::int64_t line);

    /// Column of each of text_columns in the file, or -1. Without a comment `columns` their number
    /// decides: 4, 7, 8, or these with the four of a force computation: 11 and 12.
    /// To be asked for at the first particle: from then on none can be named.
    std::array<int, 12> columns(std::size_t number, std::int64_t line);

    /// The columns in words, where their number decided; else empty.
    const std::string& assumed_columns() const { return assumed_columns_; }

    /// Sets all but the particles' columns; their types too.
    void apply(Snapshot& snapshot) const;

private:
    double number(const std::string& key, double otherwise) const;
    void require_companions() const;
    void apply_types(std::vector<std::uint8_t>& types) const;

    struct Value {
        std::string text;
        std::int64_t line;
    };
    std::filesystem::path file_;
    std::map<std::string, Value, std::less<>> values_;
    std::string assumed_columns_;
    bool columns_settled_ = false;
};

} // namespace chamomile
