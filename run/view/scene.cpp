#include "chamomile/run/view/scene.hpp"

#include <cstdio>

#include "chamomile/run/view/json.hpp"

namespace chamomile {
namespace {

constexpr double kpc_in_cm = 3.085678e21, year_in_s = 3.15576e7;

} // namespace

std::string ViewScene::time_text(double file_time) const
{
    char text[96];
    if (comoving)
        std::snprintf(text, sizeof text, "z = %.3f, a = %.4f", 1 / file_time - 1, file_time);
    else
        std::snprintf(text, sizeof text, "t = %.4g %s", file_time * time_unit, time_name.c_str());
    return text;
}

ViewScene scene_of(const Snapshot& snapshot, const std::string& name)
{
    ViewScene scene;
    scene.name = name;
    scene.box = snapshot.box_size;
    scene.comoving = snapshot.comoving.has_value();
    const Units& units = snapshot.units;
    if (units.physical) {
        const double kpc = units.length_in_cm / kpc_in_cm;
        const bool mpc = kpc > 100 || kpc * scene.box > 5000;
        const std::string h = units.per_hubble ? "/h" : "";
        scene.length_unit = mpc ? kpc / 1000 : kpc;
        scene.length_name = (mpc ? "Mpc" : "kpc") + h;
        scene.time_unit = units.length_in_cm / units.velocity_in_cm_per_s / (1e9 * year_in_s);
        scene.time_name = "Gyr" + h;
        scene.speed_unit = units.velocity_in_cm_per_s / 1e5;
        scene.speed_name = "km/s";
    }
    for (const std::uint8_t type : snapshot.particles.type)
        ++scene.counts[type];
    // A halo would hide disk, bulge and stars, like in a picture.
    const bool has_inner = scene.counts[2] + scene.counts[3] + scene.counts[4] > 0;
    for (int type = 0; type < 6; ++type)
        if (scene.counts[std::size_t(type)] > 0 && (!has_inner || (type >= 2 && type <= 4)))
            scene.types.push_back(type);
    return scene;
}

std::string json_of(const ViewScene& scene)
{
    JsonObject json;
    json.add("name", scene.name).add("box", scene.box);
    json.add("lengthUnit", scene.length_unit).add("lengthName", scene.length_name);
    json.add("speedUnit", scene.speed_unit).add("speedName", scene.speed_name);
    json.add_list("counts", scene.counts).add_list("types", scene.types);
    json.add("files", scene.times.size());
    json.add("canCheckpoint", scene.can_checkpoint).add("canStop", scene.can_stop);
    return json.text();
}

} // namespace chamomile
