#include "interfaces/python/plain.hpp"

#include <nanobind/stl/string.h>

namespace chamomile::python {

void require_plain(nb::handle value, const std::string& name)
{
    PyObject* const object = value.ptr();
    if (PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyUnicode_CheckExact(object))
        return;
    nb::module_::import_("chamomile._plain").attr("require_plain")(value, name);
}

namespace {

/// Returns the current Python error with the argument's name before its text.
nb::python_error in_words_of(const std::string& name)
{
    const nb::python_error error;
    PyErr_SetString(error.type().ptr(), (name + ": " + nb::str(error.value()).c_str()).c_str());
    return {};
}

} // namespace

double Number::of(const std::string& name) const
{
    require_plain(given, name);
    const double number = PyFloat_AsDouble(given.ptr());
    if (number == -1 && PyErr_Occurred())
        throw in_words_of(name);
    return number;
}

} // namespace chamomile::python
