// Orbits in external potentials.
#include <cmath>
#include <cstring>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "chamomile/core/error.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/structures/orbit_table.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/faults.hpp"
#include "interfaces/python/options.hpp"
#include "interfaces/python/potentials.hpp"

namespace chamomile::python {
namespace {

nb::object array_of(const std::vector<double>& values)
{
    double* copy = new double[values.size()];
    std::memcpy(copy, values.data(), values.size() * sizeof(double));
    const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy, {values.size()}, owner));
}

nb::dict orbits(const Snapshot& snapshot, nb::handle potentials, nb::handle duration,
                std::int64_t rows)
{
    require_own_threads();
    if (snapshot.box_size > 0 || snapshot.comoving)
        throw Error(Fault::usage, "potentials: need isolated particles and plain time");
    const UnitFrame frame = unit_frame_of(snapshot);
    OrbitTableRequest request;
    if (!duration.is_none())
        request.duration = quantity("duration", duration, dimensions::time, frame);
    if (request.duration && !(*request.duration > 0))
        throw Error(Fault::usage, "duration: must be > 0");
    if (rows < 0 || rows > 10'000'000)
        throw Error(Fault::usage, "rows: " + std::to_string(rows) + ": must be 0 to 1e7");
    request.rows = std::uint64_t(rows);
    PotentialFiles files;
    const ReadPotentials read = read_potentials(potentials, frame, snapshot.G(), files);
    if (!read.field)
        throw Error(Fault::usage, "potentials: missing");
    OrbitTable table;
    {
        const Released released;
        table = orbit_table(snapshot, *read.field, request);
    }
    nb::dict columns;
    for (std::size_t c = 0; c < table.headings.size(); ++c) {
        const std::string& heading = table.headings[c];
        columns[heading.substr(0, heading.find(' ')).c_str()] = array_of(table.columns[c]);
    }
    return columns;
}

} // namespace

void bind_orbits(nb::module_& m)
{
    m.def("orbits", &orbits, nb::arg("snapshot"), nb::arg("potentials").none(),
          nb::arg("duration").none(), nb::arg("rows"),
          nb::sig("def orbits(snapshot: Snapshot, potentials: object, duration: object, rows: int) "
                  "-> dict"));
}

} // namespace chamomile::python
