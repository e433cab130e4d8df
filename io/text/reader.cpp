// Reads text columns in the C locale. Accepts a byte order mark and Windows line ends.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "chamomile/io/formats.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/text/columns.hpp"
#include "chamomile/io/text/header.hpp"
#include "chamomile/io/text/words.hpp"

namespace chamomile {
namespace {

/// A LineReader reads a file line by line through a buffer.
class LineReader {
public:
    explicit LineReader(const InputFile& file) : file_(file) {}

    /// Reads the next line without its line end; valid until the next call. Returns false at the
    /// end of the file.
    bool next(std::string_view& line)
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

private:
    void refill()
    {
        constexpr std::int64_t piece = 1 << 22;
        buffer_.erase(0, begin_);
        begin_ = 0;
        const std::size_t kept = buffer_.size();
        buffer_.resize(kept + std::size_t(std::min(piece, file_.size() - offset_)));
        file_.read(offset_, std::as_writable_bytes(std::span(buffer_).subspan(kept)));
        offset_ += std::int64_t(buffer_.size() - kept);
    }

    const InputFile& file_;
    std::string buffer_;
    std::size_t begin_ = 0;
    std::int64_t offset_ = 0;
};

/// A RowReader converts the words of each line to one particle.
class RowReader {
public:
    RowReader(const InputFile& file, const std::array<int, 12>& columns, std::size_t number)
        : file_(file), columns_(columns), number_(number)
    {}

    bool has_velocities() const { return columns_[4] >= 0; }
    bool has_accelerations() const { return columns_[8] >= 0; }
    bool has_potentials() const { return columns_[11] >= 0; }

    void add(const std::vector<std::string_view>& words, std::int64_t line, Particles& particles)
    {
        if (words.size() != number_)
            throw bad_input(file_.path(), "line " + std::to_string(line),
                            std::to_string(words.size()) + " columns",
                            "must be " + std::to_string(number_) + ", as in the lines before");
        std::array<double, 12> values{};
        std::uint64_t id = particles.id.size() + 1;
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            if (columns_[k] < 0)
                continue;
            const std::string_view word = words[std::size_t(columns_[k])];
            if (k == id_column)
                id = value<std::uint64_t>(word, k, line, "must be a whole number, 0 or more");
            else
                values[k] = value<double>(word, k, line, "must be a number");
        }
        particles.id.push_back(id);
        particles.mass.push_back(values[0]);
        particles.position.push_back({values[1], values[2], values[3]});
        particles.velocity.push_back({values[4], values[5], values[6]});
        if (has_accelerations())
            particles.acceleration.push_back({values[8], values[9], values[10]});
        if (has_potentials())
            particles.potential.push_back(values[11]);
    }

private:
    static constexpr std::size_t id_column = 7;

    template <class T>
    T value(std::string_view word, std::size_t k, std::int64_t line, const char* allowed) const
    {
        constexpr bool is_real = std::is_floating_point_v<T>;
        std::optional<T> number;
        if constexpr (is_real)
            number = parsed_real(word);
        else
            number = parsed_number<T>(word);
        if (number)
            return *number;
        const bool beyond = is_real && is_beyond_doubles(word);
        throw bad_input(
            file_.path(),
            "line " + std::to_string(line) + ", column " + std::to_string(columns_[k] + 1) + " (" +
                std::string(text_columns[k]) + ")",
            std::string(word.substr(0, 40)),
            beyond ? "must be 0 or from 4.9e-324 to 1.8e308, the range of doubles" : allowed);
    }

    const InputFile& file_;
    std::array<int, 12> columns_;
    std::size_t number_;
};

} // namespace

Snapshot read_text(const InputFile& file)
{
    Snapshot snapshot;
    Particles& particles = snapshot.particles;
    TextHeader header(file.path());
    std::optional<RowReader> rows;
    LineReader lines(file);
    std::vector<std::string_view> words;
    std::string_view line;
    for (std::int64_t number = 1; lines.next(line); ++number) {
        if (number == 1 && line.starts_with("\xef\xbb\xbf"))
            line.remove_prefix(3);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.find('\r') != line.npos)
            throw bad_input(file.path(), "line " + std::to_string(number),
                            "a carriage return inside",
                            "must end in a line feed, as on Unix and Windows");
        if (const auto comment = line.find('#'); comment != line.npos) {
            header.add(line.substr(comment + 1), number);
            line = line.substr(0, comment);
        }
        if (!split_words(line, words))
            throw bad_input(file.path(), "line " + std::to_string(number), std::string(line),
                            "must have no empty field between commas");
        if (words.empty())
            continue;
        if (!rows)
            rows.emplace(file, header.columns(words.size(), number), words.size());
        rows->add(words, number, particles);
    }
    particles.resize(particles.mass.size());
    snapshot.format = "text columns";
    header.apply(snapshot);
    if (!header.assumed_columns().empty())
        check_masses(particles, file.path(),
                     "; read as " + header.assumed_columns() + "; name others by '# columns: ...'");
    if (!header.columns_note().empty())
        snapshot.notes.push_back(header.columns_note());
    if (rows) {
        snapshot.has_accelerations = rows->has_accelerations();
        snapshot.has_potentials = rows->has_potentials();
        if (!rows->has_velocities())
            snapshot.notes.push_back("no columns vx vy vz: all velocities are 0");
    }
    return snapshot;
}

} // namespace chamomile
