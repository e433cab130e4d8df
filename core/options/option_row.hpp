/// \file  Tables of options for the command line, C, Fortran, Python and AMUSE.
///
/// A table is a function that returns one row per member of a settings struct, built once:
///
///     OptionRows<SolverOptions> t;
///     t.group("Forces");
///     t.number("theta", [](auto& o) -> auto& { return o.theta; }, above(0, 1.5), "opening angle");
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
    std::string name; ///< on the command line, without dashes
    /// Names in C, Fortran, Python and AMUSE; these interfaces show the first. Empty: `name`, with
    /// "_" for "-".
    std::vector<std::string> known_as = {};
    OptionKind kind = OptionKind::number;
    std::string values;             ///< such as "X", "N", "tree|direct"
    std::vector<std::string> words; ///< one per allowed value; none: any
    Dimension dimension;            ///< of the number; none: a pure number or word
    std::string group, help;
    unsigned needs = 0; ///< bits of the settings without which the option has no effect

    /// Returns the name shown by interfaces other than the command line.
    std::string plain_name() const;
    /// Returns whether these interfaces accept `key` for the option; "-" equals "_".
    bool is_called(std::string_view key) const;
};

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

/// Builds the rows of a table. `place` returns a reference to a settings member, which may be a
/// std::optional.
template <class Settings>
class OptionRows {
public:
    using Row = OptionRow<Settings>;
    template <class Place>
    using Value =
        typename ValueOf<std::remove_cvref_t<std::invoke_result_t<Place, Settings&>>>::type;

    /// Sets the title for the next rows.
    void group(std::string title) { group_ = std::move(title); }

    template <class Place>
    Row& number(std::string name, Place place, Range range, std::string help)
    {
        using T = Value<Place>;
        Row& row = add(std::move(name), std::is_integral_v<T> ? "N" : "X", std::move(help));
        row.kind = std::is_integral_v<T> ? OptionKind::whole : OptionKind::number;
        row.put = [place, range](Settings& s, const std::string& option, const std::string& text) {
            place(s) = parse_number<T>(option, text, range);
        };
        row.text = [place](const Settings& s) { return shown_of<T>(place, s); };
        return row;
    }

    /// Adds a list of numbers such as 0,0.5,1:5:1. `place` returns a vector.
    template <class Place>
    Row& series(std::string name, Place place, Range range, std::string help)
    {
        Row& row = add(std::move(name), "X,FIRST:LAST:STEP,...", std::move(help));
        row.kind = OptionKind::series;
        row.put = [place, range](Settings& s, const std::string& option, const std::string& text) {
            place(s) = parse_series(option, text, range);
        };
        row.text = [place](const Settings& s) {
            std::string text;
            for (double value : place(const_cast<Settings&>(s)))
                text.append(text.empty() ? "" : ",").append(number_text(value));
            return text;
        };
        return row;
    }

    /// Adds an option with a few words or whole numbers as values. If several words share a value,
    /// the first is shown.
    template <class Place>
    Row& choice(std::string name, Place place, OptionWords<Value<Place>> words, std::string help)
    {
        using T = Value<Place>;
        Row& row = add(std::move(name), "", std::move(help));
        row.kind = std::is_same_v<T, int> ? OptionKind::whole : OptionKind::word;
        std::vector<T> seen;
        for (const auto& [word, value] : words) {
            if (std::find(seen.begin(), seen.end(), value) != seen.end())
                continue; // an alias
            row.words.push_back(word);
            row.values += (row.values.empty() ? "" : "|") + word;
            seen.push_back(value);
        }
        row.put = [place, words, names = row.words](Settings& s, const std::string& option,
                                                    const std::string& text) {
            for (const auto& [word, value] : words)
                if (is_same_name(word, text)) {
                    place(s) = value;
                    return;
                }
            refuse_word(option, text.empty() ? "(empty)" : text, names);
        };
        row.text = [place, words](const Settings& s) -> std::string {
            const std::optional<T> now = place(const_cast<Settings&>(s));
            for (const auto& [word, value] : words)
                if (now == value)
                    return word;
            if constexpr (std::is_same_v<T, int>) // a number without a word
                return now ? std::to_string(*now) : "";
            else
                return "";
        };
        return row;
    }

    template <class Place>
    Row& text(std::string name, Place place, std::string values, std::string help)
    {
        Row& row = add(std::move(name), values, std::move(help));
        row.kind = OptionKind::text;
        row.put = [place, values](Settings& s, const std::string& option, const std::string& text) {
            if (text.empty())
                refuse_empty(option, values);
            place(s) = text;
        };
        row.text = [place](const Settings& s) { return place(const_cast<Settings&>(s)); };
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
    Row& add(std::string name, std::string values, std::string help)
    {
        Row& row = rows_.emplace_back();
        row.name = std::move(name);
        row.values = std::move(values);
        row.help = std::move(help);
        row.group = group_;
        return row;
    }

    template <class T, class Place>
    static std::string shown_of(const Place& place, const Settings& s)
    {
        const std::optional<T> value = place(const_cast<Settings&>(s));
        if (!value)
            return "";
        if constexpr (std::is_integral_v<T>)
            return std::to_string(*value);
        else
            return number_text(*value);
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

/// Throws Error(usage) with the refusal, if there is one.
void require(const Refusal& refusal);

} // namespace chamomile
