// Pickling of snapshots, as a tuple of properties and arrays.
#include <array>
#include <cstring>
#include <tuple>

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "chamomile/io/snapshot.hpp"
#include "interfaces/python/bindings.hpp"

namespace chamomile::python {
namespace {

using Numbers = std::vector<double>;
using SofteningState = std::tuple<double, int, int, bool>;
using State =
    std::tuple<Numbers, std::vector<bool>, std::optional<double>, std::optional<SofteningState>,
               std::optional<Numbers>, std::vector<std::string>, std::map<std::string, std::string>,
               std::vector<std::string>, nb::list>;

/// Calls `each` for every number except optional ones.
template <class S, class Each>
void for_numbers(S& s, const Each& each)
{
    for (auto* number : {&s.units.length_in_cm, &s.units.mass_in_g, &s.units.velocity_in_cm_per_s,
                         &s.time, &s.box_size})
        each(*number);
}

template <class S, class Each>
void for_flags(S& s, const Each& each)
{
    for (auto* flag : {&s.units.physical, &s.units.per_hubble, &s.has_stated_units,
                       &s.has_accelerations, &s.has_potentials})
        each(*flag);
}

template <class Frame, class Each>
void for_frame(Frame& f, const Each& each)
{
    for (auto* number : {&f.scale_factor, &f.omega_matter, &f.omega_lambda, &f.hubble,
                         &f.omega_radiation, &f.w0, &f.wa, &f.physical_softening})
        each(*number);
}

State state_of(const Snapshot& s)
{
    Numbers numbers;
    for_numbers(s, [&](double x) { numbers.push_back(x); });
    std::vector<bool> flags;
    for_flags(s, [&](bool x) { flags.push_back(x); });
    std::optional<SofteningState> softening;
    if (s.softening)
        softening.emplace(s.softening->length, int(s.softening->kind), int(s.softening->rule),
                          s.softening->per_particle);
    std::optional<Numbers> frame;
    if (s.comoving)
        for_frame(*s.comoving, [&, &all = frame.emplace()](double x) { all.push_back(x); });
    nb::list arrays;
    for_each_column(
        [&](Column, const std::string&, const auto& values) {
            arrays.append(nb::bytes(values.data(), values.size() * sizeof values[0]));
        },
        s.particles);
    std::vector<std::string> texts{s.units_note, s.format};
    for (const auto& [name, values] : s.particles.extra)
        texts.push_back(name);
    return {numbers, flags, s.gravitational_constant, softening, frame, texts, s.provenance,
            s.notes, arrays};
}

/// Restores the snapshot from a pickled state.
void restore(Snapshot& into, const State& state)
{
    const auto& [numbers, flags, constant, softening, frame, texts, provenance, notes, arrays] =
        state;
    Snapshot s;
    std::size_t k = 0;
    for_numbers(s, [&](double& x) { x = numbers.at(k++); });
    k = 0;
    for_flags(s, [&](bool& x) { x = flags.at(k++); });
    s.gravitational_constant = constant;
    if (softening) {
        const auto [length, kind, rule, per_particle] = *softening;
        s.softening = Softening{.kind = SofteningKind(kind),
                                .length = length,
                                .rule = SofteningRule(rule),
                                .per_particle = per_particle};
    }
    k = 0;
    if (frame)
        for_frame(s.comoving.emplace(), [&, &all = *frame](double& x) { x = all.at(k++); });
    s.units_note = texts.at(0);
    s.format = texts.at(1);
    s.provenance = provenance;
    s.notes = notes;
    k = 0;
    for (std::size_t name = 2; name < texts.size(); ++name)
        s.particles.extra[texts[name]];
    for_each_column(
        [&, &all = arrays](Column, const std::string&, auto& values) {
            const auto bytes = nb::cast<nb::bytes>(all[k++]);
            values.resize(bytes.size() / sizeof values[0]);
            std::memcpy(values.data(), bytes.c_str(), bytes.size());
        },
        s.particles);
    into = std::move(s);
}

} // namespace

void bind_snapshot_state(nb::class_<Snapshot>& snapshot)
{
    snapshot.def("__getstate__", &state_of, nb::sig("def __getstate__(self) -> object"))
        .def(
            "__setstate__",
            [](Snapshot& self, const State& state) { restore(*new (&self) Snapshot, state); },
            nb::sig("def __setstate__(self, state: object) -> None"));
}

} // namespace chamomile::python
