/// \file  Arguments and options of a subcommand.
///
/// How to add a command NAME: write app/NAME.cpp with the function declared in app/command.hpp and
/// a row in app/main.cpp.
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
///             return 0;                                   // --help was given
///         ...                                             // throw Error(Fault::..., one line)
///         return 0;
///     }
///
/// Each option is bound to a variable. The variable's value at binding is the default shown by
/// --help; parse() overwrites it. app/options/solver_options.hpp has the force options, and
/// core/text/table.hpp prints tables on standard output. Every command also takes --config
/// FILE.ini, --threads, --quiet/-q, --verbose/-v, --help/-h and --help-all. Only commands print to
/// standard output.
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

/// Group for options common to all commands.
inline constexpr const char* common_group = "Common options";

enum class Need { required, optional };

/// Options declares and reads the arguments and options of a subcommand.
class Options {
public:
    /// `summary` is the first paragraph of --help.
    Options(std::string command, std::string summary);

    /// Adds the next positional argument, in call order.
    void positional(const std::string& metavar, std::string& value, const std::string& help,
                    Need need = Need::required);
    /// Adds all remaining arguments, at least one. Must be the last positional() call.
    void positional(const std::string& metavar, std::vector<std::string>& values,
                    const std::string& help);

    /// Starts a group; --help lists the following options under its title.
    void group(const std::string& title);

    /// Adds an option named "long" or "long,s" with a one-letter form. Replaces an option with the
    /// same name, so a command can bind a common option to another variable.
    void flag(const std::string& name, bool& value, const std::string& help);
    void text(const std::string& name, const std::string& metavar, std::string& value,
              const std::string& help);

    /// Adds an option that may appear several times. A text may hold several values, separated by
    /// ";".
    void repeated(const std::string& name, const std::string& metavar,
                  std::vector<std::string>& values, const std::string& help,
                  Dimension dimension = {});
    /// Adds a port on this machine with optional number. Default 0: any free port.
    void port(const std::string& name, std::optional<int>& value, const std::string& help);

    /// Adds an option for a file in another code's format: `read` translates it to --config lines.
    /// `given` names options from arguments and --config, and positional arguments such as FILE;
    /// they override the file.
    using ForeignReader =
        std::function<std::vector<ConfigLine>(const std::string& file, const GivenOptions& given)>;
    void foreign(const std::string& name, const std::string& help, ForeignReader read);

    /// Adds a list such as cpu,gpu. If `words` is not empty, values must be in `words`.
    void texts(const std::string& name, const std::string& metavar,
               std::vector<std::string>& values, const std::string& help,
               std::vector<std::string> words = {});

    /// Adds a number; T is double, int or std::uint64_t. A quantity with a dimension may have a
    /// unit if the command calls set_units().
    template <class T>
    void number(const std::string& name, T& value, Range range, const std::string& help,
                Dimension dimension = {});
    /// Adds a number without default, empty unless given.
    template <class T>
    void number(const std::string& name, std::optional<T>& value, Range range,
                const std::string& help, Dimension dimension = {});
    /// Adds a wall-clock time, in seconds or with a unit; T is double or an optional double.
    template <class T>
    void seconds(const std::string& name, T& value, Range range, const std::string& help);
    /// Adds a list such as 0.4,0.6.
    template <class T>
    void numbers(const std::string& name, std::vector<T>& values, Range range,
                 const std::string& help, Dimension dimension = {});

    /// Adds a list such as 0,0.5,1:5:1 (parse_series()).
    void series(const std::string& name, std::vector<double>& values, Range range,
                const std::string& help);

    /// Adds a choice between a few words, each with a value.
    template <class T>
    void choice(const std::string& name, T& value,
                std::vector<std::pair<std::string, std::remove_reference_t<T>>> words,
                const std::string& help);

    /// Adds a list of such words. Help shows the first word for each value.
    template <class T>
    void choices(const std::string& name, const std::string& metavar, std::vector<T>& values,
                 std::vector<std::pair<std::string, T>> words, const std::string& help);

    /// Adds an option from its table row, in the row's group, bound to `settings`.
    template <class Settings>
    void option(const OptionRow<Settings>& row, Settings& settings);
    /// Adds a list such as 0.4,0.6 for an option; the row parses and prints each value.
    template <class Settings>
    void list(const OptionRow<Settings>& row, std::vector<std::string>& values);

    /// Selects the options that --help lists; --help-all lists all. Call it after all options,
    /// before parse(). Without this call, --help lists all.
    void common(const std::vector<std::string>& names);

    /// Call before parse() if the command calls set_units(): quantities may then have units, as in
    /// --eps 50pc. Until set_units(), a variable holds the number before the unit.
    void expect_units() { expects_units_ = true; }

    /// Converts quantities with units to particle units and stores them as given values. Throws
    /// Error(usage) if the particles have no units.
    void set_units(const UnitFrame& frame);
    /// Replaces an option's value. Throws Error(usage).
    void replace(const std::string& name, const std::string& text);
    /// Returns whether a quantity was given with a unit.
    bool has_units() const { return !quantities_.empty(); }
    /// Returns a line per quantity, such as "--t-end 1 Gyr = 1.0227". Call set_units() first.
    std::vector<std::string> quantities() const;
    /// Returns quantities with units by option name, as typed.
    const std::map<std::string, std::string>& typed_quantities() const { return quantities_; }

    /// Reads the arguments, then the --config file for options not yet given. Returns false if
    /// --help or --help-all was given and printed. Throws Error(usage) for the first error.
    bool parse(const std::vector<std::string>& arguments);

    /// Returns whether arguments or the --config file contain the option.
    bool given(const std::string& long_name) const { return given_.contains(long_name); }

    /// Returns the options in arguments and file, with their texts.
    const std::map<std::string, std::string>& given_values() const { return given_; }
    /// Returns the given option names, without flags given as false.
    GivenOptions asked() const;

    /// Adopts options from an earlier call unless given now; they count as given. Throws
    /// Error(restart) for the first option in this call that may not change and differs from its
    /// earlier value or, if not given then, from its default.
    void adopt(const std::map<std::string, std::string>& earlier,
               const std::vector<std::string>& may_change);

    Verbosity verbosity() const;
    const std::string& command() const { return command_; }

    /// Returns the description for --help, manual and completions.
    CommandPage page() const;

    /// Returns the command line as typed, for provenance.
    std::string command_line() const;

    /// Returns every option with its current value, in --help order.
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
    void parse_foreign();
    void store(const Values& values, const std::string& prefix);
    void store_one(const Entry& entry, const std::string& option, const std::string& text);
    void put(Values& values, const std::string& source, const std::string& name,
             const std::string& text) const;

    std::string command_, summary_, group_;
    Values defaults_; ///< as shown by --help
    std::vector<Entry> entries_;
    std::vector<Positional> positionals_;
    std::vector<std::string>* rest_ = nullptr; ///< receives arguments after the last positional
    std::string first_of_rest_;
    std::vector<std::string> arguments_;
    Values given_;
    Values quantities_; ///< quantities with units, as given
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
