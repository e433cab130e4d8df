#include "interfaces/python/faults.hpp"

#include <nanobind/stl/string.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/run/run_job.hpp"
#include "interfaces/python/options.hpp"

namespace chamomile::python {
namespace {

const char* class_of(Fault fault)
{
    switch (fault) {
    case Fault::usage:
        return "UsageError";
    case Fault::input:
        return "InputError";
    case Fault::output:
        return "OutputError";
    case Fault::device:
        return "DeviceError";
    case Fault::numeric:
        return "NumericError";
    case Fault::restart:
        return "RestartError";
    }
    return "Error";
}

void raise(const char* name, const char* line)
{
    const nb::object type = nb::module_::import_("chamomile.errors").attr(name);
    PyErr_SetString(type.ptr(), line);
}

/// Returns the text of an object in UTF-8.
std::string text_of(nb::handle object)
{
    return nb::cast<nb::bytes>(nb::str(object).attr("encode")("utf-8", "replace")).c_str();
}

/// The process that has started host threads; 0: none yet.
std::atomic<pid_t> started_in = 0;

/// Whether Ctrl-C has arrived without being handled.
std::atomic<bool> is_interrupted = false;

} // namespace

void translate_faults()
{
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Inaccurate& error) {
            raise("InaccurateError", in_python(error.line()).c_str());
        } catch (const Error& error) {
            raise(class_of(error.fault()), in_python(error.line()).c_str());
        } catch (const StateError& error) {
            raise("StateError", error.what());
        }
    });
}

RaisedAs raised_as(const std::exception_ptr& thrown)
{
    const nb::gil_scoped_acquire held;
    try {
        std::rethrow_exception(thrown);
    } catch (const Inaccurate& error) {
        return {"InaccurateError", in_python(error.line())};
    } catch (const Error& error) {
        return {class_of(error.fault()), in_python(error.line())};
    } catch (const StateError& error) {
        return {"StateError", error.what()};
    } catch (const nb::python_error& error) {
        return {nb::cast<std::string>(error.type().attr("__name__")), text_of(error.value())};
    } catch (const nb::builtin_exception& error) {
        return {error.type() == nb::exception_type::type_error ? "TypeError" : "RuntimeError",
                error.what()};
    } catch (const std::exception& error) {
        return {"RuntimeError", error.what()};
    }
}

void raise_as(const RaisedAs& raised)
{
    const nb::gil_scoped_acquire held;
    for (const char* name : {"chamomile.errors", "builtins"}) {
        const nb::module_ module = nb::module_::import_(name);
        if (const nb::object type = nb::getattr(module, raised.kind.c_str(), nb::none());
            PyExceptionClass_Check(type.ptr())) {
            // A class with a different constructor cannot be created from one text.
            const nb::object made =
                nb::steal(PyObject_CallFunction(type.ptr(), "s", raised.line.c_str()));
            if (!made) {
                PyErr_Clear();
                break;
            }
            PyErr_SetObject(type.ptr(), made.ptr());
            throw nb::python_error();
        }
    }
    raise("Error", (raised.kind + ": " + raised.line).c_str());
    throw nb::python_error();
}

void warn_in_python(const std::string& line)
{
    const nb::gil_scoped_acquire held;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, ("chamomile: " + in_python(line)).c_str(), 1) != 0)
        throw nb::python_error();
}

bool remember_interrupt()
{
    return !is_interrupted.exchange(true);
}

void look_at_signals()
{
    const nb::gil_scoped_acquire held;
    if (is_interrupted.exchange(false))
        PyErr_SetInterrupt();
    if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
}

void require_own_threads()
{
    const pid_t here = getpid();
    pid_t first = 0;
    if (!started_in.compare_exchange_strong(first, here) && first != here)
        throw StateError("process: forked after chamomile started threads: fork before the first "
                         "call, or use multiprocessing.get_context('spawn')");
}

ExclusiveCall::ExclusiveCall(Flag& flag, const char* what) : flag_(flag)
{
    require_own_threads();
    if (flag.taken_.exchange(true, std::memory_order_acquire))
        throw StateError(std::string(what) + ": in use by another thread: must be one per thread");
}

ExclusiveCall::~ExclusiveCall()
{
    flag_.taken_.store(false, std::memory_order_release);
}

} // namespace chamomile::python
