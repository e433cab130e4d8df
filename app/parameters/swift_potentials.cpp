// Translates SWIFT's external potentials, one per section, to --potential.
#include <cmath>
#include <numbers>

#include "app/parameters/parameter_file.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {
namespace {

/// A Section reads one potential's parameters.
class Section {
public:
    Section(ParameterFile& file, std::string name) : file_(file), name_(std::move(name)) {}

    std::string key(const std::string& parameter) const { return name_ + ":" + parameter; }
    bool has(const std::string& parameter) const { return file_.has(key(parameter)); }
    double needed(const std::string& parameter) const
    {
        return file_.needed(key(parameter), "the potential needs it");
    }

    /// Throws if the parameter is on; `allowed` lists valid values.
    void refuse_unless_off(const std::string& parameter, const std::string& allowed) const
    {
        if (file_.is_on(key(parameter)))
            file_.refuse(key(parameter), allowed);
    }

    /// Sets --potential with this shape, these parameters and the center.
    void give(const std::string& shape,
              const std::vector<std::pair<std::string, double>>& parameters) const
    {
        std::string text = shape;
        for (const auto& [name, value] : parameters)
            text += "," + name + "=" + number_text(value);
        static constexpr const char* axes[] = {"x", "y", "z"};
        const std::vector<double> place = center();
        for (std::size_t k = 0; k < 3; ++k)
            if (place[k] != 0)
                text += std::string(",") + axes[k] + "=" + number_text(place[k]);
        file_.give(key(has("position") ? "position" : "useabspos"), "potential", text);
    }

private:
    /// Returns the center. By default SWIFT counts positions from the box center.
    std::vector<double> center() const
    {
        std::vector<double> place(3, 0);
        if (has("position")) {
            std::string list = file_.text(key("position"));
            std::erase_if(list, [](char c) { return c == '[' || c == ']' || c == ' '; });
            place = parse_numbers<double>(file_.place(key("position")), list, ranges::any);
            if (place.size() != 3)
                file_.refuse(key("position"), "must be three numbers");
        }
        if (file_.is_on(key("useabspos")))
            return place;
        if (file_.is_given("FILE"))
            throw Error(Fault::usage, file_.place(key("useabspos")) +
                                          ": 1 is needed beside another FILE: a place that counts "
                                          "from the center of the box is not known");
        const double side = read_snapshot(file_.text("InitialConditions:file_name")).box_size;
        for (double& x : place)
            x += side / 2;
        return place;
    }

    ParameterFile& file_;
    const std::string name_;
};

} // namespace

void give_swift_potentials(ParameterFile& file)
{
    const auto exists = [&](const Section& section) {
        return section.has("mass") || section.has("vrot") || section.has("M_200") ||
               section.has("position") || section.has("useabspos") || section.has("timestep_mult");
    };
    if (const Section s(file, "PointMassPotential"); exists(s)) {
        const double softening = file.number(s.key("softening")).value_or(0);
        if (softening > 0)
            s.give("plummer", {{"M", s.needed("mass")}, {"a", softening}});
        else
            s.give("point", {{"M", s.needed("mass")}});
    }
    if (const Section s(file, "IsothermalPotential"); exists(s))
        s.give("logarithmic",
               {{"v0", s.needed("vrot")}, {"rc", file.number(s.key("epsilon")).value_or(0)}});
    const std::string no_core = "must be 0: this potential has no softened center";
    if (const Section s(file, "HernquistPotential"); exists(s)) {
        s.refuse_unless_off("idealizeddisk", "must be 0, with mass and scalelength");
        s.refuse_unless_off("epsilon", no_core);
        s.give("hernquist", {{"M", s.needed("mass")}, {"a", s.needed("scalelength")}});
    }
    if (const Section s(file, "NFWPotential"); exists(s)) {
        s.refuse_unless_off("epsilon", no_core);
        for (const char* fraction : {"bulgefraction", "diskfraction"})
            s.refuse_unless_off(fraction, "must be 0: the halo contains all of the mass");
        s.give("nfw", {{"M", s.needed("M_200")},
                       {"c", s.needed("concentration")},
                       {"hubble", s.needed("h")}});
    }
    if (const Section s(file, "NFW_MNPotential"); exists(s)) {
        s.refuse_unless_off("epsilon", no_core);
        const double mass = s.needed("M_200"), c = s.needed("concentration"),
                     density = s.needed("critical_density");
        if (!(density > 0))
            file.refuse(s.key("critical_density"), "must be a number > 0");
        const double r200 = std::cbrt(3 * mass / (4 * std::numbers::pi * 200 * density));
        s.give("nfw", {{"M", mass}, {"c", c}, {"rs", r200 / c}});
        s.give("miyamoto-nagai",
               {{"M", s.needed("Mdisk")}, {"a", s.needed("Rdisk")}, {"b", s.needed("Zdisk")}});
    }
}

} // namespace chamomile::app
