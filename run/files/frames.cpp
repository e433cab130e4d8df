#include "chamomile/run/files/frames.hpp"

#include <algorithm>

#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/run/structures/analysed.hpp"

namespace chamomile {
namespace {

/// Returns the asked view of frames with its pixels.
RenderOptions sized_view(const RunSettings& settings)
{
    RenderOptions view = settings.frame_view;
    if (settings.frame_size)
        view.width = view.height = *settings.frame_size;
    return view;
}

/// Returns sums over the particles of the run, which has momenta if it is comoving.
PictureSums sums_of(const Snapshot& state, LedParticles* led)
{
    const double factor = state.comoving ? 1 / state.comoving->scale_factor : 1;
    return [&particles = state.particles, led, factor](PictureRequest request) {
        request.velocity_factor = factor;
        Communicator alone;
        return led ? led->picture_sum(request, particles.type)
                   : picture_sum(request, PicturedParticles(particles), alone);
    };
}

} // namespace

Frames::Frames(const RunSettings& settings) : run_(settings), view_(sized_view(settings)) {}

void Frames::choose(const Snapshot& state, LedParticles* led)
{
    const PictureSums sums = sums_of(state, led);
    RenderOptions view = view_;
    if (view.box)
        require_box("{frame-box}", *view.box, state, "the file");
    view.box_min = 0.2; // up to box_max: 99 % of the mass of a box at redshift 0
    view.box_max = 200;
    const std::optional<double> width = view.field_of_view;
    const RenderOptions first = complete_view(state, view, sums);
    view.box = first.box;
    // Wide enough for particles that will leave the first picture.
    view.field_of_view = width.value_or((*first.box > 0 ? 1 : 1.5) * *first.field_of_view);
    view_ = complete_view(state, view, sums);
}

void Frames::write(const Snapshot& state, LedParticles* led, const RunFolder& folder)
{
    RenderOptions view = view_;
    if (view.orbit)
        view.azimuth += 360.0 * count_ / *view.orbit;
    Image image = render_snapshot(state, view, sums_of(state, led));
    if (const auto command = state.provenance.find("command"); command != state.provenance.end())
        image.texts.push_back({"Command", command->second});
    write_png(image, folder.frame(count_));
    ++count_;
}

void Frames::exchange(Archive& archive)
{
    archive("run/frames", count_);
    if (!run_.frames)
        return;
    Vec3<double> center = view_.center.value_or(Vec3<double>{});
    archive("frames/center", center);
    view_.center = center;
    archive("frames/field_of_view", view_.field_of_view);
    archive("frames/box", view_.box);
    archive("frames/types", view_.types);
    archive("frames/min", view_.min);
    archive("frames/max", view_.max);
}

} // namespace chamomile
