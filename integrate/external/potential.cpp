#include "chamomile/integrate/external/potential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chamomile/core/bytes.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/files/regular_file.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/core/options/typed_number.hpp"
#include "chamomile/integrate/external/named_potentials.hpp"
#include "chamomile/integrate/external/potential_table.hpp"

namespace chamomile {
namespace {

constexpr double nowhere = std::numeric_limits<double>::infinity();
constexpr std::size_t max_bytes = 1 << 26;

/// A potential as typed: its table row and parameter texts.
struct Typed {
    const PotentialRow* row;
    std::map<std::string, std::string> texts;

    bool has(const char* name) const { return texts.contains(name); }
};

[[noreturn]] void refuse(const std::string& option, const std::string& line)
{
    throw Error(Fault::usage, option + ": " + line);
}

std::string listed(const std::vector<std::string>& names)
{
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : ", ") + name;
    return list;
}

const PotentialRow& row_named(const std::string& option, const std::string& name)
{
    std::vector<std::string> names;
    for (const PotentialRow& row : potential_table()) {
        if (row.name == name)
            return row;
        names.push_back(row.name);
    }
    refuse(option, (name.empty() ? "(empty)" : name) + ": unknown" + suggestion(name, names) +
                       ": must be one of " + listed(names));
}

/// Returns the parameters allowed for the row's potential.
std::vector<PotentialParameter> parameters_of(const PotentialRow& row)
{
    std::vector<PotentialParameter> all = row.parameters;
    if (row.shape != PotentialShape::rotation)
        all.insert(all.end(), motion_parameters().begin(), motion_parameters().end());
    return all;
}

/// Splits a potential's text into parameters. Parameters declared in a file are checked later.
Typed typed(const std::string& option, const std::string& text)
{
    std::vector<std::string> items;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        items.push_back(text.substr(start, comma - start));
        start = comma + 1;
    }
    Typed found{&row_named(option, items.front()), {}};
    const std::string place = option + ": " + items.front();
    std::vector<std::string> names;
    for (const PotentialParameter& parameter : parameters_of(*found.row))
        names.push_back(parameter.name);
    for (std::size_t k = 1; k < items.size(); ++k) {
        const std::size_t equals = items[k].find('=');
        if (equals == 0 || equals == items[k].npos || equals + 1 == items[k].size())
            refuse(place, (items[k].empty() ? "(empty)" : items[k]) + ": must be NAME=VALUE");
        const std::string name = items[k].substr(0, equals);
        if (found.row->shape != PotentialShape::text &&
            std::find(names.begin(), names.end(), name) == names.end())
            refuse(place, name + ": unknown" + suggestion(name, names) + ": must be one of " +
                              listed(names));
        if (!found.texts.emplace(name, items[k].substr(equals + 1)).second)
            refuse(place, name + ": given twice");
    }
    for (const PotentialParameter& parameter : found.row->parameters)
        if ((parameter.use == ParameterUse::needed || parameter.use == ParameterUse::file) &&
            !found.texts.contains(parameter.name))
            refuse(place, "needs " + parameter.name + ", " + parameter.help);
    for (const char* name : {"x", "y", "z", "vx", "vy", "vz"})
        if (found.has("orbit") && found.has(name))
            refuse(place, std::string(name) + ": contradicts orbit; give one");
    if (found.has("from") != found.has("to"))
        refuse(place,
               std::string("needs ") + (found.has("to") ? "from" : "to") + ": growth needs both");
    if (found.has("hubble") && found.has("rs"))
        refuse(place, "hubble: contradicts rs; give one");
    return found;
}

/// A Reader parses the parameters of one potential and writes its description.
class Reader {
public:
    Reader(const std::string& option, const Typed& typed, const UnitFrame& frame)
        : place_(option + ": " + typed.row->name), typed_(typed), frame_(frame)
    {}

    /// Returns the parameter's number; if not given, its default or nothing.
    std::optional<double> number(const PotentialParameter& parameter)
    {
        const std::string name = place_ + ": " + parameter.name;
        const auto text = typed_.texts.find(parameter.name);
        if (text == typed_.texts.end())
            return parameter.use == ParameterUse::usual ? std::optional(parameter.usual)
                                                        : std::nullopt;
        check_unit(name, text->second, parameter.dimension);
        return parse_number<double>(name, in_frame(name, text->second, parameter.dimension, frame_),
                                    parameter.range);
    }

    /// Returns the numbers of all parameters with a value.
    std::map<std::string, double> numbers()
    {
        std::map<std::string, double> all;
        for (const PotentialParameter& parameter : parameters_of(*typed_.row))
            if (parameter.use != ParameterUse::file)
                if (const auto value = number(parameter))
                    all[parameter.name] = *value;
        return all;
    }

    /// Describes these numbers, in the order of the table.
    void note(const std::map<std::string, double>& numbers)
    {
        for (const PotentialParameter& parameter : parameters_of(*typed_.row))
            if (const auto found = numbers.find(parameter.name); found != numbers.end()) {
                const std::string number = number_text(found->second);
                note(found->first, number, with_unit(number, parameter.dimension, frame_.units));
            }
    }

    void note(const std::string& name, const std::string& value) { note(name, value, value); }
    void note(const std::string& name, const std::string& value, const std::string& with_unit)
    {
        description_ += "," + name + "=" + value;
        with_units_ += "," + name + "=" + with_unit;
    }
    std::string description() const { return typed_.row->name + description_; }
    std::string in_units() const { return typed_.row->name + with_units_; }
    const std::string& place() const { return place_; }

private:
    std::string place_, description_, with_units_;
    const Typed& typed_;
    const UnitFrame& frame_;
};

/// Returns r200 of M200 divided by the concentration.
double virial_scale(const Reader& reader, std::map<std::string, double>& numbers,
                    const UnitFrame& frame, double G)
{
    if (!frame.units.physical)
        refuse(reader.place(), "needs rs (scale radius): M is not M200 in N-body units");
    const double hubble = frame.units.hubble_rate(numbers["hubble"]);
    return std::cbrt(G * numbers["M"] / (100 * hubble * hubble)) / numbers["c"];
}

void set_formula(Potential& potential, Reader& reader, const UnitFrame& frame, double G)
{
    std::map<std::string, double> numbers = reader.numbers();
    const auto value = [&](const char* name, double otherwise) {
        const auto found = numbers.find(name);
        return found == numbers.end() ? otherwise : found->second;
    };
    potential.strength = potential.GM = G * value("M", 0);
    potential.a = value("a", 0);
    potential.b = value("b", 0);
    potential.rate = value("omega", 0);
    if (potential.shape == PotentialShape::nfw) {
        if (!numbers.contains("rs"))
            numbers["rs"] = virial_scale(reader, numbers, frame, G);
        numbers.erase("hubble"); // replaced by rs
        potential.strength /= external::nfw_mass(numbers["c"]);
        potential.a = numbers["rs"];
        potential.b = value("rt", nowhere);
    } else if (potential.shape == PotentialShape::dehnen) {
        potential.b = numbers["gamma"];
    } else if (potential.shape == PotentialShape::cutoff) {
        potential.a = numbers["rc"];
        potential.b = numbers["alpha"];
        potential.c = 1 / std::tgamma(1.5 - 0.5 * potential.b);
        potential.d = std::tgamma(1 - 0.5 * potential.b);
    } else if (potential.shape == PotentialShape::logarithmic) {
        potential.strength = numbers["v0"] * numbers["v0"];
        potential.a = numbers["rc"];
        potential.b = 1 / (numbers["q"] * numbers["q"]);
    }
    reader.note(numbers);
    potential.center = {value("x", 0), value("y", 0), value("z", 0)};
    potential.velocity = {value("vx", 0), value("vy", 0), value("vz", 0)};
    if (numbers.contains("from")) {
        potential.from = numbers["from"];
        potential.to = numbers["to"];
        if (!(*potential.to > *potential.from))
            refuse(reader.place(), "to: " + number_text(*potential.to) + ": must be after from, " +
                                       number_text(*potential.from));
    }
}

const std::string& content(const std::string& file, const std::string& needed,
                           PotentialFiles& files)
{
    const auto known = files.find(file);
    if (known != files.end())
        return known->second;
    std::string text = read_regular_file(file, max_bytes, needed);
    if (text.starts_with("\xEF\xBB\xBF")) // a byte order mark of UTF-8
        text.erase(0, 3);
    if (text.find('\0') != text.npos)
        throw Error(Fault::input, file + ": a byte 0: " + "must be " + needed);
    return files.emplace(file, text).first->second;
}

/// Reads a potential's text file, and sets the parameters it declares if they are given.
std::shared_ptr<const TextPotential> text_of(const Typed& typed, Reader& reader,
                                             PotentialFiles& files)
{
    const std::string& file = typed.texts.at("file");
    auto text =
        std::make_shared<TextPotential>(content(file, "a text of a potential", files), file);
    std::vector<std::string> known{"file"};
    for (const PotentialParameter& parameter : motion_parameters())
        known.push_back(parameter.name);
    const std::size_t common = known.size();
    for (const LawParameter& parameter : text->parameters()) {
        if (std::find(known.begin(), known.end(), parameter.name) != known.end())
            throw Error(Fault::input, file + ": parameter " + parameter.name +
                                          ": name of a common parameter: must be another name");
        known.push_back(parameter.name);
    }
    reader.note("file", file);
    for (const auto& [name, value] : typed.texts) {
        const auto place = std::find(known.begin(), known.end(), name);
        if (place == known.end())
            refuse(reader.place(), name + ": unknown" + suggestion(name, known) +
                                       ": must be a parameter of " + file);
        if (std::size_t(place - known.begin()) < common)
            continue;
        const double number =
            parse_number<double>(reader.place() + ": " + name, value, ranges::any);
        text->set(std::size_t(place - known.begin()) - common, number);
        reader.note(name, number_text(number));
    }
    return text;
}

/// Reads the text of a potential that is none of the named ones.
Potential read_one(const std::string& option, const std::string& text, const UnitFrame& frame,
                   double gravitational_constant, PotentialFiles& files)
{
    const Typed found = typed(option, text);
    Potential potential;
    potential.shape = found.row->shape;
    potential.asked = text;
    Reader reader(option, found, frame);
    if (potential.shape == PotentialShape::text)
        potential.text = text_of(found, reader, files);
    set_formula(potential, reader, frame, gravitational_constant);
    if (found.has("orbit")) {
        const std::string& file = found.texts.at("orbit");
        potential.path = std::make_shared<CenterPath>(
            CenterPath::read(content(file, "an orbit of a potential", files), file));
        reader.note("orbit", file);
    }
    potential.description = reader.description();
    potential.in_units = reader.in_units();
    return potential;
}

/// Returns the part as a text, with numbers in units of the frame.
std::string numbers_of(const NamedPart& part, const UnitFrame& frame, double G)
{
    constexpr double kpc = 3.085678e21, km_per_s = 1e5; // Units::gadget()
    const Units& units = frame.units;
    const double length = kpc / units.length_in_cm,
                 velocity = km_per_s / units.velocity_in_cm_per_s;
    std::string text =
        row_of(part.shape).name + ",M=" + number_text(part.GM * length * velocity * velocity / G);
    for (const auto& [name, kiloparsecs] : part.lengths)
        text += "," + name + "=" + number_text(kiloparsecs * length);
    for (const auto& [name, number] : part.numbers)
        text += "," + name + "=" + number_text(number);
    return text;
}

} // namespace

std::string Potential::text_in_log() const
{
    return (in_units.empty() ? description : in_units) +
           (asked == description ? "" : ", given as " + asked);
}

Potential::Growth Potential::growth(double time) const
{
    if (!from || time >= *to)
        return {};
    if (time <= *from)
        return {0, 0};
    const double length = *to - *from, x = 2 * (time - *from) / length - 1, x2 = x * x;
    return {0.5 + x * (15. / 16 + x2 * (3. / 16 * x2 - 5. / 8)),
            15. / 8 / length * (1 - x2) * (1 - x2)};
}

CenterPath::Row Potential::center_at(double time) const
{
    return path ? path->at(time) : CenterPath::Row{time, center + time * velocity, velocity};
}

void check_potential(const std::string& option, const std::string& text)
{
    typed(option, text);
}

std::vector<Potential> read_potentials(const std::string& option, const std::string& text,
                                       const UnitFrame& frame, double gravitational_constant,
                                       PotentialFiles& files)
{
    const PotentialRow& row = *typed(option, text).row;
    if (row.shape != PotentialShape::named)
        return {read_one(option, text, frame, gravitational_constant, files)};
    if (!frame.units.physical)
        refuse(option, row.name + ": needs particles with units");
    std::vector<Potential> all;
    for (const NamedPart& part : named_potential(row.name).parts) {
        const std::string numbers = numbers_of(part, frame, gravitational_constant);
        all.push_back(read_one(option, numbers + text.substr(row.name.size()), frame,
                               gravitational_constant, files));
        all.back().asked = text;
    }
    return all;
}

std::vector<std::byte> packed(std::span<const Potential> potentials)
{
    std::vector<std::byte> bytes;
    for (const Potential& potential : potentials) {
        const CenterPath path = potential.path ? *potential.path : CenterPath{};
        put_bytes(bytes, static_cast<const PotentialNumbers*>(&potential));
        put_sized(bytes, path.name);
        put_sized(bytes, path.rows);
    }
    return bytes;
}

std::vector<Potential> unpacked_potentials(std::span<const std::byte> bytes)
{
    std::vector<Potential> potentials;
    while (!bytes.empty()) {
        Potential& potential = potentials.emplace_back();
        CenterPath path;
        read_bytes(bytes, static_cast<PotentialNumbers*>(&potential));
        read_sized(bytes, path.name);
        read_sized(bytes, path.rows);
        if (!path.rows.empty())
            potential.path = std::make_shared<CenterPath>(std::move(path));
    }
    return potentials;
}

} // namespace chamomile
