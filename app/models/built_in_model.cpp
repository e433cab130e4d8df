#include "app/models/built_in_model.hpp"

#include "app/options/options.hpp"
#include "chamomile/initial/models/exponential_disk.hpp"
#include "chamomile/initial/models/merger.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/initial/models/spheres.hpp"
#include "chamomile/initial/models/uniform.hpp"

namespace chamomile::app {
namespace {

/// A BuiltInModel maps a model's name to its maker.
struct BuiltInModel {
    const char* name;
    Snapshot (*make)(std::uint64_t particles, std::uint64_t seed);
};

constexpr BuiltInModel models[] = {
    {"plummer",
     [](std::uint64_t n, std::uint64_t seed) {
         return make_plummer({n, seed});
     }},
    {"hernquist", [](std::uint64_t n,
                     std::uint64_t seed) { return make_sphere(SphereKind::hernquist, n, seed); }},
    {"nfw",
     [](std::uint64_t n, std::uint64_t seed) { return make_sphere(SphereKind::nfw, n, seed); }},
    {"einasto",
     [](std::uint64_t n, std::uint64_t seed) { return make_sphere(SphereKind::einasto, n, seed); }},
    {"king",
     [](std::uint64_t n, std::uint64_t seed) { return make_sphere(SphereKind::king, n, seed); }},
    {"exponential",
     [](std::uint64_t n, std::uint64_t seed) {
         return make_sphere(SphereKind::exponential, n, seed);
     }},
    {"cold-sphere",
     [](std::uint64_t n, std::uint64_t seed) {
         return make_cold_sphere({n, seed});
     }},
    {"cube",
     [](std::uint64_t n, std::uint64_t seed) {
         return make_cube({n, seed});
     }},
    {"disk",
     [](std::uint64_t n, std::uint64_t seed) {
         return make_thin_disk({n, seed});
     }},
    {"galaxy",
     [](std::uint64_t n, std::uint64_t seed) {
         return make_galaxy({n, seed});
     }},
    {"merger",
     [](std::uint64_t n, std::uint64_t seed) {
         return make_merger({.galaxy = {.particles = n, .seed = seed}});
     }},
};

} // namespace

std::vector<std::string> built_in_models()
{
    std::vector<std::string> names;
    for (const BuiltInModel& model : models)
        names.emplace_back(model.name);
    return names;
}

std::string built_in_model_names()
{
    std::string list;
    for (const std::string& name : built_in_models())
        list += (list.empty() ? "" : ", ") + name;
    return list;
}

Snapshot make_built_in_model(const std::string& name, std::uint64_t particles, std::uint64_t seed)
{
    for (const BuiltInModel& model : models)
        if (name == model.name)
            return model.make(particles, seed);
    refuse_word("--model", name, built_in_models());
}

} // namespace chamomile::app
