#include "app/options/orbit_text.hpp"

#include <algorithm>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/options/typed_number.hpp"
#include "chamomile/io/unit_conversion.hpp"

namespace chamomile::app {
namespace {

std::string in_one_spelling(std::string word)
{
    if (const std::size_t at = word.find("centre"); at != word.npos)
        word.replace(at, 6, "center");
    return word;
}

OrbitChoice orbit_choice(OrbitText& orbit, const UnitFrame& frame)
{
    OrbitChoice choice{.pericenter = *orbit.number("pericenter", frame)};
    const double e = orbit.number("eccentricity", frame).value_or(0);
    choice.apocenter =
        orbit.number("apocenter", frame).value_or(choice.pericenter * (1 + e) / (1 - e));
    if (!(choice.apocenter >= choice.pericenter))
        throw Error(Fault::usage, "--orbit: apocenter: " + orbit.text("apocenter") +
                                      ": must be at least the pericenter, " +
                                      orbit.text("pericenter"));
    choice.inclination = orbit.number("inclination", frame).value_or(0);
    choice.node = orbit.number("node", frame).value_or(0);
    const std::string phase =
        orbit.has("phase") ? in_one_spelling(orbit.text("phase")) : "apocenter";
    if (phase == "pericenter")
        choice.phase = 0;
    else if (phase != "apocenter")
        choice.phase = *orbit.number("phase", frame);
    return choice;
}

} // namespace

const char* const orbit_in_field_help =
    "pericenter=15kpc,apocenter=60kpc[,inclination=90deg][,node=0deg][,phase=apocenter]: orbit in "
    "{potential} about the origin; eccentricity=X may replace the apocenter. The orbit crosses the "
    "x-y plane on the x axis, turned by node. phase: apocenter (default), pericenter, or the part "
    "of a period since pericenter, as 0.25";

OrbitText::OrbitText(const std::string& text, std::vector<OrbitParameter> parameters)
    : parameters_(std::move(parameters))
{
    std::vector<std::string> names;
    std::string all;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        names.push_back(parameters_[k].name);
        all += (k == 0 ? "" : k + 1 == parameters_.size() ? " or " : ", ") + names.back() + "=X";
    }
    for (const std::string& item : parts_of(text, ',')) {
        const std::size_t equals = std::min(item.find('='), item.size());
        const std::string name = in_one_spelling(item.substr(0, equals));
        const auto place = std::find(names.begin(), names.end(), name);
        if (place == names.end() || equals == item.size())
            throw Error(Fault::usage,
                        "--orbit: " + item + ": is not " + all + suggestion(name, names));
        std::string value = item.substr(equals + 1);
        const OrbitParameter& parameter = parameters_[std::size_t(place - names.begin())];
        if (parameter.is_angle && value.ends_with("deg"))
            value.resize(value.size() - 3);
        if (!texts_.emplace(name, value).second)
            throw Error(Fault::usage, "--orbit: " + name + ": is given twice");
        check_unit("--orbit: " + name, value, parameter.dimension);
    }
    if (!has("pericenter"))
        throw Error(Fault::usage, "--orbit: " + text + ": needs pericenter=X");
}

std::optional<double> OrbitText::number(const std::string& name, const UnitFrame& frame)
{
    if (!has(name))
        return std::nullopt;
    const auto parameter = std::find_if(parameters_.begin(), parameters_.end(),
                                        [&](const auto& one) { return one.name == name; });
    const std::string option = "--orbit: " + name,
                      plain = in_frame(option, text(name), parameter->dimension, frame);
    const double value = parse_number<double>(option, plain, parameter->range);
    if (plain != text(name))
        lines_.push_back(option + " " + text(name) + " = " + plain);
    return value;
}

OrbitText orbit_in_field(const std::string& text)
{
    using namespace ranges;
    OrbitText orbit(text, {{"pericenter", dimensions::length, positive},
                           {"apocenter", dimensions::length, positive},
                           {"eccentricity", dimensions::none, between(0, 0.999999)},
                           {"inclination", dimensions::none, between(0, 180), true},
                           {"node", dimensions::none, any, true},
                           {"phase", dimensions::none, between(0, 1)}});
    if (orbit.has("apocenter") == orbit.has("eccentricity"))
        throw Error(Fault::usage,
                    "--orbit: " + text + ": needs " +
                        (orbit.has("apocenter") ? "apocenter or eccentricity, not both"
                                                : "apocenter=X or eccentricity=X"));
    return orbit;
}

OrbitPoint start_on_orbit(const ExternalField& field, const Snapshot& snapshot, OrbitText& orbit)
{
    const OrbitChoice choice = orbit_choice(orbit, unit_frame_of(snapshot));
    OrbitPoint start;
    if (const Refusal line = refused_by([&] { start = place_in(field, snapshot.time, choice); }))
        throw Error(Fault::usage, (line->starts_with("{") ? "" : "--orbit: ") + *line);
    return start;
}

} // namespace chamomile::app
