#include "chamomile/io/forces/forces_file.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

#include "chamomile/core/lower_case.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"
#include "chamomile/io/text/lines.hpp"
#include "chamomile/io/text/words.hpp"
#include "chamomile/io/unit_conversion.hpp"

namespace chamomile {
namespace {

/// Columns without names. 12, 13 and 15 columns are GADGET-2's and GADGET-3's forcetest.txt, 16 and
/// 24 GADGET-4's without and with a mesh (the tree's and the mesh's accelerations).
constexpr std::pair<std::size_t, const char*> layouts[] = {
    {1, "potential"},
    {3, "ax ay az"},
    {4, "ax ay az potential"},
    {5, "id ax ay az potential"},
    {6, "x y z ax ay az"},
    {7, "x y z ax ay az potential"},
    {8, "id x y z ax ay az potential"},
    {12, "- - - x y z - - - ax ay az"},
    {13, "- id - - x y z - - - ax ay az"},
    {15, "- - - x y z - - - - - - ax ay az"},
    {16, "- - id - x y z - - - - ax ay az potential -"},
    {24, "- - id - x y z - - - - - - - ax ay az ax ay az - - - -"}};

/// Whether a text is a snapshot: it names its columns or units by "key: value", or has the columns
/// of `chamomile force`.
bool is_text_snapshot(const InputFile& file)
{
    std::vector<std::string_view> names;
    std::size_t named = 0;
    for (TextLines lines(file); lines.next();) {
        if (lines.comment() && (lines.comment()->find("columns:") != std::string_view::npos ||
                                lines.comment()->find("unit_length") != std::string_view::npos))
            return true;
        if (lines.comment() && split_words(*lines.comment(), names) &&
            !named_columns(names).empty())
            named = names.size();
        const auto& words = lines.words();
        if (!words.empty() && words.size() == named)
            return false;
        if (words.size() == 12) // an id, where forcetest.txt has an acceleration
            return parsed_number<std::uint64_t>(words[7]).has_value();
        if (!words.empty())
            return words.size() == 11;
    }
    return false;
}

ForcesFile read_from_snapshot(const std::filesystem::path& path, const Snapshot& units)
{
    Snapshot snapshot = read_snapshot(path, Masses::may_lack);
    if (!snapshot.has_accelerations && !snapshot.has_potentials)
        throw bad_input(path, "accelerations and potentials", "none",
                        "must be in the file: GADGET writes them with OUTPUT_ACCELERATION and "
                        "OUTPUT_POTENTIAL");
    if (units.units.physical && snapshot.units.physical)
        convert_units(snapshot, units.units, path.string());
    ForcesFile file;
    file.format = snapshot.format;
    if (snapshot.has_accelerations)
        file.acceleration = std::move(snapshot.particles.acceleration);
    if (snapshot.has_potentials)
        file.potential = std::move(snapshot.particles.potential);
    file.position = std::move(snapshot.particles.position);
    const std::string none = "ids are 1 to N"; // number_particles()
    if (std::none_of(snapshot.notes.begin(), snapshot.notes.end(),
                     [&](const std::string& note) { return note.find(none) != note.npos; }))
        file.id = std::move(snapshot.particles.id);
    file.facts = snapshot;
    return file;
}

} // namespace

ForcesFile read_forces(const std::filesystem::path& path, const Snapshot& units)
{
    const InputFile file(path);
    ForcesFile forces = is_numpy(file) ? read_numpy(file)
                        : is_text(file) && !is_text_snapshot(file)
                            ? read_force_text(file)
                            : read_from_snapshot(path, units);
    if (forces.size() == 0)
        throw bad_input(path, "accelerations and potentials", "none", "must be in the file");
    for (std::size_t i = 0; i < forces.size(); ++i) {
        const Vec3<double> a =
            forces.acceleration.empty() ? Vec3<double>{} : forces.acceleration[i];
        const double phi = forces.potential.empty() ? 0 : forces.potential[i];
        if (!(0 * (a.x + a.y + a.z + phi) == 0))
            throw bad_input(path, "row " + std::to_string(i),
                            number_text(std::isfinite(phi) ? a.x + a.y + a.z : phi),
                            "accelerations and potentials must be finite");
    }
    return forces;
}

std::optional<std::vector<std::string>> known_columns(std::size_t number)
{
    for (const auto& [columns, names] : layouts)
        if (columns == number) {
            std::istringstream words(names);
            std::vector<std::string> list;
            for (std::string word; words >> word;)
                list.push_back(word);
            return list;
        }
    return std::nullopt;
}

std::string column_name(std::string_view word)
{
    std::string name, axis;
    for (const char c : lower_case(std::string(word)))
        if (std::isalnum(static_cast<unsigned char>(c)))
            name += c;
        else if (c == '(' || (c == '[' && !word.ends_with("[0]") && !word.ends_with("[1]") &&
                              !word.ends_with("[2]")))
            break; // a unit
    if (!name.empty() && name.back() >= '0' && name.back() <= '2') {
        axis = std::string(1, char('x' + (name.back() - '0')));
        name.pop_back();
    } else if (!name.empty() && name.back() >= 'x' && name.back() <= 'z') {
        axis = name.substr(name.size() - 1);
        name.pop_back();
    }
    const auto is = [&](std::initializer_list<const char*> names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (is({"a", "acc", "accel", "acceleration", "accelerations", "aswift", "aexact", "g", "grav",
            "gravaccel", "gravitationalacceleration"}))
        return axis.empty() ? "acceleration" : "a" + axis;
    if (is({"", "pos", "position", "positions", "coord", "coordinates", "r"}))
        return axis.empty() ? (name.empty() ? "-" : "position") : axis;
    if (axis.empty() && is({"phi", "pot", "potential", "potentials"}))
        return "potential";
    if (axis.empty() && is({"id", "ids", "particleid", "particleids", "pid"}))
        return "id";
    return "-";
}

std::vector<std::string> named_columns(const std::vector<std::string_view>& words)
{
    std::vector<std::string> names;
    bool has_forces = false;
    for (const std::string_view word : words) {
        names.push_back(column_name(word));
        has_forces |= names.back() == "az" || names.back() == "potential";
    }
    return has_forces ? names : std::vector<std::string>();
}

void set_columns(ForcesFile& file, const std::vector<std::string>& names,
                 const std::vector<double>& values)
{
    const std::size_t width = names.size(), rows = width == 0 ? 0 : values.size() / width;
    const auto has = [&](const char* name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto sum = [&](std::size_t row, const char* name) {
        double total = 0;
        for (std::size_t column = 0; column < width; ++column)
            if (names[column] == name)
                total += values[row * width + column];
        return total;
    };
    for (std::size_t row = 0; row < rows; ++row) {
        if (has("ax") && has("ay") && has("az"))
            file.acceleration.push_back({sum(row, "ax"), sum(row, "ay"), sum(row, "az")});
        if (has("x") && has("y") && has("z"))
            file.position.push_back({sum(row, "x"), sum(row, "y"), sum(row, "z")});
        if (has("potential"))
            file.potential.push_back(sum(row, "potential"));
        if (has("id") && sum(row, "id") >= 0)
            file.id.push_back(std::uint64_t(sum(row, "id")));
    }
    for (const std::string& name : names)
        if (name != "-" && file.format.find(" " + name) == std::string::npos)
            file.format += " " + name;
}

} // namespace chamomile
