/// \file  Lines of a text file, with words and comment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chamomile/io/input_file.hpp"

namespace chamomile {

/// Returns whether the start of the file has printable characters only.
bool is_text(const InputFile& file);

/// TextLines reads a file line by line through a buffer. Accepts a byte order mark and Windows line
/// ends. Keeps a reference to the file.
class TextLines {
public:
    explicit TextLines(const InputFile& file) : file_(file) {}

    /// Reads the next line; returns false at the end of the file. Throws Error with Fault::input
    /// for a carriage return inside a line and an empty field between commas.
    bool next();

    /// The words before any comment. Valid until next().
    const std::vector<std::string_view>& words() const { return words_; }
    /// The text after the first '#'. Valid until next().
    const std::optional<std::string_view>& comment() const { return comment_; }
    std::int64_t number() const { return number_; } ///< of the line, from 1

private:
    bool read(std::string_view& line);
    void refill();

    const InputFile& file_;
    std::string buffer_;
    std::size_t begin_ = 0;
    std::int64_t offset_ = 0, number_ = 0;
    std::vector<std::string_view> words_;
    std::optional<std::string_view> comment_;
};

} // namespace chamomile
