// Snapshots: arrays as numpy views, and files.
#include "chamomile/io/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/io/hdf5/layout.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "interfaces/python/array.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/options.hpp"
#include "interfaces/python/plain.hpp"

namespace chamomile::python {
namespace {

/// Returns a numpy view that keeps the snapshot alive. The array never moves.
template <class T>
nb::object numbers(nb::handle self, std::vector<T>& values)
{
    return nb::cast(nb::ndarray<nb::numpy, T>(values.data(), {values.size()}, self));
}

nb::object read_vectors(nb::handle self, std::vector<Vec3<double>>& values)
{
    static_assert(sizeof(Vec3<double>) == 3 * sizeof(double));
    return nb::cast(nb::ndarray<nb::numpy, double>(reinterpret_cast<double*>(values.data()),
                                                   {values.size(), 3}, self));
}

template <auto Member>
nb::object array_of(nb::handle_t<Snapshot> self)
{
    auto& values = nb::cast<Snapshot&>(self).particles.*Member;
    if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::vector<Vec3<double>>>)
        return read_vectors(self, values);
    else
        return numbers(self, values);
}

Snapshot make(std::int64_t n)
{
    if (n < 0 || n >= (std::int64_t(1) << 32) - 1)
        throw Error(Fault::usage, "number of particles: " + std::to_string(n) +
                                      ": must be at least 0 and below 2^32 - 1");
    Snapshot snapshot;
    snapshot.particles.resize(std::size_t(n));
    for (std::size_t i = 0; i < std::size_t(n); ++i)
        snapshot.particles.id[i] = i + 1;
    return snapshot;
}

/// Returns `value` if finite and in range, otherwise throws Error(usage).
double checked(const char* name, double value, bool is_in_range, const char* allowed)
{
    if (!is_in_range || !std::isfinite(value))
        throw Error(Fault::usage, std::string(name) + ": " + nb::str(nb::cast(value)).c_str() +
                                      ": must be " + allowed);
    return value;
}

nb::object softening(const Snapshot& snapshot)
{
    return snapshot.softening ? nb::cast(snapshot.softening->length) : nb::none();
}

nb::object softenings(nb::handle_t<Snapshot> self)
{
    if (nb::cast<Snapshot&>(self).particles.softening.empty())
        return nb::none();
    return array_of<&Particles::softening>(self);
}

/// Sets per-particle softening, or one common softening for None.
void set_softenings(Snapshot& snapshot, nb::handle value)
{
    std::vector<double>& own = snapshot.particles.softening;
    if (value.is_none()) {
        own.clear();
        if (snapshot.softening)
            snapshot.softening->per_particle = false;
        return;
    }
    const std::size_t n = snapshot.particles.size();
    const Array lengths(value, "softenings", 1, Array::Access::read, n, "particles");
    if (lengths.view().on_device)
        throw Error(Fault::usage, "softenings: must be on the host");
    const std::vector<double> taken = cut_softenings(lengths.view(), n);
    own.resize(n);
    std::copy(taken.begin(), taken.end(), own.begin()); // in place: views may exist
    Softening softening = snapshot.softening.value_or(Softening{});
    softening.length = n == 0 ? 0 : *std::max_element(own.begin(), own.end());
    softening.per_particle = true;
    snapshot.softening = softening;
}

nb::dict extra_columns(nb::handle_t<Snapshot> self)
{
    nb::dict columns;
    for (auto& [name, values] : nb::cast<Snapshot&>(self).particles.extra)
        columns[name.c_str()] = numbers(self, values);
    return columns;
}

void add_column(Snapshot& snapshot, const std::string& name, nb::handle values)
{
    if (!hdf5_layout::is_extra_name(name))
        throw Error(Fault::usage, "name: '" + name +
                                      "': must be 1 to 64 letters, digits, _ and -, and not "
                                      "the name of another data set");
    const std::size_t n = snapshot.particles.size();
    const Array array(values, "values", 1, Array::Access::read, n, "particles");
    if (array.view().on_device)
        throw Error(Fault::usage, "values: must be on the host");
    std::vector<double>& column = snapshot.particles.extra[name];
    column.resize(n);
    for (std::size_t i = 0; i < n; ++i) // in place: views may exist
        column[i] = array.view().load(i);
}

Dimension named(const std::string& name)
{
    using namespace dimensions;
    static const OptionWords<Dimension> words = {{"length", length},
                                                 {"mass", mass},
                                                 {"time", time},
                                                 {"velocity", velocity},
                                                 {"acceleration", acceleration},
                                                 {"potential", potential},
                                                 {"energy", energy},
                                                 {"momentum", momentum},
                                                 {"angular_momentum", angular_momentum}};
    std::vector<std::string> names;
    for (const auto& [word, dimension] : words) {
        if (word == name)
            return dimension;
        names.push_back(word);
    }
    refuse_word("of", name, names);
}

std::string text_of(const Snapshot& snapshot)
{
    return "<chamomile.Snapshot: " + std::to_string(snapshot.particles.size()) +
           " particles at t = " + nb::cast<std::string>(nb::str(nb::cast(snapshot.time))) + ", " +
           snapshot.units.description() + ">";
}

} // namespace

void bind_snapshot(nb::module_& m)
{
    const auto numbers_type = [](const char* name, const char* type) {
        static std::vector<std::string> kept;
        kept.reserve(32);
        kept.push_back(std::string("def ") + name + "(self) -> numpy.typing.NDArray[numpy." + type +
                       "]");
        return nb::sig(kept.back().c_str());
    };
    nb::class_<Snapshot> snapshot(
        m, "Snapshot",
        "Particles at one time, with units and provenance.\n\nThe arrays are views of the memory "
        "of the snapshot: written in place, never moved.");
    bind_snapshot_state(snapshot);
    snapshot
        .def(
            "__init__",
            [](Snapshot* self, std::int64_t n) {
                new (self) Snapshot(make(n));
                self->has_stated_units = false; // units are unknown until use_units()
            },
            nb::arg("n"), "n particles of mass 0 at the origin, ids 1 to n, type 1.")
        .def_prop_ro("positions", &array_of<&Particles::position>,
                     numbers_type("positions", "float64"), "Shape (N, 3), units of length.")
        .def_prop_ro("velocities", &array_of<&Particles::velocity>,
                     numbers_type("velocities", "float64"), "Shape (N, 3), units of velocity.")
        .def_prop_ro("masses", &array_of<&Particles::mass>, numbers_type("masses", "float64"),
                     "Shape (N,), units of mass.")
        .def_prop_ro("accelerations", &array_of<&Particles::acceleration>,
                     numbers_type("accelerations", "float64"),
                     "Shape (N, 3), of the last force evaluation or of the file "
                     "(has_accelerations), G included.")
        .def_prop_ro("potentials", &array_of<&Particles::potential>,
                     numbers_type("potentials", "float64"),
                     "Shape (N,), per unit mass, negative, of the last force evaluation or of the "
                     "file (has_potentials), G included.")
        .def_prop_ro("ids", &array_of<&Particles::id>, numbers_type("ids", "uint64"))
        .def_prop_ro("types", &array_of<&Particles::type>, numbers_type("types", "uint8"),
                     "0 to 5 as in GADGET: gas, halo, disk, bulge, stars, boundary.")
        .def("__len__", [](const Snapshot& s) { return s.particles.size(); })
        .def("__repr__", &text_of)
        .def_prop_rw(
            "time", [](const Snapshot& s) { return s.time; },
            [](Snapshot& s, Number value) { s.time = value.of("time"); })
        .def_prop_rw(
            "box_size", [](const Snapshot& s) { return s.box_size; },
            [](Snapshot& s, Number given) {
                const double value = given.of("box_size");
                s.box_size = checked("box_size", value, value >= 0, "0 or more");
            },
            "0: isolated.")
        .def_rw("has_accelerations", &Snapshot::has_accelerations)
        .def_rw("has_potentials", &Snapshot::has_potentials)
        .def_prop_rw(
            "G", &Snapshot::G,
            [](Snapshot& s, Number given) {
                const double value = given.of("G");
                s.gravitational_constant = checked("G", value, value > 0, "above 0");
            },
            "Gravitational constant: stated by the file, or by the units.")
        .def_prop_rw(
            "softening", &softening,
            [](Snapshot& s, Number given) {
                const double value = given.of("softening");
                s.softening = Softening{s.softening.value_or(Softening{}).kind,
                                        checked("softening", value, value >= 0, "0 or more")};
                s.particles.softening.clear();
            },
            nb::for_getter(nb::sig("def softening(self) -> float | None")),
            "Plummer-equivalent softening length of all particles, or None; with per-particle "
            "softening the largest length.")
        .def_prop_rw("softenings", &softenings, &set_softenings,
                     nb::for_getter(nb::sig("def softenings(self) -> "
                                            "numpy.typing.NDArray[numpy.float64] | None")),
                     nb::for_setter(nb::sig("def softenings(self, value: object) -> None")),
                     "Shape (N,), units of length: per-particle softening, or None.")
        .def_prop_ro("extra", &extra_columns,
                     nb::sig("def extra(self) -> dict[str, numpy.typing.NDArray[numpy.float64]]"),
                     "Extra columns, shape (N,) each, by name; add_column() adds a column.")
        .def("add_column", &add_column, nb::arg("name"), nb::arg("values"),
             nb::sig("def add_column(self, name: str, values: object) -> None"),
             "Adds or replaces a column, such as ages: shape (N,), doubles without units. "
             "Selections, runs and HDF5 files keep the column.")
        .def_prop_ro(
            "kernel",
            [](const Snapshot& s) {
                return s.softening ? nb::cast(form_of(s.softening->kind).word) : nb::none();
            },
            nb::sig("def kernel(self) -> str | None"), "Softening law: plummer or spline.")
        .def_prop_ro(
            "units", [](const Snapshot& s) { return s.units.description(); },
            "Units as a text, such as 'kpc, 1e10 Msun, km/s'.")
        .def(
            "use_gadget_units",
            [](Snapshot& s, bool per_hubble) {
                s.units = Units::gadget(per_hubble);
                s.has_stated_units = true;
            },
            nb::arg("per_hubble") = false,
            "Interprets the numbers as kpc, 1e10 Msun and km/s (each /h), without changes.")
        .def(
            "use_units",
            [](Snapshot& s, const std::string& system) {
                choose_units(s, unit_system("use_units", system), "use_units: " + system);
            },
            nb::arg("system"),
            "Converts the snapshot to 'galactic' (kpc, 1e10 Msun, km/s), 'stellar', 'planetary', "
            "'cosmological', 'gadget', 'LENGTH,MASS,VELOCITY' or, with G = 1, 'LENGTH,MASS'. "
            "Numbers without units are interpreted in these units.")
        .def(
            "unit",
            [](const Snapshot& s, const std::string& of) { return unit_name(named(of), s.units); },
            nb::arg("of"),
            "Unit of 'length', 'mass', 'time', 'velocity', 'acceleration', 'potential', 'energy', "
            "'momentum' or 'angular_momentum', such as 'kpc/(km/s)'; empty of N-body units.")
        .def_prop_ro(
            "scale_factor",
            [](const Snapshot& s) {
                return s.comoving ? nb::cast(s.comoving->scale_factor) : nb::none();
            },
            nb::sig("def scale_factor(self) -> float | None"),
            "Scale factor of comoving coordinates, or None.")
        .def_ro("format", &Snapshot::format, "Format of the file.")
        .def_prop_ro(
            "notes",
            [](const Snapshot& snapshot) {
                std::vector<std::string> notes;
                for (const std::string& note : snapshot.notes)
                    notes.push_back(in_python(note));
                return notes;
            },
            "What the reader assumed or left out.")
        .def_rw("provenance", &Snapshot::provenance, "Key and value: version, command, ...");

    m.def(
        "read_snapshot",
        [](const std::filesystem::path& path) {
            Snapshot snapshot = read_snapshot(path, Masses::may_lack);
            snapshot.particles.resize(snapshot.particles.size()); // arrays of forces too
            return snapshot;
        },
        nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
        "Reads HDF5 (GADGET-4 layout), GADGET-2 binary, Tipsy or text columns, detected by "
        "content. For a snapshot in pieces give any piece.\n\nRaises InputError with one line on "
        "file, field and value.");
    m.def(
        "write_snapshot",
        [](const Snapshot& snapshot, const std::filesystem::path& path) {
            nb::gil_scoped_release released;
            std::vector<std::string> left = left_out(snapshot, path);
            write_snapshot(snapshot, path);
            return left;
        },
        nb::arg("snapshot"), nb::arg("path"),
        "Writes the format given by the extension: .hdf5, .h5, .gadget2, .tipsy, .bin, .txt or "
        ".dat. The file appears when complete.\n\nReturns the properties that the format cannot "
        "hold, one phrase each. Raises OutputError, or UsageError for an unknown extension.");
}

} // namespace chamomile::python
