#include "chamomile/io/text/lines.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "chamomile/io/text/words.hpp"

namespace chamomile {

bool is_text(const InputFile& file)
{
    std::array<unsigned char, 4096> start;
    const std::size_t n = std::size_t(std::min<std::int64_t>(file.size(), start.size()));
    file.read(0, std::as_writable_bytes(std::span(start.data(), n)));
    return std::all_of(start.begin(), start.begin() + std::ptrdiff_t(n), [](unsigned char c) {
        return c >= ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f';
    });
}

bool TextLines::next()
{
    std::string_view line;
    if (!read(line))
        return false;
    if (++number_ == 1 && line.starts_with("\xef\xbb\xbf"))
        line.remove_prefix(3);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    const std::string where = "line " + std::to_string(number_);
    if (line.find('\r') != line.npos)
        throw bad_input(file_.path(), where, "a carriage return inside",
                        "must end in a line feed, as on Unix and Windows");
    comment_.reset();
    if (const auto comment = line.find('#'); comment != line.npos) {
        comment_ = line.substr(comment + 1);
        line = line.substr(0, comment);
    }
    if (!split_words(line, words_))
        throw bad_input(file_.path(), where, std::string(line),
                        "must have no empty field between commas");
    return true;
}

/// Reads the next line without its line end. Returns false at the end of the file.
bool TextLines::read(std::string_view& line)
{
    std::size_t searched = begin_;
    for (;;) {
        const auto* end = static_cast<const char*>(
            std::memchr(buffer_.data() + searched, '\n', buffer_.size() - searched));
        if (end || offset_ == file_.size()) {
            const std::size_t stop = end ? std::size_t(end - buffer_.data()) : buffer_.size();
            if (!end && begin_ == stop)
                return false;
            line = std::string_view(buffer_).substr(begin_, stop - begin_);
            begin_ = end ? stop + 1 : stop;
            return true;
        }
        searched = buffer_.size() - begin_;
        refill();
    }
}

void TextLines::refill()
{
    constexpr std::int64_t piece = 1 << 22;
    buffer_.erase(0, begin_);
    begin_ = 0;
    const std::size_t kept = buffer_.size();
    buffer_.resize(kept + std::size_t(std::min(piece, file_.size() - offset_)));
    file_.read(offset_, std::as_writable_bytes(std::span(buffer_).subspan(kept)));
    offset_ += std::int64_t(buffer_.size() - kept);
}

} // namespace chamomile
