/// \file  The comments of a text file, with one `# key: value` per line.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A TextHeader collects the comments. Unknown keys have no effect.
class TextHeader {
public:
    explicit TextHeader(const std::filesystem::path& file) : file_(file) {}

    /// Adds one comment, without the leading `#`. Throws Error with Fault::input if a known key has
    /// an invalid value or two values.
    void add(std::string_view comment, std::int64_t line);

    /// Returns the file column of each of text_columns, or -1. Without a `# columns:` comment, the
    /// number of columns decides: 4, 7 or 8, or 11 or 12 with the four results of a force
    /// computation. Call at the first particle: a `columns` comment after this call is an error.
    std::array<int, 12> columns(std::size_t number, std::int64_t line);

    /// Returns the columns in words if their number decided, otherwise an empty text.
    const std::string& assumed_columns() const { return assumed_columns_; }

    /// Returns a note on a comment that seems to name different columns, or an empty text.
    const std::string& columns_note() const { return columns_note_; }

    /// Sets all properties of the snapshot and the types of the particles.
    void apply(Snapshot& snapshot) const;

private:
    double number(const std::string& key, double otherwise) const;
    void record_remark(const std::vector<std::string_view>& names);
    void require_companions() const;
    void apply_types(std::vector<std::uint8_t>& types) const;

    struct Value {
        std::string text;
        std::int64_t line;
    };
    std::filesystem::path file_;
    std::map<std::string, Value, std::less<>> values_;
    std::map<std::size_t, std::string> remarks_; ///< by number of words: comments without key
    std::string assumed_columns_, columns_note_;
    bool columns_are_fixed_ = false;
};

} // namespace chamomile
