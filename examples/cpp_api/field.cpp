// The field of 100000 particles from C++: at the particles, at a distant point, and its errors. The
// particles and the last number printed are the same in all languages of docs/howto/embedding.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <chamomile/core/error.hpp>
#include <chamomile/force/field.hpp>

using chamomile::Vec3;

namespace {

double uniform() // random numbers of Park & Miller (1988), exact in any language
{
    static std::int64_t state = 1;
    state = 16807 * state % 2147483647;
    return double(state) / 2147483647.0;
}

std::uint64_t fnv1a(std::span<const std::byte> data)
{
    std::uint64_t hash = 14695981039346656037u;
    for (std::byte b : data)
        hash = (hash ^ std::uint64_t(b)) * 1099511628211u;
    return hash;
}

int run()
{
    const std::size_t n = 100000;
    std::vector<Vec3<double>> x(n), a(n), exact(1000);
    std::vector<double> m(n), phi(n);
    double mass = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (double* c : {&x[i].x, &x[i].y, &x[i].z}) {
            const double u = 2 * uniform() - 1;
            *c = u * u * u;
        }
        mass += m[i] = (0.5 + uniform()) / double(n);
    }

    const auto view = [](auto& v) { return chamomile::view_of(std::span(v)); };
    chamomile::SolverOptions options;
    options.softening.length = 0.01;
    const auto field = chamomile::make_field_solver(options);
    field->build({n, view(x), view(m)}); // once, for all evaluations below
    std::printf("%s\n", field->device().c_str());
    field->evaluate_sources({}, {view(a), view(phi)});

    std::vector<Vec3<double>> far = {{100, 0, 0}}, there(1);
    field->evaluate({1, view(far)}, {view(there)});
    std::printf("at 100: a r^2 / M = %.6f\n", there[0].x * 1e4 / mass);

    // The first 1000 are recomputed with direct sums in double.
    options.solver = chamomile::SolverKind::direct;
    options.precision = chamomile::Precision::double_precision;
    const auto direct = chamomile::make_field_solver(options);
    direct->build({n, view(x), view(m)});
    std::vector<chamomile::Index> some(exact.size());
    for (std::size_t k = 0; k < some.size(); ++k)
        some[k] = chamomile::Index(k);
    direct->evaluate_sources(some, {view(exact)});
    std::vector<double> errors(some.size());
    for (std::size_t k = 0; k < some.size(); ++k)
        errors[k] = norm(a[k] - exact[k]) / norm(exact[k]);
    std::ranges::sort(errors);
    std::printf("errors of 1000: median %.1e, 99 %% %.1e\n", errors[500], errors[990]);
    std::printf("accelerations %016llx\n",
                static_cast<unsigned long long>(fnv1a(std::as_bytes(std::span(a)))));
    return errors[990] < 1e-3 && std::abs(there[0].x * 1e4 / mass + 1) < 1e-3 ? 0 : 1;
}

} // namespace

int main()
{
    try {
        return run();
    } catch (const chamomile::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return int(error.fault());
    }
}
