#include "interfaces/python/potentials.hpp"

#include <cstring>

#include <nanobind/ndarray.h>

#include "chamomile/core/error.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/plain.hpp"

namespace chamomile::python {
namespace {

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// Returns the value as a contiguous numpy array of doubles. Throws Error(input).
nb::object doubles(const std::string& name, nb::handle value)
{
    require_plain(value, "potentials: " + name);
    try {
        return nb::module_::import_("numpy").attr("ascontiguousarray")(
            value, nb::module_::import_("numpy").attr("float64"));
    } catch (nb::python_error&) {
        throw Error(Fault::input, "potentials: " + name + ": must return arrays of numbers");
    }
}

/// Adds an array of shape (n,) or (n, width) to `to`. Throws Error(input) for other shapes.
void add_array(const std::string& name, nb::handle value, std::size_t n, std::size_t width,
               double* to)
{
    const nb::object numbers = doubles(name, value);
    const Numbers array = nb::cast<Numbers>(numbers);
    const bool fits = width == 1
                          ? array.ndim() == 1 && array.shape(0) == n
                          : array.ndim() == 2 && array.shape(0) == n && array.shape(1) == width;
    if (!fits)
        throw Error(Fault::input,
                    "potentials: " + name +
                        ": must return accelerations of shape (n, 3), or accelerations and "
                        "potentials of shape (n,), for n positions");
    for (std::size_t k = 0; k < n * width; ++k)
        to[k] += array.data()[k];
}

/// A Call is a Python function that any thread may call and destroy.
struct Call {
    nb::object function;
    std::string name;

    Call(nb::handle of, std::string called) : function(nb::borrow(of)), name(std::move(called)) {}
    ~Call()
    {
        nb::gil_scoped_acquire held;
        function.reset();
    }

    void add(double time, std::span<const Vec3<double>> position,
             std::span<Vec3<double>> acceleration, std::span<double> potential) const
    {
        nb::gil_scoped_acquire held;
        const std::size_t n = position.size();
        double* copy = new double[3 * n];
        std::memcpy(copy, position.data(), 3 * n * sizeof(double));
        const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        const nb::object places =
            nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(copy, {n, 3}, owner));
        const nb::object result = function(places, time);
        const bool has_both = nb::isinstance<nb::tuple>(result) && nb::len(result) == 2;
        add_array(name, has_both ? nb::object(result[0]) : result, n, 3, &acceleration.data()->x);
        if (has_both)
            add_array(name, nb::object(result[1]), n, 1, potential.data());
    }
};

std::shared_ptr<const PotentialFunction> function_of(nb::handle value)
{
    const std::string name = nb::str(nb::getattr(value, "__name__", nb::str("a function"))).c_str();
    const auto call = std::make_shared<Call>(value, name);
    auto function = std::make_shared<PotentialFunction>();
    function->name = name;
    function->add = [call](double time, std::span<const Vec3<double>> position,
                           std::span<Vec3<double>> acceleration, std::span<double> potential) {
        call->add(time, position, acceleration, potential);
    };
    return function;
}

} // namespace

ReadPotentials read_potentials(nb::handle potentials, const UnitFrame& frame,
                               double gravitational_constant, PotentialFiles& files)
{
    ReadPotentials read;
    if (potentials.is_none())
        return read;
    if (nb::isinstance<nb::str>(potentials) || !nb::isinstance<nb::iterable>(potentials))
        throw nb::type_error("potentials: must be a list of texts and functions");
    std::vector<Potential> all;
    for (nb::handle value : nb::iter(potentials)) {
        if (nb::isinstance<nb::str>(value)) {
            const std::string text = nb::str(value).c_str();
            for (Potential& potential :
                 read_potentials("potentials", text, frame, gravitational_constant, files))
                all.push_back(std::move(potential));
        } else if (PyCallable_Check(value.ptr())) {
            Potential potential;
            potential.shape = PotentialShape::function;
            potential.function = function_of(value);
            potential.asked = potential.description = "function " + potential.function->name;
            all.push_back(std::move(potential));
        } else {
            throw nb::type_error("potentials: must be texts and functions");
        }
        read.text += (read.text.empty() ? "" : ";") + all.back().asked;
    }
    if (!all.empty())
        read.field = std::make_shared<ExternalField>(std::move(all), "potentials");
    return read;
}

} // namespace chamomile::python
