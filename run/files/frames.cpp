#include "chamomile/run/files/frames.hpp"

#include <algorithm>

#include "chamomile/run/structures/analysed.hpp"
#include "chamomile/run/structures/comoving_run.hpp"

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

/// Returns the view shared by all frames of a run, wide enough for particles that will leave the
/// first picture.
RenderOptions first_view(const Snapshot& state, const RunSettings& settings)
{
    RenderOptions view = sized_view(settings);
    if (view.box)
        require_box("{frame-box}", *view.box, state, "the file");
    view.box_min = 0.2; // up to box_max: 99 % of the mass of a box at redshift 0
    view.box_max = 200;
    const std::optional<double> width = view.field_of_view;
    const RenderOptions first = complete_view(state, view);
    view.box = first.box;
    view.field_of_view = width.value_or((*first.box > 0 ? 1 : 1.5) * *first.field_of_view);
    return complete_view(state, view);
}

/// Calls draw() with peculiar velocities if the pictures show any.
template <class Draw>
void with_velocities(Snapshot& state, const RunSettings& settings, const Draw& draw)
{
    const Pictured quantity = settings.frame_view.quantity;
    if (quantity != Pictured::velocity && quantity != Pictured::dispersion)
        return draw();
    const PeculiarVelocities of_frame(state);
    draw();
}

} // namespace

Frames::Frames(const RunSettings& settings) : run_(settings), view_(sized_view(settings)) {}

void Frames::choose(Snapshot& state)
{
    RunSettings settings = run_;
    if (shows_potentials()) {
        settings.frame_view.quantity = Pictured::density;
        settings.frame_view.min = settings.frame_view.max = {};
    }
    with_velocities(state, run_, [&] { view_ = first_view(state, settings); });
}

void Frames::write(Snapshot& state, const RunFolder& folder)
{
    if (count_ == 0 && shows_potentials())
        view_ = first_view(state, run_);
    RenderOptions view = view_;
    if (view.orbit)
        view.azimuth += 360.0 * count_ / *view.orbit;
    with_velocities(state, run_, [&] {
        Image image = render_snapshot(state, view);
        if (const auto command = state.provenance.find("command");
            command != state.provenance.end())
            image.texts.push_back({"Command", command->second});
        write_png(image, folder.frame(count_));
    });
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
