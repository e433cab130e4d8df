/// \file  Tables of options for the command line, C, Fortran, Python and AMUSE.
///
/// A table is a function that returns one row per member of a settings struct, built once:
///
///     OptionRows<SolverOptions> t;
///     t.group("Forces");
///     t.number("theta", &SolverOptions::theta, above(0, 1.5), "opening angle");
///
/// All values pass as text, which is exact even for numbers. Messages mark options as
/// "{local-order}"; spelled() replaces the mark by each interface's name (core/text/spelling.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/options/range.hpp"
#include "chamomile/core/options/typed_number.hpp"
#include "chamomile/core/text/spelling.hpp"

namespace chamomile {

enum class OptionKind { number, whole, word, text, flag, series };

/// Name, values and meaning of an option, independent of its settings struct.
struct OptionTerms {
    std::string name;   ///< on the command line, without dashes
    std::string letter; ///< one-letter form, or empty
    /// Key of a rare option, such as "frames.every": a setting, which the command line takes by
    /// --set and in sections of --config. Empty: an option "--name".
    std::string setting;
    /// Names in C, Fortran, Python and AMUSE; these interfaces show the first. Empty: `name`, with
    /// "_" for "-".
    std::vector<std::string> known_as = {};
    OptionKind kind = OptionKind::number;
    std::string values;             ///< such as "X", "N", "tree|direct"
    std::vector<std::string> words; ///< one per allowed value; none: any
    Dimension dimension;            ///< of the number; none: a pure number or word
    std::string group, help;
    unsigned needs = 0;           ///< conditions for an effect, as bits
    bool repeats = false;         ///< may be given several times; the texts are joined by ";"
    bool may_lack_number = false; ///< "--name" without a number has the text any_number_text

    /// Returns the option as typed on the command line: "--theta" or "--set frames.every".
    std::string typed() const { return setting.empty() ? "--" + name : "--set " + setting; }
    /// Returns the option with a value: "--theta 0.5" or "--set frames.every=5".
    std::string typed(const std::string& text) const
    {
        return typed() + (setting.empty() ? " " : "=") + text;
    }
    bool is_flag() const { return kind == OptionKind::flag; }
    /// Returns the option as it stands in a file of --config.
    const std::string& key() const { return setting.empty() ? name : setting; }
    /// Returns the name shown by interfaces other than the command line.
    std::string plain_name() const;
    /// Returns whether these interfaces accept `key` for the option; "-" equals "_".
    bool is_called(std::string_view key) const;
};

/// The text of a number that is left out.
inline constexpr const char* any_number_text = "any";

/// Given options, by command-line name.
using GivenOptions = std::set<std::string>;
/// An error line that says why something is refused; none if it is allowed.
using Refusal = std::optional<std::string>;

/// A bit of OptionTerms::needs that is not fulfilled, with the reason in words.
struct Unmet {
    unsigned need;
    std::string because;
};

/// An option as a member of a settings struct.
template <class Settings>
struct OptionRow : OptionTerms {
    /// Reads the text into the settings. Throws Error(usage) "option: text: what is needed".
    std::function<void(Settings&, const std::string& option, const std::string& text)> put;
    /// Returns the value as text; empty if there is none.
    std::function<std::string(const Settings&)> text;

    OptionRow& also(std::vector<std::string> names)
    {
        known_as = std::move(names);
        return *this;
    }
    /// Sets the dimension of the number. Its text must be a plain number (in_frame() converts).
    OptionRow& in(Dimension measured)
    {
        dimension = measured;
        put = [measured, plain = put](Settings& s, const std::string& option,
                                      const std::string& value) {
            refuse_unit(option, value, measured);
            plain(s, option, value);
        };
        return *this;
    }
    /// Makes the number a wall-clock time in seconds; its text may have a unit (plain_seconds()).
    OptionRow& in_seconds()
    {
        put = [plain = put](Settings& s, const std::string& option, const std::string& value) {
            plain(s, option, plain_seconds(option, value));
        };
        return *this;
    }
    OptionRow& only(unsigned bits)
    {
        needs = bits;
        return *this;
    }
    OptionRow& as_setting(std::string key)
    {
        setting = std::move(key);
        return *this;
    }
    /// Shows `usual` if the option has no value.
    OptionRow& shown(std::string usual)
    {
        text = [plain = text, usual](const Settings& s) {
            const std::string value = plain(s);
            return value.empty() ? usual : value;
        };
        return *this;
    }
};

/// Returns whether two names or words differ only in "-" and "_".
bool is_same_name(std::string_view a, std::string_view b);
/// Throws Error(usage) for an option without value.
[[noreturn]] void refuse_empty(const std::string& option, const std::string& values);
/// Returns the parts of a text between separators, at least one.
std::vector<std::string> parts_of(const std::string& text, char separator);
/// Reads a list of words, each of them among `words` if there are any. Throws Error(usage).
std::vector<std::string> parse_words(const std::string& option, const std::string& text,
                                     const std::vector<std::string>& words);
/// Returns the texts joined by separators.
std::string joined(const std::vector<std::string>& texts, char separator = ',');

/// Returns a value as text: shortest digits, lists with commas, nothing for no value.
template <class T>
std::string value_text(const T& value)
{
    if constexpr (std::is_convertible_v<T, std::string>)
        return value;
    else if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else
        return number_text(value);
}
inline std::string value_text(const Vec3<double>& value)
{
    return number_text(value.x) + "," + number_text(value.y) + "," + number_text(value.z);
}
template <class T>
std::string value_text(const std::optional<T>& value)
{
    return value ? value_text(*value) : "";
}
template <class T>
std::string value_text(const std::vector<T>& values)
{
    std::vector<std::string> texts;
    for (const T& value : values)
        texts.push_back(value_text(value));
    return joined(texts);
}

template <class T>
using OptionWords = std::vector<std::pair<std::string, T>>;

template <class T>
struct ValueOf {
    using type = T;
};
template <class T>
struct ValueOf<std::optional<T>> {
    using type = T;
};

template <class T>
struct ValueOf<std::vector<T>> {
    using type = T;
};

/// Builds the rows of a table. `place` is a settings member, or a function that returns a reference
/// to one. A name may be "long,s" with a one-letter form.
template <class Settings>
class OptionRows {
public:
    using Row = OptionRow<Settings>;
    /// The type of a member, or what its std::optional or std::vector holds.
    template <class Place>
    using Value =
        typename ValueOf<std::remove_cvref_t<std::invoke_result_t<Place, Settings&>>>::type;

    /// Sets the title for the next rows.
    void group(std::string title) { group_ = std::move(title); }

    /// Adds an option by its functions.
    Row& special(std::string name, std::string values,
                 std::function<void(Settings&, const std::string&, const std::string&)> put,
                 std::function<std::string(const Settings&)> text, std::string help)
    {
        Row& row = rows_.emplace_back();
        const std::size_t comma = name.find(',');
        row.name = name.substr(0, comma);
        row.letter = comma == name.npos ? "" : name.substr(comma + 1);
        row.kind = OptionKind::text;
        row.values = std::move(values);
        row.help = std::move(help);
        row.group = group_;
        row.put = std::move(put);
        row.text = std::move(text);
        return row;
    }

    /// Adds a value that `parse` returns from option and text.
    template <class Place, class Parse>
    Row& value(std::string name, std::string values, Place place, Parse parse, std::string help)
    {
        return special(
            std::move(name), std::move(values),
            [place, parse](Settings& s, const std::string& option, const std::string& text) {
                std::invoke(place, s) = parse(option, text);
            },
            [place](const Settings& s) { return value_text(member(place, s)); }, std::move(help));
    }

    template <class Place>
    Row& number(std::string name, Place place, Range range, std::string help)
    {
        using T = Value<Place>;
        constexpr bool is_whole = std::is_integral_v<T>;
        Row& row = value(
            std::move(name), is_whole ? "N" : "X", place,
            [range](const std::string& option, const std::string& text) {
                return parse_number<T>(option, text, range);
            },
            std::move(help));
        row.kind = is_whole ? OptionKind::whole : OptionKind::number;
        return row;
    }

    /// Adds a list such as 0.4,0.6. `place` holds a vector.
    template <class Place>
    Row& numbers(std::string name, Place place, Range range, std::string help)
    {
        using T = Value<Place>;
        return value(
            std::move(name), std::is_integral_v<T> ? "N,..." : "X,...", place,
            [range](const std::string& option, const std::string& text) {
                return parse_numbers<T>(option, text, range);
            },
            std::move(help));
    }

    /// Adds a list of numbers such as 0,0.5,1:5:1. `place` holds a vector.
    template <class Place>
    Row& series(std::string name, Place place, Range range, std::string help)
    {
        Row& row = value(
            std::move(name), "X,FIRST:LAST:STEP,...", place,
            [range](const std::string& option, const std::string& text) {
                return parse_series(option, text, range);
            },
            std::move(help));
        row.kind = OptionKind::series;
        return row;
    }

    /// Adds an option with a few words or whole numbers as values. If several words share a value,
    /// the first is shown.
    template <class Place>
    Row& choice(std::string name, Place place, OptionWords<Value<Place>> words, std::string help)
    {
        using T = Value<Place>;
        std::vector<std::string> names;
        std::vector<T> seen;
        for (const auto& [word, value] : words) {
            if (std::find(seen.begin(), seen.end(), value) != seen.end())
                continue; // an alias
            names.push_back(word);
            seen.push_back(value);
        }
        Row& row = special(
            std::move(name), joined(names, '|'),
            [place, words, names](Settings& s, const std::string& option, const std::string& text) {
                for (const auto& [word, value] : words)
                    if (is_same_name(word, text)) {
                        std::invoke(place, s) = value;
                        return;
                    }
                refuse_word(option, text.empty() ? "(empty)" : text, names);
            },
            [place, words](const Settings& s) -> std::string {
                const std::optional<T> now = member(place, s);
                for (const auto& [word, value] : words)
                    if (now == value)
                        return word;
                if constexpr (std::is_same_v<T, int>) // a number without a word
                    return now ? std::to_string(*now) : "";
                else
                    return "";
            },
            std::move(help));
        row.kind = std::is_same_v<T, int> ? OptionKind::whole : OptionKind::word;
        row.words = names;
        return row;
    }

    template <class Place>
    Row& text(std::string name, Place place, std::string values, std::string help)
    {
        return value(
            std::move(name), values, place,
            [values](const std::string& option, const std::string& text) {
                if (text.empty())
                    refuse_empty(option, values);
                return text;
            },
            std::move(help));
    }

    /// Adds a list such as cpu,gpu of `words`, or of any if there are none. `place` holds a vector.
    template <class Place>
    Row& texts(std::string name, Place place, std::string values, std::string help,
               std::vector<std::string> words = {})
    {
        return value(
            std::move(name), std::move(values), place,
            [words](const std::string& option, const std::string& text) {
                return parse_words(option, text, words);
            },
            std::move(help));
    }

    /// Adds a text that may be given several times. `place` holds a vector.
    template <class Place>
    Row& repeated(std::string name, Place place, std::string values, std::string help)
    {
        Row& row = special(
            std::move(name), std::move(values),
            [place](Settings& s, const std::string&, const std::string& text) {
                std::invoke(place, s) = parts_of(text, ';');
            },
            [place](const Settings& s) { return joined(member(place, s), ';'); }, std::move(help));
        row.repeats = true;
        return row;
    }

    /// Adds a port of this machine, which may be left out: 0 then means any free one.
    template <class Place>
    Row& port(std::string name, Place place, std::string help)
    {
        Row& row = special(
            std::move(name), "[PORT]",
            [place](Settings& s, const std::string& option, const std::string& text) {
                std::invoke(place, s) =
                    text == any_number_text
                        ? 0
                        : parse_number<int>(option, text, ranges::between(1, 65535));
            },
            [place](const Settings& s) -> std::string {
                const std::optional<int> port = member(place, s);
                return port == 0 ? any_number_text : value_text(port);
            },
            std::move(help));
        row.may_lack_number = true;
        return row;
    }

    template <class Place>
    Row& flag(std::string name, Place place, std::string help)
    {
        Row& row =
            choice(std::move(name), place, {{"true", true}, {"false", false}}, std::move(help));
        row.kind = OptionKind::flag;
        row.values.clear();
        return row;
    }

    std::vector<Row> take() { return std::move(rows_); }
    void append(std::vector<Row> rows)
    {
        for (Row& row : rows)
            rows_.push_back(std::move(row)), rows_.back().group = group_;
    }

private:
    template <class Place>
    static const auto& member(const Place& place, const Settings& s)
    {
        return std::invoke(place, const_cast<Settings&>(s));
    }

    std::string group_;
    std::vector<Row> rows_;
};

/// Returns the row with this name in interfaces other than the command line, or null.
template <class Settings>
const OptionRow<Settings>* find_row(const std::vector<OptionRow<Settings>>& rows,
                                    std::string_view key)
{
    for (const auto& row : rows)
        if (row.is_called(key))
            return &row;
    return nullptr;
}

/// Returns the row with this name, which must exist.
template <class Settings>
const OptionRow<Settings>& row_of(const std::vector<OptionRow<Settings>>& rows,
                                  std::string_view name)
{
    for (const auto& row : rows)
        if (row.name == name)
            return row;
    throw std::logic_error("option: " + std::string(name) + ": has no row");
}

/// Adds all names accepted by is_called().
template <class Settings>
void add_keys(std::vector<std::string>& keys, const std::vector<OptionRow<Settings>>& rows)
{
    for (const auto& row : rows) {
        keys.push_back(row.plain_name());
        if (!row.known_as.empty())
            keys.insert(keys.end(), row.known_as.begin() + 1, row.known_as.end());
    }
}

/// Returns the error line if the call throws an Error.
Refusal refused_by(const std::function<void()>& call);

/// Returns "{theta}: needs {solver} tree" for the first given option whose needs are not met.
template <class Settings>
Refusal refuse_idle_rows(const std::vector<OptionRow<Settings>>& rows, const GivenOptions& given,
                         const std::vector<Unmet>& unmet)
{
    for (const Unmet& lack : unmet)
        for (const auto& row : rows)
            if ((row.needs & lack.need) && given.contains(row.name))
                return "{" + row.name + "}: " + lack.because;
    return {};
}

/// Returns the error line of the first row that does not accept its present value.
template <class Settings>
Refusal refuse_values(const std::vector<OptionRow<Settings>>& rows, const Settings& settings)
{
    Settings tried = settings;
    for (const auto& row : rows) {
        const std::string text = row.text(settings);
        if (text.empty())
            continue;
        if (const Refusal line = refused_by([&] { row.put(tried, "{" + row.name + "}", text); }))
            return line;
    }
    return {};
}

template <class Settings>
void add_plain_names(PlainNames& names, const std::vector<OptionRow<Settings>>& rows)
{
    for (const auto& row : rows)
        names[row.name] = row.plain_name();
}

/// Adds the settings among the rows as they are typed on the command line.
template <class Settings>
void add_setting_names(PlainNames& names, const std::vector<OptionRow<Settings>>& rows)
{
    for (const auto& row : rows)
        if (!row.setting.empty())
            names[row.name] = row.typed();
}

/// Throws Error(usage) with the refusal, if there is one.
void require(const Refusal& refusal);

} // namespace chamomile
