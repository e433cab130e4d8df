/// \file  The arguments and options of one subcommand.
///
/// How to add a command NAME: write app/NAME.cpp with the function declared in app/command.hpp and
/// its row in app/main.cpp.
///
///     int info(const std::vector<std::string>& arguments)
///     {
///         std::string file;
///         double theta = SolverOptions().theta;           // the library's default
///         Options options("info", "Tells what is in a snapshot.");
///         options.positional("FILE", file, "the snapshot");
///         options.group("Forces");
///         options.number("theta", theta, positive, "opening angle");
///         if (!options.parse(arguments))
///             return 0;                                   // --help was asked for
///         ...                                             // throw Error(Fault::..., one line)
///         return 0;
///     }
///
/// Each option is bound to a variable: its value at the time of binding is the default that --help
/// shows, and parse() overwrites it. app/options/solver_options.hpp has the options of forces, and
/// core/text/table.hpp the tables on standard output. Every command also takes --config FILE.ini,
/// --threads, --quiet/-q, --verbose/-v, --help/-h and --help-all. A command prints to standard
/// output, and nothing else does.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options/config_file.hpp"
#include "app/options/numbers.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile::app {

struct CommandPage;

/// The group of the options that every command takes.
inline constexpr const char* common_group = "Common options";

enum class Need { required, optional };

/// Options declares the arguments and options of one subcommand, and reads them.
class Options {
public:
    /// `summary` is the paragraph with which --help opens.
    Options(std::string command, std::string summary);

    /// Adds the next argument without a name; arguments are taken in the order of these calls.
    void positional(const std::string& metavar, std::string& value, const std::string& help,
                    Need need = Need::required);
    /// Takes all arguments that are left, at least one; it must be the last of these calls.
    void positional(const std::string& metavar, std::vector<std::string>& values,
                    const std::string& help);

    /// Opens a group under whose title --help lists the options that follow.
    void group(const std::string& title);

    /// Adds an option, named "long" or "long,s" with a one-letter form. It replaces an option of
    /// the same name: a command may bind a common option to a variable of its own.
    void flag(const std::string& name, bool& value, const std::string& help);
    void text(const std::string& name, const std::string& metavar, std::string& value,
              const std::string& help);

    /// Adds an option that may be given several times; a text may hold several values, separated
    /// by ";".
    void repeated(const std::string& name, const std::string& metavar,
                  std::vector<std::string>& values, const std::string& help,
                  Dimension dimension = {});
    /// Adds a port of this machine, whose number may be left out: then it is 0, which means any
    /// that is free.
    void port(const std::string& name, std::optional<int>& value, const std::string& help);

    /// Adds an option that names a file of options in other words: `read` returns them as lines of
    /// --config. It gets the options that arguments and --config give, and the names of arguments
    /// such as FILE that are there; these hold.
    using ForeignReader =
        std::function<std::vector<ConfigLine>(const std::string& file, const GivenOptions& given)>;
    void foreign(const std::string& name, const std::string& help, ForeignReader read);

    /// Adds a list such as cpu,gpu, which must consist of `words` if there are any.
    void texts(const std::string& name, const std::string& metavar,
               std::vector<std::string>& values, const std::string& help,
               std::vector<std::string> words = {});

    /// Adds a number; T is double, int or std::uint64_t. A quantity with a dimension may have a
    /// unit where the command calls take_units().
    template <class T>
    void number(const std::string& name, T& value, Range range, const std::string& help,
                Dimension dimension = {});
    /// Adds a number without a default, which is empty unless given.
    template <class T>
    void number(const std::string& name, std::optional<T>& value, Range range,
                const std::string& help, Dimension dimension = {});
    /// Adds a time on the clock at the wall, in seconds or with a unit; T is double or one that may
    /// lack.
    template <class T>
    void seconds(const std::string& name, T& value, Range range, const std::string& help);
    /// Adds a list such as 0.4,0.6.
    template <class T>
    void numbers(const std::string& name, std::vector<T>& values, Range range,
                 const std::string& help, Dimension dimension = {});

    /// Adds a list such as 0,0.5,1:5:1 (parse_series()).
    void series(const std::string& name, std::vector<double>& values, Range range,
                const std::string& help);

    /// Adds a choice of a few words, each standing for a value.
    template <class T>
    void choice(const std::string& name, T& value,
                std::vector<std::pair<std::string, std::remove_reference_t<T>>> words,
                const std::string& help);

    /// Adds a list of such words; the first word of each value is shown for it.
    template <class T>
    void choices(const std::string& name, const std::string& metavar, std::vector<T>& values,
                 std::vector<std::pair<std::string, T>> words, const std::string& help);

    /// Adds an option by its row, in the row's group, bound to `settings`.
    template <class Settings>
    void option(const OptionRow<Settings>& row, Settings& settings);
    /// Adds a list such as 0.4,0.6 of an option: texts that the row reads, with what is shown of
    /// them.
    template <class Settings>
    void list(const OptionRow<Settings>& row, std::vector<std::string>& values);

    /// Says before parse(), and after all options, which of them --help lists; without this call it
    /// lists all, as --help-all does in any case.
    void common(const std::vector<std::string>& names);

    /// Says before parse() that the command calls take_units(): quantities may have units, as in
    /// --eps 50pc. Until then a variable holds the number before the unit.
    void expect_units() { expects_units_ = true; }

    /// Brings the quantities with units into those of the particles; they count as given so. Throws
    /// Error(usage) where the particles have none.
    void take_units(const UnitFrame& frame);
    /// Gives an option another value than that read. Throws Error(usage).
    void replace(const std::string& name, const std::string& text);
    /// Returns whether a quantity was given with a unit.
    bool has_units() const { return !quantities_.empty(); }
    /// Returns a line for each of these, such as "--t-end 1 Gyr = 1.0227", after take_units().
    std::vector<std::string> quantities() const;
    /// Returns the quantities with units by their options, as they were typed.
    const std::map<std::string, std::string>& typed_quantities() const { return quantities_; }

    /// Reads the arguments, then the file of --config for options that they do not give. Returns
    /// false if --help or --help-all was given and printed. Throws Error(usage) for the first
    /// error.
    bool parse(const std::vector<std::string>& arguments);

    /// Returns whether the arguments or the file of --config name the option.
    bool given(const std::string& long_name) const { return given_.contains(long_name); }

    /// Returns the options that arguments and file name, with their texts.
    const std::map<std::string, std::string>& given_values() const { return given_; }
    /// Returns their names, without flags that are given as false.
    GivenOptions asked() const;

    /// Takes the options of an earlier call where they are not given now; they count as given.
    /// Throws Error(restart) for the first option that is given now, may not change, and differs
    /// from its earlier value, or from its default if it was not given then.
    void adopt(const std::map<std::string, std::string>& earlier,
               const std::vector<std::string>& may_change);

    Verbosity verbosity() const;
    const std::string& command() const { return command_; }

    /// Returns what --help, the manual and completions are made from.
    CommandPage page() const;

    /// Returns the command as it was typed, for the files that it makes.
    std::string command_line() const;

    /// Returns every option with its value in force, in the order of --help.
    std::vector<std::pair<std::string, std::string>> values() const;

private:
    struct Entry {
        std::string name, letter, metavar, help;
        std::function<void(const std::string& option, const std::string& text)> store;
        std::function<std::string()> show;
        std::string group;
        bool is_flag = false, repeats = false;
        bool has_optional_number = false; ///< "--name" stands for "--name=any"
        bool is_common = true;
        Dimension dimension = {};

        /// Returns the name in Boost's form: "output,o".
        std::string spelling() const { return name + (letter.empty() ? "" : "," + letter); }
    };
    struct Positional {
        std::string metavar, help;
        std::string* value;
        Need need;
    };
    using Values = std::map<std::string, std::string>;

    Entry& add(const std::string& name, const std::string& metavar, const std::string& help);
    const Entry* find(const std::string& long_name) const;
    std::vector<std::string> long_names() const;
    Values read_arguments();
    std::vector<std::string> with_numbers_left_out() const;
    Values read_config(const std::string& file) const;
    void take_foreign();
    void store(const Values& values, const std::string& prefix);
    void store_one(const Entry& entry, const std::string& option, const std::string& text);
    void put(Values& values, const std::string& source, const std::string& name,
             const std::string& text) const;

    std::string command_, summary_, group_;
    Values defaults_; ///< as --help shows them
    std::vector<Entry> entries_;
    std::vector<Positional> positionals_;
    std::vector<std::string>* rest_ = nullptr; ///< takes the arguments after the last positional
    std::string first_of_rest_;
    std::vector<std::string> arguments_;
    Values given_;
    Values quantities_; ///< those with units, as given
    bool expects_units_ = false;
    std::string config_, foreign_;
    ForeignReader read_foreign_;
    std::optional<int> threads_;
    bool quiet_ = false, verbose_ = false, help_ = false, help_all_ = false;
};

inline std::string shown(double value)
{
    return shortest(value);
}
inline std::string shown(int value)
{
    return std::to_string(value);
}
inline std::string shown(std::uint64_t value)
{
    return std::to_string(value);
}

/// Returns the texts joined by commas.
std::string joined(const std::vector<std::string>& texts);

template <class T>
void Options::number(const std::string& name, T& value, Range range, const std::string& help,
                     Dimension dimension)
{
    Entry& entry = add(name, std::is_integral_v<T> ? "N" : "X", help);
    entry.dimension = dimension;
    entry.store = [&value, range](const std::string& option, const std::string& text) {
        value = parse_number<T>(option, text, range);
    };
    entry.show = [&value] { return shown(value); };
}

template <class T>
void Options::number(const std::string& name, std::optional<T>& value, Range range,
                     const std::string& help, Dimension dimension)
{
    Entry& entry = add(name, std::is_integral_v<T> ? "N" : "X", help);
    entry.dimension = dimension;
    entry.store = [&value, range](const std::string& option, const std::string& text) {
        value = parse_number<T>(option, text, range);
    };
    entry.show = [&value] { return value ? shown(*value) : ""; };
}

template <class T>
void Options::seconds(const std::string& name, T& value, Range range, const std::string& help)
{
    number(name, value, range, help);
    entries_.back().store = [store = entries_.back().store](const std::string& option,
                                                            const std::string& text) {
        store(option, plain_seconds(option, text));
    };
}

template <class T>
void Options::numbers(const std::string& name, std::vector<T>& values, Range range,
                      const std::string& help, Dimension dimension)
{
    Entry& entry = add(name, std::is_integral_v<T> ? "N,..." : "X,...", help);
    entry.dimension = dimension;
    entry.store = [&values, range](const std::string& option, const std::string& text) {
        values = parse_numbers<T>(option, text, range);
    };
    entry.show = [&values] {
        std::string text;
        for (const T& value : values) {
            text += text.empty() ? "" : ",";
            text += shown(value);
        }
        return text;
    };
}

template <class T>
void Options::choice(const std::string& name, T& value,
                     std::vector<std::pair<std::string, std::remove_reference_t<T>>> words,
                     const std::string& help)
{
    std::vector<std::string> names;
    std::string metavar;
    for (const auto& word : words) {
        names.push_back(word.first);
        metavar += (metavar.empty() ? "" : "|") + word.first;
    }
    Entry& entry = add(name, metavar, help);
    entry.store = [&value, words, names](const std::string& option, const std::string& text) {
        for (const auto& word : words)
            if (word.first == text) {
                value = word.second;
                return;
            }
        refuse_word(option, text, names);
    };
    entry.show = [&value, words] {
        for (const auto& word : words)
            if (word.second == value)
                return word.first;
        return std::string();
    };
}

template <class T>
void Options::choices(const std::string& name, const std::string& metavar, std::vector<T>& values,
                      std::vector<std::pair<std::string, T>> words, const std::string& help)
{
    Entry& entry = add(name, metavar, help);
    entry.store = [&values, words](const std::string& option, const std::string& text) {
        values.clear();
        for (std::size_t start = 0; start <= text.size();) {
            const std::size_t comma = std::min(text.find(',', start), text.size());
            const std::string one = text.substr(start, comma - start);
            start = comma + 1;
            const auto found = std::find_if(words.begin(), words.end(),
                                            [&](const auto& word) { return word.first == one; });
            if (found != words.end()) {
                values.push_back(found->second);
                continue;
            }
            std::vector<std::string> names;
            for (const auto& word : words)
                names.push_back(word.first);
            refuse_word(option, one.empty() ? "(empty)" : one, names);
        }
    };
    entry.show = [&values, words] {
        std::string text;
        for (const T& value : values)
            for (const auto& word : words)
                if (word.second == value) {
                    text += (text.empty() ? "" : ",") + word.first;
                    break;
                }
        return text;
    };
}

template <class Settings>
void Options::option(const OptionRow<Settings>& row, Settings& settings)
{
    group(row.group);
    Entry& entry = add(row.name, row.values, row.help);
    entry.dimension = row.dimension;
    entry.is_flag = row.kind == OptionKind::flag;
    entry.store = [&row, &settings](const std::string& option, const std::string& text) {
        row.put(settings, option, text);
    };
    entry.show = [&row, &settings] { return row.text(settings); };
}

template <class Settings>
void Options::list(const OptionRow<Settings>& row, std::vector<std::string>& values)
{
    group(row.group);
    const bool is_list = row.values.ends_with(",...");
    Entry& entry = add(row.name, row.values + (is_list ? "" : ",..."), row.help);
    entry.store = [&row, &values](const std::string& option, const std::string& text) {
        values.clear();
        for (std::size_t start = 0; start <= text.size();) {
            const std::size_t comma = std::min(text.find(',', start), text.size());
            const std::string word = text.substr(start, comma - start);
            if (word.empty() && row.kind != OptionKind::number && row.kind != OptionKind::whole)
                throw Error(Fault::usage, option + ": " + text + ": a name is missing");
            Settings one;
            row.put(one, option, word);
            values.push_back(row.text(one));
            start = comma + 1;
        }
    };
    entry.show = [&values] { return joined(values); };
}

} // namespace chamomile::app
