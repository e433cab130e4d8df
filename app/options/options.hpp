/// \file  The arguments and options of one subcommand.
///
/// How to add a command NAME: write app/NAME.cpp with the function declared in app/command.hpp and
/// its row in app/main.cpp.
///
///     struct Request {
///         std::string file;
///         double theta = SolverOptions().theta;           // the library's default
///     };
///
///     int info(const std::vector<std::string>& arguments)
///     {
///         Request request;
///         Options options("info", "Tells what is in a snapshot.");
///         options.positional("FILE", request.file, "the snapshot");
///         OptionRows<Request> rows;                       // core/options/option_row.hpp
///         rows.group("Forces");
///         rows.number("theta", &Request::theta, ranges::positive, "opening angle");
///         options.add(rows.take(), request);
///         if (!options.parse(arguments))
///             return 0;                                   // --help was asked for
///         ...                                             // throw Error(Fault::..., one line)
///         return 0;
///     }
///
/// Each row is bound to a settings struct: its value at the time of parse() is the default that
/// --help shows, and parse() overwrites it. app/options/solver_options.hpp has the options of
/// forces, and core/text/table.hpp the tables on standard output. Every command also takes --config
/// FILE.ini, --threads, --quiet/-q, --verbose/-v, --help/-h and --help-all, and if it has settings
/// (OptionTerms::setting) --set and --help-settings. A command prints to standard output, and
/// nothing else does.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/options/command_page.hpp"
#include "app/options/config_file.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile::app {

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

    /// Adds an option by its row, bound to `settings`. It replaces an option of the same name: a
    /// command may bind a common option to a member of its own.
    template <class Settings>
    void add(const OptionRow<Settings>& row, std::type_identity_t<Settings>& settings)
    {
        bind(
            row,
            [put = row.put, &settings](const std::string& option, const std::string& text) {
                put(settings, option, text);
            },
            [text = row.text, &settings] { return text(settings); });
    }
    /// Adds the options of a table.
    template <class Settings>
    void add(const std::vector<OptionRow<Settings>>& rows, std::type_identity_t<Settings>& settings)
    {
        for (const auto& row : rows)
            add(row, settings);
    }

    /// Says that an option names a file of options in other words: `read` returns them as lines of
    /// --config. It gets the options that arguments and --config give, and the names of arguments
    /// such as FILE that are there; these hold.
    using ForeignReader =
        std::function<std::vector<ConfigLine>(const std::string& file, const GivenOptions& given)>;
    void translate(std::string name, ForeignReader read);

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
    /// false if a help was asked for and printed. Throws Error(usage) for the first error.
    bool parse(const std::vector<std::string>& arguments);

    /// Returns an option as it is typed, such as "--theta" or "--set frames.every".
    std::string typed(const std::string& name) const;

    /// Returns whether the arguments or the file of --config name the option.
    bool given(const std::string& name) const { return given_.contains(name); }

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

    /// Returns every option by its key (OptionTerms::key()) with its value in force.
    std::vector<std::pair<std::string, std::string>> values() const;

private:
    using Values = std::map<std::string, std::string>; ///< texts by name
    using Store = std::function<void(const std::string& option, const std::string& text)>;
    using Show = std::function<std::string()>;

    struct Entry : PageOption {
        Store store;
        Show show;
    };
    struct Positional {
        PageArgument page;
        std::string* value;
    };
    /// The options of every command.
    struct Common {
        std::string config;
        std::optional<int> threads;
        bool quiet = false, verbose = false, help = false;
        std::vector<std::string> settings; ///< of --set; read_arguments() takes them
    };

    void bind(const OptionTerms& terms, Store store, Show show);
    const Entry* find(const std::string& name) const;
    const Entry* find_key(const std::string& key) const;
    const Entry* nearest(const std::string& name) const;
    Values read_arguments();
    std::vector<std::string> with_numbers_left_out() const;
    std::pair<const Entry*, std::string> read_setting(const std::string& text) const;
    Values read_config(const std::string& file) const;
    void take_foreign(const std::string& file);
    void store(const Values& values, const std::string& place);
    void store_one(const Entry& entry, const std::string& option, const std::string& text);

    std::string command_, summary_;
    Values defaults_; ///< as --help shows them
    std::vector<Entry> entries_;
    std::vector<Positional> positionals_;
    std::vector<std::string>* rest_ = nullptr; ///< takes the arguments after the last positional
    std::string first_of_rest_;
    std::vector<std::string> arguments_;
    Values given_;
    Values quantities_; ///< those with units, as given
    bool expects_units_ = false;
    std::string foreign_; ///< the option that names a file of options in other words
    ForeignReader read_foreign_;
    Common common_;
};

} // namespace chamomile::app
