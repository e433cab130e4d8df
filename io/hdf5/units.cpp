#include "chamomile/io/hdf5/units.hpp"

#include <set>

#include "chamomile/io/hdf5/layout.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

double positive(const Hdf5Piece& piece, const Hdf5Group& group, const char* name)
{
    const double value = group.real(name, 0);
    if (!(value > 0))
        throw bad_input(piece.path, name, number_text(value), "must be positive");
    return value;
}

/// Units as GADGET-4 names them (with those of velocity) or SWIFT (with those of time).
bool read_units_from(const Hdf5Piece& piece, const char* group_name, Units& units)
{
    const Hdf5Group group = piece.group(group_name);
    if (group.has_attribute("UnitLength_in_cm")) {
        units.length_in_cm = positive(piece, group, "UnitLength_in_cm");
        units.mass_in_g = positive(piece, group, "UnitMass_in_g");
        units.velocity_in_cm_per_s = positive(piece, group, "UnitVelocity_in_cm_per_s");
    } else if (group.has_attribute("Unit length in cgs (U_L)")) {
        units.length_in_cm = positive(piece, group, "Unit length in cgs (U_L)");
        units.mass_in_g = positive(piece, group, "Unit mass in cgs (U_M)");
        units.velocity_in_cm_per_s =
            units.length_in_cm / positive(piece, group, "Unit time in cgs (U_t)");
    } else
        return false;
    units.physical = true;
    const double hubble =
        piece.group(hdf5_layout::parameters)
            .real("HubbleParam", piece.group(hdf5_layout::header).real("HubbleParam", 1));
    units.per_hubble = group.has_attribute("UnitLength_in_cm") && hubble != 1 && hubble != 0;
    return true;
}

/// GADGET-4's softening, where all types that have particles share one class.
void read_softening_class(const Hdf5Piece& piece, Snapshot& snapshot)
{
    const Hdf5Group parameters = piece.group(hdf5_layout::parameters);
    std::set<std::int64_t> classes;
    for (std::size_t type = 0; type < 6; ++type) {
        const std::string name = "SofteningClassOfPartType" + std::to_string(type);
        if (piece.totals[type] > 0 && parameters.has_attribute(name.c_str()))
            classes.insert(parameters.integers(name.c_str()).front());
    }
    if (classes.size() > 1)
        snapshot.notes.push_back("the softenings of the types differ and were not read");
    if (classes.size() != 1)
        return;
    const std::string name = "SofteningComovingClass" + std::to_string(*classes.begin());
    if (const double length = parameters.real(name.c_str(), 0); length > 0)
        snapshot.softening = Softening{SofteningKind::spline, length};
}

} // namespace

void read_units(const Hdf5Piece& piece, Snapshot& snapshot)
{
    using namespace hdf5_layout;
    bool found = false;
    for (const char* group : {hdf5_layout::units, parameters, header})
        found = found || read_units_from(piece, group, snapshot.units);

    const Hdf5Group own_group = piece.group(own);
    const auto strings = own_group.strings();
    const auto system = strings.find(unit_system);
    if (system != strings.end() && system->second == nbody_units)
        snapshot.units = {};
    else if (system != strings.end())
        snapshot.units.per_hubble = system->second == physical_units_per_h;
    else if (!found) {
        snapshot.units = Units::gadget(true);
        snapshot.has_stated_units = false;
    }
    if (own_group.has_attribute(gravitational_constant)) {
        const double G = own_group.real(gravitational_constant, 0);
        if (G != snapshot.units.gravitational_constant())
            snapshot.gravitational_constant = G;
    }

    const auto kind = strings.find(softening_kind);
    if (kind == strings.end())
        return read_softening_class(piece, snapshot);
    if (kind->second != "plummer" && kind->second != "spline")
        throw bad_input(piece.path, "Chamomile/softening_kind", kind->second, "plummer or spline");
    snapshot.softening =
        Softening{kind->second == "spline" ? SofteningKind::spline : SofteningKind::plummer,
                  own_group.real(softening_length, 0)};
    if (snapshot.softening->length < 0)
        throw bad_input(piece.path, "Chamomile/softening_length",
                        number_text(snapshot.softening->length), "must not be negative");
}

} // namespace chamomile
