#include "examples/papers/field_table.hpp"

#include <algorithm>
#include <functional>

#include "app/models/built_in_model.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/gpu.hpp"

namespace chamomile::app {
namespace {

/// Arrays holds arrays in host or GPU memory.
class Arrays {
public:
    /// gpu < 0: host memory.
    explicit Arrays(int gpu) : gpu_(gpu) {}

    ArrayView read_vectors(const std::vector<Vec3<double>>& from)
    {
        return array(&from[0].x, from.size(), 3);
    }
    ArrayView numbers(const std::vector<double>& from)
    {
        return array(from.data(), from.size(), 1);
    }

private:
    ArrayView array(const double* from, std::size_t n, int components)
    {
        const std::size_t values = n * std::size_t(components), bytes = values * sizeof(double);
        ArrayView view;
        view.stride = components * std::ptrdiff_t(sizeof(double));
        view.on_device = gpu_ >= 0;
        std::byte* data;
        if (view.on_device) {
            memory_.push_back(device_memory(gpu_, bytes));
            data = memory_.back().get();
        } else {
            host_.emplace_back(from, from + values);
            data = reinterpret_cast<std::byte*>(host_.back().data());
        }
        for (int c = 0; c < components; ++c)
            view.component[c] = data + std::size_t(c) * sizeof(double);
        if (view.on_device)
            write_to_device(gpu_, from, n, view);
        return view;
    }

    int gpu_;
    std::vector<std::shared_ptr<std::byte>> memory_;
    std::vector<std::vector<double>> host_;
};

struct Timing {
    double seconds;
    ForceStatistics statistics; ///< of the last repetition
};

Timing median(int repeat, const std::function<ForceStatistics()>& work)
{
    work(); // warm-up: grows every buffer
    std::vector<double> seconds;
    Timing timing{};
    for (int r = 0; r < repeat; ++r) {
        const double start = wall_clock_seconds();
        timing.statistics = work();
        seconds.push_back(wall_clock_seconds() - start);
    }
    std::sort(seconds.begin(), seconds.end());
    timing.seconds = seconds[seconds.size() / 2];
    return timing;
}

} // namespace

Table field_table(const SolverOptions& solver, int repeat, Journal& journal)
{
    Table table({"sources", "points", "arrays", "", "ms", "bytes up", "bytes down"});
    const int gpu = choose_gpu(solver.device);
    for (const std::size_t n : {100000ul, 1000000ul}) {
        const Particles p = make_built_in_model("plummer", n, 1).particles;
        const Particles about = make_built_in_model("plummer", n, 2).particles;
        for (const bool on_device : {false, true}) {
            if (on_device && gpu < 0)
                continue;
            Arrays arrays(on_device ? gpu : -1);
            const FieldSources sources{n, arrays.read_vectors(p.position), arrays.numbers(p.mass)};
            const FieldTargets points{n, arrays.read_vectors(about.position)};
            const std::vector<Vec3<double>> none(n);
            const FieldResults results{arrays.read_vectors(none),
                                       arrays.numbers(std::vector<double>(n))};
            const auto field = make_field_solver(solver);
            const auto add = [&](const char* what, const std::function<ForceStatistics()>& work) {
                journal.show_work("measuring " + std::string(what) + ", " + std::to_string(n) +
                                  " sources");
                const Timing t = median(repeat, work);
                table.add({std::to_string(n), std::to_string(n), on_device ? "device" : "host",
                           what, formatted("%.2f", 1e3 * t.seconds),
                           std::to_string(t.statistics.bytes_to_device),
                           std::to_string(t.statistics.bytes_from_device)});
            };
            const FieldTargets one{1, points.position};
            const FieldResults first{results.acceleration, results.potential};
            add("build + 1 point", [&] {
                field->build(sources);
                return field->evaluate(one, first);
            });
            add("refit + 1 point", [&] {
                field->refit(sources);
                return field->evaluate(one, first);
            });
            add("at the points", [&] { return field->evaluate(points, results); });
            add("at the sources", [&] { return field->evaluate_sources({}, results); });
        }
    }
    return table;
}

} // namespace chamomile::app
