// BatchSolver with Python arrays.
#include "chamomile/integrate/batch/batch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "interfaces/python/array.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/faults.hpp"
#include "interfaces/python/options.hpp"

namespace chamomile::python {
namespace {

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Steps = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Access = Array::Access;

/// The bodies of a call: (positions, masses, velocities, softenings, offsets).
class Bodies {
public:
    Bodies(nb::tuple given, Access access)
        : position_(Array::stacked(given[0], "positions", 3, access)),
          mass_(Array::stacked(given[1], "masses", 1, Access::read, &position_))
    {
        if (!given[2].is_none())
            velocity_ = Array::stacked(given[2], "velocities", 3, access, &position_);
        if (!given[3].is_none())
            softening_ = Array::stacked(given[3], "softenings", 1, Access::read, &position_);
        find_offsets(given[4]);
        if (access == Access::write)
            for (const Array* other : {&velocity_, &mass_, &softening_}) {
                position_.refuse_overlap(*other);
                if (other != &velocity_)
                    velocity_.refuse_overlap(*other);
            }
    }

    Batch batch() const
    {
        return {offsets_, position_.view(), velocity_.view(), mass_.view(), softening_.view()};
    }
    bool empty() const { return offsets_.size() == 1 && position_.count() == 0; }
    bool has_softenings() const { return bool(softening_); }
    const Array& position() const { return position_; }
    template <class Use>
    void for_each(const Use& use) const
    {
        for (const Array* array : {&position_, &velocity_, &mass_, &softening_})
            use(*array);
    }

private:
    void find_offsets(nb::handle given)
    {
        if (given.is_none()) {
            const auto n = std::uint64_t(position_.shape().back());
            std::uint64_t systems = 1;
            for (std::size_t k = 0; k + 1 < position_.shape().size(); ++k)
                systems *= std::uint64_t(position_.shape()[k]);
            for (std::uint64_t b = 0; b <= systems; ++b)
                offsets_.push_back(b * n);
            return;
        }
        if (position_.shape().size() != 1)
            throw Error(Fault::input, "offsets: need positions of shape (N, 3)");
        const auto numbers = nb::cast<Numbers>(given);
        for (std::size_t b = 0; b < numbers.size(); ++b) {
            if (numbers.data()[b] < 0)
                throw Error(Fault::input, "offsets: " + std::to_string(numbers.data()[b]) +
                                              ": must be 0 or more");
            offsets_.push_back(std::uint64_t(numbers.data()[b]));
        }
        if (!offsets_.empty() && offsets_.back() != position_.count())
            throw Error(Fault::input, "offsets: " + std::to_string(offsets_.back()) +
                                          ": must end with the number of bodies, " +
                                          std::to_string(position_.count()));
    }

    Array position_, mass_, velocity_, softening_;
    std::vector<std::uint64_t> offsets_;
};

/// A Systems is a solver for one thread at a time.
class Systems {
public:
    explicit Systems(nb::dict keywords)
    {
        if (!keywords.contains("solver"))
            keywords["solver"] = "direct";
        keyed_ = read_options(keywords);
        require_own_threads();
        make();
    }

    void evaluate(nb::tuple given, nb::tuple results)
    {
        ExclusiveCall call(flag_, "Batch");
        const Bodies bodies(given, Access::read);
        static constexpr const char* names[] = {"acceleration", "potential", "jerk"};
        Array into[3];
        for (std::size_t k = 0; k < 3; ++k)
            if (!results[k].is_none()) {
                into[k] = Array::stacked(results[k], names[k], k == 1 ? 1 : 3, Access::write,
                                         &bodies.position());
                require_device(into[k]);
                bodies.for_each([&](const Array& other) { into[k].refuse_overlap(other); });
                for (std::size_t j = 0; j < k; ++j)
                    into[k].refuse_overlap(into[j]);
            }
        prepare(bodies);
        if (bodies.empty())
            return;
        const Released released;
        bodies.for_each([](const Array& array) { array.wait(); });
        for (const Array& array : into)
            array.wait();
        solver_->evaluate(bodies.batch(), {into[0].view(), into[1].view(), {}, into[2].view()});
    }

    void advance(nb::tuple given, const std::string& scheme, Steps lengths, std::int64_t steps)
    {
        ExclusiveCall call(flag_, "Batch");
        if (scheme != "leapfrog" && scheme != "hermite")
            throw Error(Fault::usage, "scheme: " + scheme + ": must be leapfrog or hermite");
        if (steps < 0)
            throw Error(Fault::usage, "steps: " + std::to_string(steps) + ": must be 0 or more");
        const Bodies bodies(given, Access::write);
        prepare(bodies);
        if (bodies.empty())
            return;
        const Released released;
        bodies.for_each([](const Array& array) { array.wait(); });
        solver_->advance(bodies.batch(),
                         {scheme == "hermite" ? BatchScheme::hermite : BatchScheme::leapfrog,
                          {lengths.data(), lengths.size()},
                          std::uint64_t(steps)});
    }

    std::string device() { return solver_->device(); }
    nb::dict options() const { return describe_options(solver_->options()); }

private:
    void make()
    {
        solver_ = std::make_unique<BatchSolver>(keyed_.options);
        gpu_ = first_gpu(solver_->options().device);
    }

    /// Checks devices, and remakes the solver if softenings are given now and were not, or the
    /// other way round.
    void prepare(const Bodies& bodies)
    {
        bodies.for_each([&](const Array& array) { require_device(array); });
        if (bodies.has_softenings() == keyed_.options.softening.per_particle)
            return;
        KeyedOptions wanted = keyed_;
        wanted.set_softenings(bodies.has_softenings());
        std::swap(keyed_, wanted);
        try {
            make();
        } catch (...) {
            std::swap(keyed_, wanted);
            throw;
        }
    }

    void require_device(const Array& array) const { require_gpu(array.gpu(), gpu_, "batch"); }

    KeyedOptions keyed_;
    std::unique_ptr<BatchSolver> solver_;
    ExclusiveCall::Flag flag_;
    int gpu_ = -1;
};

} // namespace

void bind_batch(nb::module_& m)
{
    nb::class_<Systems>(m, "Systems", "The solver behind chamomile.Batch.")
        .def(nb::init<nb::dict>(), nb::arg("options"))
        .def("evaluate", &Systems::evaluate, nb::arg("bodies"), nb::arg("results"))
        .def("advance", &Systems::advance, nb::arg("bodies"), nb::arg("scheme"), nb::arg("lengths"),
             nb::arg("steps"))
        .def_prop_ro("device", &Systems::device)
        .def_prop_ro("options", &Systems::options,
                     nb::sig("def options(self) -> dict[str, object]"));
    m.def(
        "describe_stack",
        [](nb::handle object, const std::string& name) {
            const Array array = Array::stacked(object, name, 3, Access::read);
            return std::tuple(nb::steal(PySequence_Tuple(nb::cast(array.shape()).ptr())),
                              array.view().scalar == Scalar::float32 ? 4 : 8, array.gpu());
        },
        nb::arg("array").none(), nb::arg("name"),
        "Shape without components, bytes of a number and GPU (-1: host) of stacked vectors.");
}

} // namespace chamomile::python
