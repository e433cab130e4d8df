/// \file  The comments of a text file, one `# key: value` each.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A TextHeader collects the comments; those with an unknown key have no effect.
class TextHeader {
public:
    explicit TextHeader(const std::filesystem::path& file) : file_(file) {}

    /// Adds one comment, without the leading `#`. Throws Error with Fault::input when a known key
    /// has a value that it cannot have, or two values.
    void add(std::string_view comment, std::int64_t line);

    /// Returns the column of each of text_columns in the file, or -1. Without a comment `columns`
    /// their number decides: 4, 7, 8, or these with the four of a force computation: 11 and 12. It
    /// is called at the first particle: from then on no columns can be named.
    std::array<int, 12> columns(std::size_t number, std::int64_t line);

    /// Returns the columns in words if their number decided, else an empty text.
    const std::string& assumed_columns() const { return assumed_columns_; }

    /// Returns a note on a comment that seems to name other columns, or an empty text.
    const std::string& columns_note() const { return columns_note_; }

    /// Sets everything but the particles' columns; the particles' types are set too.
    void apply(Snapshot& snapshot) const;

private:
    double number(const std::string& key, double otherwise) const;
    void note_remark(const std::vector<std::string_view>& names);
    void require_companions() const;
    void apply_types(std::vector<std::uint8_t>& types) const;

    struct Value {
        std::string text;
        std::int64_t line;
    };
    std::filesystem::path file_;
    std::map<std::string, Value, std::less<>> values_;
    std::map<std::size_t, std::string> remarks_; ///< comments without a key, by number of words
    std::string assumed_columns_, columns_note_;
    bool columns_are_fixed_ = false;
};

} // namespace chamomile
