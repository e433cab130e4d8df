// The extension module _chamomile, used by the Python files of the package.
#include <nanobind/stl/string.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/threads.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/faults.hpp"

NB_MODULE(_chamomile, m)
{
    using namespace chamomile;
    using namespace chamomile::python;
    nb::set_leak_warnings(false); // the interpreter frees the rest at exit
    translate_faults();
    m.attr("version") = CHAMOMILE_PYTHON_VERSION;

    m.def(
        "use_threads",
        [](int n) {
            if (n < 1 || n > max_threads)
                throw Error(Fault::usage, "threads: " + std::to_string(n) + ": must be 1 to " +
                                              std::to_string(max_threads));
            use_threads(n);
        },
        nb::arg("n"),
        "Calls from this Python thread use n threads of the processor from now on, 1 to 4096; no "
        "result "
        "depends on n.");
    m.def("thread_count", &thread_count,
          "Number of processor threads for calls from this Python thread.");
    m.def(
        "devices",
        [] {
            nb::list devices;
            for (const GpuDescription& gpu : list_gpus())
                devices.append("gpu:" + std::to_string(gpu.number) + ": " + gpu.name);
            return devices;
        },
        nb::sig("def devices() -> list[str]"),
        "The usable GPUs, such as 'gpu:0: NVIDIA H200'; empty without GPUs.");
    m.def("why_no_gpu", &why_no_gpu,
          "The reason why devices() is empty, in one line; '' otherwise.");

    bind_device_array(m);
    bind_processes(m);
    bind_field(m);
    bind_batch(m);
    bind_snapshot(m);
    bind_models(m);
    bind_orbits(m);
    bind_simulation(m);
    bind_shared_particles(m);
    bind_accuracy(m);
    bind_options(m);
    bind_xla(m);
}
