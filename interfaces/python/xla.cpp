// Gravity and its gradient as operators of XLA, for jax.ffi. They run on XLA's threads, without
// Python.
#include <nanobind/stl/string.h>

#include "interfaces/python/bindings.hpp"

#if __has_include(<xla/ffi/api/ffi.h>)
#include <deque>
#include <mutex>
#include <random>

#include <xla/ffi/api/ffi.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/gpu_memory.hpp"
#include "chamomile/force/lists/strided_io.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/threads.hpp"
#include "interfaces/python/array.hpp"
#include "interfaces/python/faults.hpp"
#include "interfaces/python/options.hpp"
#endif

namespace chamomile::python {

#if __has_include(<xla/ffi/api/ffi.h>)
namespace {

namespace ffi = xla::ffi;
using Buffer = ffi::AnyBuffer;

/// A BuiltField is a solver with sources. The mark is unique to this build; 0: not built.
struct BuiltField {
    std::string options;
    std::uint64_t mark = 0;
    std::unique_ptr<FieldSolver> solver;
};

/// The solvers between calls, most recent first, from any thread. A backward pass finds the tree of
/// the forward pass by its mark, or builds it again.
class Pool {
public:
    /// Returns the solver with this mark; else, if the pool is full, the least recent one with
    /// these options, which has mark 0; else none.
    BuiltField take(const std::string& options, std::uint64_t mark)
    {
        const std::lock_guard lock(mutex_);
        auto found = kept_.end();
        for (auto k = kept_.begin(); k != kept_.end(); ++k)
            if (k->options == options && (found == kept_.end() || found->mark != mark))
                found = k;
        if (found == kept_.end() || (found->mark != mark && kept_.size() < max_kept))
            return {options, 0, nullptr};
        BuiltField field = std::move(*found);
        kept_.erase(found);
        if (field.mark != mark)
            field.mark = 0;
        return field;
    }

    void put(BuiltField field)
    {
        const std::lock_guard lock(mutex_);
        kept_.push_front(std::move(field));
        if (kept_.size() > max_kept)
            kept_.pop_back();
    }

    std::uint64_t new_mark()
    {
        const std::lock_guard lock(mutex_);
        last_mark_ = last_mark_ % (half_mark * half_mark - 1) + 1; // not 0
        return last_mark_;
    }

    /// A mark is two whole numbers below this one, which float32 holds: JAX has no 64 bits by
    /// default.
    static constexpr std::uint64_t half_mark = 1 << 24;

private:
    static constexpr std::size_t max_kept = 4;

    std::mutex mutex_;
    std::deque<BuiltField> kept_;
    std::uint64_t last_mark_ = std::random_device()();
};

Pool& pool()
{
    static Pool& only = *new Pool; // not destroyed: at exit CUDA ends first
    return only;
}

/// Makes the solver of options_text() for these sources.
std::unique_ptr<FieldSolver> make_field(const std::string& text, const FieldSources& sources)
{
    KeyedOptions keyed;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t is = text.find('=', at), end = text.find('\n', at);
        keyed.take(text.substr(at, is - at), text.substr(is + 1, end - is - 1));
        at = end + 1;
    }
    keyed.resolve();
    keyed.set_softenings(bool(sources.softening));
    keyed.options.ranks = nullptr;
    SolverOptions options =
        keyed.options.accuracy ? options_for(sources, keyed.options) : keyed.options;
    options.accuracy.reset();
    return make_field_solver(options);
}

/// A Call has the arguments positions (..., N, 3), masses (..., N), and softenings (..., N) or
/// (..., 0): systems of N bodies.
class Call {
public:
    /// `stream`: of XLA, on a GPU; none: arrays are on the host.
    Call(std::optional<void*> stream, std::string_view options, std::int64_t threads,
         const ffi::RemainingArgs& given)
        : in_use_(int(threads)), position_(*given.get<Buffer>(0)), mass_(*given.get<Buffer>(1)),
          softening_(*given.get<Buffer>(2)), options_(options)
    {
        require_own_threads();
        const auto shape = position_.dimensions();
        rows_ = std::size_t(shape[shape.size() - 2]);
        systems_ = position_.element_count() / std::max<std::size_t>(3 * rows_, 1);
        if (stream && systems_ > 0) {
            gpu_ = gpu_of(position_.untyped_data());
            wait_for_stream(gpu_, reinterpret_cast<std::uintptr_t>(*stream));
        }
        if (("\n" + options_).find("\ndevice=") == std::string::npos)
            options_ += "device=" + device() + "\n";
    }

    /// Calls work(field, k) for each system k. `wanted`: marks of earlier builds; null: none.
    template <class Work>
    void for_each_system(const Buffer* wanted, const Work& work)
    {
        for (std::size_t k = 0; k < systems_; ++k) {
            const std::vector<double> lengths =
                softening_.element_count() > 0 ? read_rows(view(softening_, k), rows_, 1, device())
                                               : std::vector<double>();
            const std::string key = options_ + (lengths.empty() ? "" : "per particle");
            std::uint64_t mark = 0;
            if (wanted) {
                const std::vector<double> halves = read_rows(marks(*wanted, k), 2, 1, device());
                mark = std::uint64_t(halves[0]) * Pool::half_mark + std::uint64_t(halves[1]);
            }
            BuiltField field = pool().take(key, mark);
            const FieldSources sources{
                rows_, view(position_, k), view(mass_, k), {}, view_of(std::span(lengths))};
            if (!field.solver)
                field.solver = make_field(options_, sources);
            if (gpu_ >= 0)
                require_gpu(gpu_, first_gpu(field.solver->options().device), "solver");
            if (field.mark == 0) {
                field.solver->build(sources);
                field.mark = pool().new_mark();
            }
            work(field, k);
            pool().put(std::move(field));
        }
    }

    /// Returns views of the accelerations and potentials of system k; one is empty.
    std::pair<ArrayView, ArrayView> fields(const Buffer& buffer, std::size_t k) const
    {
        const ArrayView one = view(buffer, k), none;
        return one.components() == 3 ? std::pair(one, none) : std::pair(none, one);
    }

    /// Returns a view of system k in a buffer (..., N) or (..., N, 3).
    ArrayView view(const Buffer& buffer, std::size_t k) const
    {
        const bool is_vector = buffer.dimensions().size() == position_.dimensions().size();
        return row_view(buffer, is_vector ? 3 : 1).from(k * rows_);
    }

    /// Returns a view of the mark of system k in a buffer (..., 2).
    ArrayView marks(const Buffer& buffer, std::size_t k) const
    {
        return row_view(buffer, 1).from(2 * k);
    }

    std::string device() const { return gpu_ < 0 ? "cpu" : "gpu:" + std::to_string(gpu_); }

private:
    ArrayView row_view(const Buffer& buffer, int components) const
    {
        const bool is_float = buffer.element_type() == ffi::DataType::F32;
        ArrayView view;
        view.scalar = is_float ? Scalar::float32 : Scalar::float64;
        view.on_device = gpu_ >= 0;
        view.stride = components * (is_float ? 4 : 8);
        for (int c = 0; c < components; ++c)
            view.component[c] =
                static_cast<std::byte*>(buffer.untyped_data()) + c * (is_float ? 4 : 8);
        return view;
    }

    ThreadsInUse in_use_;
    Buffer position_, mass_, softening_;
    std::string options_;
    std::size_t rows_ = 0, systems_ = 0;
    int gpu_ = -1;
};

/// Runs work; no exception may reach XLA.
template <class Work>
ffi::Error error_of(const Work& work)
{
    try {
        work();
        return ffi::Error::Success();
    } catch (const Error& error) {
        return ffi::Error::InvalidArgument(in_python(error.line()));
    } catch (const std::exception& error) {
        return ffi::Error::Internal(error.what());
    }
}

/// Computes from (positions, masses, softenings) the accelerations or potentials, by the shape of
/// the first result, and the marks of the builds.
ffi::Error sums(std::optional<void*> stream, std::string_view options, std::int64_t threads,
                ffi::RemainingArgs given, ffi::RemainingRets results)
{
    return error_of([&] {
        Call call(stream, options, threads, given);
        const Buffer field = **results.get<Buffer>(0), marks = **results.get<Buffer>(1);
        call.for_each_system(nullptr, [&](const BuiltField& built, std::size_t k) {
            const auto [acceleration, potential] = call.fields(field, k);
            built.solver->evaluate_sources({}, {acceleration, potential});
            write_rows({double(built.mark / Pool::half_mark), double(built.mark % Pool::half_mark)},
                       2, call.marks(marks, k), call.device());
        });
    });
}

/// Computes dL/dx and dL/dm from (positions, masses, softenings, marks, dL/da or dL/dphi).
ffi::Error gradients(std::optional<void*> stream, std::string_view options, std::int64_t threads,
                     ffi::RemainingArgs given, ffi::RemainingRets results)
{
    return error_of([&] {
        Call call(stream, options, threads, given);
        const Buffer marks = *given.get<Buffer>(3), of_field = *given.get<Buffer>(4),
                     of_position = **results.get<Buffer>(0), of_mass = **results.get<Buffer>(1);
        call.for_each_system(&marks, [&](const BuiltField& built, std::size_t k) {
            const auto [acceleration, potential] = call.fields(of_field, k);
            built.solver->evaluate_adjoint({acceleration, potential},
                                           {call.view(of_position, k), call.view(of_mass, k)});
        });
    });
}

template <class Binding>
auto signature(Binding&& binding)
{
    return std::move(binding)
        .template Attr<std::string_view>("options")
        .template Attr<std::int64_t>("threads")
        .RemainingArgs()
        .RemainingRets();
}

using OnGpu = ffi::PlatformStream<void*>;

} // namespace

void bind_xla(nb::module_& m)
{
    m.attr("xla_minor") = XLA_FFI_API_MINOR;
    m.def(
        "xla_targets",
        [] {
            XLA_FFI_DEFINE_HANDLER(
                host_sums, [](auto... given) { return sums(std::nullopt, given...); },
                (signature(ffi::Ffi::Bind())));
            XLA_FFI_DEFINE_HANDLER(
                gpu_sums, [](auto... given) { return sums(given...); },
                (signature(ffi::Ffi::Bind().Ctx<OnGpu>())));
            XLA_FFI_DEFINE_HANDLER(
                host_gradients, [](auto... given) { return gradients(std::nullopt, given...); },
                (signature(ffi::Ffi::Bind())));
            XLA_FFI_DEFINE_HANDLER(
                gpu_gradients, [](auto... given) { return gradients(given...); },
                (signature(ffi::Ffi::Bind().Ctx<OnGpu>())));
            const auto target = [](const char* name, const char* platform,
                                   XLA_FFI_Handler* handler) {
                return nb::make_tuple(name, nb::capsule(reinterpret_cast<void*>(handler)),
                                      platform);
            };
            return nb::make_tuple(target("chamomile_sums", "cpu", host_sums),
                                  target("chamomile_sums", "CUDA", gpu_sums),
                                  target("chamomile_gradients", "cpu", host_gradients),
                                  target("chamomile_gradients", "CUDA", gpu_gradients));
        },
        nb::sig("def xla_targets() -> tuple[tuple[str, object, str], ...]"),
        "Name, handler and platform of each operator of XLA; absent if built without JAX.");
    m.def(
        "xla_options",
        [](nb::dict keywords, bool has_softenings) {
            read_options(keywords).set_softenings(has_softenings);
            std::string text;
            for (auto [name, value] : keywords) {
                const std::string key = nb::cast<std::string>(name);
                if (!value.is_none())
                    text +=
                        key + '=' + option_text(*find_row(force_options(), key), key, value) + '\n';
            }
            return text;
        },
        nb::arg("options"), nb::arg("has_softenings"), "The options as one text, after checks.");
}
#else
void bind_xla(nb::module_&) {}
#endif

} // namespace chamomile::python
