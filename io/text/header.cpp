#include "chamomile/io/text/header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "chamomile/core/lower_case.hpp"
#include "chamomile/io/file_constants.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"
#include "chamomile/io/text/columns.hpp"
#include "chamomile/io/text/words.hpp"

namespace chamomile {
namespace {

constexpr std::string_view provenance_prefix = "provenance ";
/// A NumberKey is a key with a numeric value. `beside` is the key that must accompany it.
struct NumberKey {
    std::string_view name;
    Range range;
    std::string_view beside = {};
};
constexpr std::string_view length_key = "unit_length_in_cm", frame_key = "scale_factor";
constexpr NumberKey number_keys[] = {
    {"time", ranges::any},
    {length_key, ranges::positive, "unit_mass_in_g"},
    {"unit_mass_in_g", ranges::positive, "unit_velocity_in_cm_per_s"},
    {"unit_velocity_in_cm_per_s", ranges::positive, length_key},
    {"units_per_h", ranges::any, length_key},
    {"G", ranges::positive},
    {"box_size", ranges::side_or_none},
    {frame_key, ranges::scale_factor},
    {"omega_matter", ranges::omega_matter_or_none, frame_key},
    {"omega_lambda", ranges::omega_lambda, frame_key},
    {"hubble", ranges::any, frame_key},
    {"softening_length", ranges::not_negative},
    {"omega_radiation", ranges::omega_radiation, frame_key},
    {"w0", ranges::w0, frame_key},
    {"wa", ranges::wa, frame_key},
    {"physical_softening", ranges::not_negative, frame_key}};
constexpr std::string_view text_keys[] = {"columns", "types", "softening_kind"};

const NumberKey* number_key(std::string_view name)
{
    const auto found = std::find_if(std::begin(number_keys), std::end(number_keys),
                                    [&](const NumberKey& key) { return key.name == name; });
    return found == std::end(number_keys) ? nullptr : found;
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

template <class List>
bool contains(const List& list, std::string_view word)
{
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

/// Returns whether `letters` joins an axis with the name of a vector, as in "posx" or "xvel".
bool is_component(std::string_view letters, char axis, std::string_view vector)
{
    for (std::size_t n = 3; n <= vector.size(); ++n) {
        const std::string name(vector.substr(0, n));
        if (letters.starts_with(name + axis) || letters.starts_with(axis + name))
            return true;
    }
    return false;
}

/// Returns whether a word of a comment denotes the column `name`. The word may abbreviate the name
/// ("m"), contain it ("ParticleID"), or name a component ("pos_x", "velx"). A unit may follow
/// ("x[pc]").
bool means(std::string_view word, std::string_view name)
{
    std::string letters;
    for (const char c : word)
        if (std::isalpha(static_cast<unsigned char>(c)))
            letters += c;
        else if (c != '_')
            break;
    letters = lower_case(letters);
    if (letters.empty())
        return false;
    const auto at = letters.find(name);
    if (name.starts_with(letters) || at == 0 || (at != letters.npos && name.size() > 1))
        return true;
    const char axis = name.back();
    if (axis < 'x' || axis > 'z')
        return false;
    if (name.size() == 1)
        return is_component(letters, axis, "positions") ||
               is_component(letters, axis, "coordinates");
    return is_component(letters, axis, name[0] == 'v' ? "velocity" : "acceleration");
}

} // namespace

void TextHeader::add(std::string_view comment, std::int64_t line)
{
    const auto colon = comment.find(':');
    if (colon == comment.npos) {
        std::vector<std::string_view> words;
        if (!columns_are_fixed_ && split_words(comment, words))
            remarks_[words.size()] = trimmed(comment);
        return;
    }
    const std::string key(trimmed(comment.substr(0, colon)));
    const std::string text(trimmed(comment.substr(colon + 1)));
    const std::string field = "line " + std::to_string(line) + ", " + key;
    const NumberKey* const numeric = number_key(key);
    if (numeric) {
        const auto value = parsed_real(text);
        if (!value || !std::isfinite(*value))
            throw bad_input(file_, field, text, "must be a finite number");
        checked(file_, field, *value, numeric->range);
    } else if (!contains(text_keys, key) && !key.starts_with(provenance_prefix))
        return;
    const auto [place, is_new] = values_.try_emplace(key, Value{text, line});
    if (!is_new && place->second.text != text)
        throw bad_input(file_, field, text,
                        "line " + std::to_string(place->second.line) + " states " +
                            place->second.text.substr(0, 200) + "; state it once");
    if (is_new && key == "columns" && columns_are_fixed_)
        throw bad_input(file_, field, text, "must stand before the first particle");
}

double TextHeader::number(const std::string& key, double otherwise) const
{
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : *parsed_real(found->second.text);
}

std::array<int, 12> TextHeader::columns(std::size_t number, std::int64_t line)
{
    std::vector<std::string_view> names;
    columns_are_fixed_ = true;
    const std::string where = "line " + std::to_string(line);
    if (const auto stated = values_.find("columns"); stated != values_.end()) {
        split_words(stated->second.text, names);
        for (std::string_view name : names)
            if (!contains(text_columns, name))
                throw bad_input(file_, "columns", std::string(name),
                                "mass x y z vx vy vz id ax ay az potential");
            else if (std::count(names.begin(), names.end(), name) > 1)
                throw bad_input(file_, "columns", std::string(name), "is named twice");
        if (names.size() != number)
            throw bad_input(file_, where, std::to_string(number) + " columns",
                            std::to_string(names.size()) + " are named in the comment 'columns'");
    } else {
        if (number != 4 && number != 7 && number != 8 && number != 11 && number != 12)
            throw bad_input(file_, where, std::to_string(number) + " columns",
                            "mass x y z [vx vy vz [id]] [ax ay az potential]: 4, 7, 8, 11 or 12");
        const std::size_t plain = number > 8 ? number - 4 : number;
        names.assign(text_columns.begin(), text_columns.begin() + std::ptrdiff_t(plain));
        names.insert(names.end(), text_columns.begin() + 8,
                     text_columns.begin() + std::ptrdiff_t(8 + number - plain));
        for (std::string_view name : names)
            assumed_columns_.append(assumed_columns_.empty() ? "" : " ").append(name);
        record_remark(names);
    }
    std::array<int, 12> columns;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto found = std::find(names.begin(), names.end(), text_columns[k]);
        columns[k] = found == names.end() ? -1 : int(found - names.begin());
    }
    // Vectors must be complete or absent. Mass and position are required.
    for (const auto [first, last, needed] :
         {std::array{0, 3, 1}, std::array{4, 6, 0}, std::array{8, 10, 0}}) {
        const auto present = std::count_if(columns.begin() + first, columns.begin() + last + 1,
                                           [](int column) { return column >= 0; });
        if (present != last - first + 1 && (needed || present > 0))
            throw bad_input(file_, "columns", values_.find("columns")->second.text,
                            "mass x y z are needed, velocities and accelerations by threes");
    }
    return columns;
}

/// Sets columns_note_ if a comment seems to name columns other than `names`.
void TextHeader::record_remark(const std::vector<std::string_view>& names)
{
    const auto remark = remarks_.find(names.size());
    if (remark == remarks_.end())
        return;
    std::vector<std::string_view> words;
    split_words(remark->second, words);
    if (!std::equal(words.begin(), words.end(), names.begin(), means))
        columns_note_ = "columns taken as " + assumed_columns_ + ", in spite of the comment '" +
                        remark->second.substr(0, 100) + "': '# columns: ...' names others";
}

void TextHeader::require_companions() const
{
    for (const auto& [key, value] : values_) {
        const NumberKey* const numeric = number_key(key);
        if (numeric && !numeric->beside.empty() && !values_.contains(numeric->beside))
            throw bad_input(file_, "line " + std::to_string(value.line) + ", " + key, value.text,
                            std::string(numeric->beside) + " is needed beside it");
    }
}

void TextHeader::apply(Snapshot& snapshot) const
{
    require_companions();
    snapshot.time = number("time", number("scale_factor", 0));
    if (values_.contains("unit_length_in_cm"))
        snapshot.units = {number("unit_length_in_cm", 1), number("unit_mass_in_g", 1),
                          number("unit_velocity_in_cm_per_s", 1), true,
                          number("units_per_h", 0) != 0};
    snapshot.has_stated_units = snapshot.units.physical || values_.contains("G");
    if (const double G = number("G", snapshot.units.gravitational_constant());
        G != snapshot.units.gravitational_constant())
        snapshot.gravitational_constant = G;
    snapshot.box_size = number("box_size", 0);
    if (values_.contains("scale_factor"))
        snapshot.comoving = ComovingFrame{
            number("scale_factor", 1), number("omega_matter", 0),      number("omega_lambda", 0),
            number("hubble", 0),       number("omega_radiation", 0),   number("w0", -1),
            number("wa", 0),           number("physical_softening", 0)};
    const auto kind = values_.find("softening_kind");
    snapshot.softening = stated_softening(
        file_, kind == values_.end() ? std::nullopt : std::optional(kind->second.text),
        values_.contains("softening_length") ? std::optional(number("softening_length", 0))
                                             : std::nullopt);
    for (const auto& [key, value] : values_)
        if (key.starts_with(provenance_prefix))
            snapshot.provenance[key.substr(provenance_prefix.size())] = value.text;
    apply_types(snapshot.particles.type);
}

void TextHeader::apply_types(std::vector<std::uint8_t>& types) const
{
    const auto stated = values_.find("types");
    if (stated == values_.end())
        return;
    std::vector<std::string_view> runs;
    split_words(stated->second.text, runs);
    std::size_t i = 0;
    for (std::string_view run : runs) {
        const std::size_t star = std::min(run.find('*'), run.size() - 1);
        const auto type = parsed_number<unsigned>(run.substr(0, star));
        const auto count = parsed_number<std::size_t>(run.substr(star + 1));
        if (!type || *type > 5 || !count || *count > types.size() - i)
            throw bad_input(file_, "line " + std::to_string(stated->second.line) + ", types",
                            std::string(run),
                            "runs TYPE*COUNT of types 0 to 5, together as many as the particles");
        std::fill_n(types.begin() + std::ptrdiff_t(i), *count, std::uint8_t(*type));
        i += *count;
    }
    if (i != types.size())
        throw bad_input(file_, "line " + std::to_string(stated->second.line) + ", types",
                        std::to_string(i) + " particles",
                        std::to_string(types.size()) + " are in the file");
}

} // namespace chamomile
