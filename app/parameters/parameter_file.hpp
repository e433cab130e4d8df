/// \file  Parameter files of other codes, translated into options of `run`.
///
/// Each code has a table of its keys in app/parameters/CODE.cpp. What follows from several keys, or
/// from one by a formula, is computed there; every value then goes through the option's own reader,
/// as if it stood in the file of --config.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/options/config_file.hpp"
#include "chamomile/core/options/option_row.hpp"

namespace chamomile::app {

/// A Meaning tells what becomes of a key.
enum class Meaning {
    option,  ///< its value is that of an option
    read,    ///< the code's function reads it
    nothing, ///< it has no effect here: names and numbers of files, memory, gas that there is none
             ///< of
    refused  ///< it switches on what this program has not
};

/// A ParameterRow is one key of a code. A key that ends with ":" stands for a whole section.
struct ParameterRow {
    const char* key;
    Meaning meaning;
    const char* plain = nullptr;    ///< the option in plain time; null: it has no effect
    const char* comoving = nullptr; ///< the option of comoving runs
};

/// A Translation holds the options that a parameter file stands for.
struct Translation {
    std::string file, code;
    std::vector<ConfigLine> options; ///< the key "FILE" is the initial conditions
    /// Options that fall away beside one that is given, and that one.
    std::vector<std::pair<ConfigLine, std::string>> displaced;
    std::vector<std::string> idle; ///< keys that are known and have no effect here
    std::vector<std::string> unknown;
    std::map<int, std::string> unsoftened; ///< types with a softening of 0, and their keys

    /// Returns the lines of the log; `replaced` holds the options that were given beside the file.
    std::vector<std::string> lines(const GivenOptions& replaced) const;
    /// Returns the note that names what was not understood, or "".
    std::string note() const;
};

/// A ParameterFile holds the keys and values of a parameter file.
class ParameterFile {
public:
    /// A Parameter is one value, with the number of its line.
    struct Parameter {
        std::string key, value;
        int line;
    };

    /// Throws Error(usage) for a key that stands twice with different values. `given` holds the
    /// options that were given beside the file, with "FILE" for the initial conditions.
    ParameterFile(std::string file, std::vector<Parameter> parameters, GivenOptions given);

    const std::string& name() const { return file_; }
    bool has(const std::string& key) const { return find(key) != nullptr; }
    bool is_given(const std::string& option) const { return given_.contains(option); }
    /// Returns "file: line: key".
    std::string place(const std::string& key) const;
    /// Returns the value as it stands, or "".
    std::string text(const std::string& key) const;
    /// Returns the number of a key that is there. Throws Error(usage).
    std::optional<double> number(const std::string& key) const;
    /// Returns the number, and refuses a file without the key.
    double needed(const std::string& key, const std::string& because) const;
    /// Returns whether the key is there and neither 0 nor "no" or "false".
    bool is_on(const std::string& key) const;
    /// Throws Error(usage) "file: line: key: value: needed".
    [[noreturn]] void refuse(const std::string& key, const std::string& needed) const;

    /// Sets an option, which follows from the key.
    void give(const std::string& key, const std::string& option, const std::string& text);
    void give(const std::string& key, const std::string& option, double value);

    /// Sets --units from units in cgs, per h in comoving runs; else an h of the units is put in.
    void give_units(const std::string& key, double length, double mass, double velocity,
                    std::optional<double> per_hubble);
    /// A TypedLength is a softening of a type with the key that states it.
    struct TypedLength {
        std::string key;
        double length, largest_physical; ///< the latter 0: no limit
    };
    /// Sets --eps, or --eps-type where types differ, --eps-max in comoving runs, and the spline.
    void give_softenings(const std::map<int, TypedLength>& types, bool comoving);
    /// An OutputPlan holds the first output and the interval: a sum, or a factor of comoving runs.
    struct OutputPlan {
        std::string key;
        double begin, end, first, interval;
    };
    void give_outputs(const OutputPlan& plan, bool comoving);
    /// Sets the listed times that lie in the run; `option` is --output-times or one of its kind.
    void give_listed(const std::string& key, const std::string& option, std::vector<double> times,
                     double begin, double end);

    /// Sets what the rows say, and returns all options.
    template <std::size_t N>
    Translation translated(const std::string& code, const ParameterRow (&rows)[N], bool comoving)
    {
        return translated(code, {rows, rows + N}, comoving);
    }

private:
    const Parameter* find(const std::string& key) const;
    Translation translated(const std::string& code, const std::vector<ParameterRow>& rows,
                           bool comoving);

    std::string file_;
    std::vector<Parameter> parameters_;
    GivenOptions given_;
    mutable std::set<std::string> asked_; ///< keys whose values were taken
    Translation translation_;
};

/// Sets the --potential of each section of SWIFT's that holds one. Throws Error(usage) for one with
/// what that option has not.
void give_swift_potentials(ParameterFile& file);

// The codes.
Translation translate_gadget(ParameterFile& file);
Translation translate_changa(ParameterFile& file);
Translation translate_swift(ParameterFile& file);
Translation translate_bonsai(ParameterFile& file);

/// Returns the options that the file stands for. Beside an option that is given, those that
/// contradict it fall away. Throws Error(usage) for a missing file, one that contradicts itself,
/// and for what is not computed here.
Translation read_parameters(const std::string& file, const GivenOptions& given);

/// Returns the numbers of a list of output times, which `place` names: the first word of each line
/// that is no comment.
std::vector<double> read_output_list(const std::string& place, const std::string& file);

} // namespace chamomile::app
