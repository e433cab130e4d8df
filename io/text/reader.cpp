// Reads text columns in the C locale. Accepts a byte order mark and Windows line ends.
#include <algorithm>
#include <array>
#include <optional>

#include "chamomile/io/formats.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/text/columns.hpp"
#include "chamomile/io/text/header.hpp"
#include "chamomile/io/text/lines.hpp"
#include "chamomile/io/text/words.hpp"

namespace chamomile {
namespace {

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
    for (TextLines lines(file); lines.next();) {
        if (lines.comment())
            header.add(*lines.comment(), lines.number());
        const std::vector<std::string_view>& words = lines.words();
        if (words.empty())
            continue;
        if (!rows)
            rows.emplace(file, header.columns(words.size(), lines.number()), words.size());
        rows->add(words, lines.number(), particles);
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
