// Writes text columns with 17 significant digits, so that reading gives the same numbers. Comments
// `# key: value` hold the other data of the snapshot.
#include <charconv>
#include <string>

#include "chamomile/io/formats.hpp"
#include "chamomile/io/line_text.hpp"
#include "chamomile/io/number_text.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile {
namespace {

/// A TextWriter writes numbers and comments in the C locale.
class TextWriter {
public:
    explicit TextWriter(PendingFile& file) : file_(file) {}

    void comment(const std::string& key, const std::string& value)
    {
        text("# " + one_line(key + ": " + value) + "\n");
    }

    void text(std::string_view text) { file_.write(std::as_bytes(std::span(text))); }

    void real(double value)
    {
        char digits[40];
        const auto end =
            std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific, 16)
                .ptr;
        column({digits, end});
    }

    void vector(const Vec3<double>& v)
    {
        real(v.x);
        real(v.y);
        real(v.z);
    }

    void integer(std::uint64_t value) { column(std::to_string(value)); }

    void end_line()
    {
        text("\n");
        first_ = true;
    }

private:
    void column(std::string_view digits)
    {
        if (!first_)
            text(" ");
        text(digits);
        first_ = false;
    }

    PendingFile& file_;
    bool first_ = true;
};

/// Returns the types as runs, such as "1*40000 2*20000".
std::string type_runs(const std::vector<std::uint8_t>& type)
{
    std::string runs;
    for (std::size_t i = 0; i < type.size();) {
        std::size_t end = i;
        while (end < type.size() && type[end] == type[i])
            ++end;
        if (!runs.empty())
            runs += ' ';
        runs.append(std::to_string(int(type[i]))).append("*").append(std::to_string(end - i));
        i = end;
    }
    return runs;
}

void write_header(const Snapshot& snapshot, TextWriter& out)
{
    std::string columns = "mass x y z vx vy vz id";
    columns += snapshot.has_accelerations ? " ax ay az" : "";
    columns += snapshot.has_potentials ? " potential" : "";
    out.comment("columns", columns);
    out.comment("time", number_text(snapshot.time));
    out.comment("units", snapshot.units.description());
    if (snapshot.units.physical) {
        out.comment("unit_length_in_cm", number_text(snapshot.units.length_in_cm));
        out.comment("unit_mass_in_g", number_text(snapshot.units.mass_in_g));
        out.comment("unit_velocity_in_cm_per_s", number_text(snapshot.units.velocity_in_cm_per_s));
        out.comment("units_per_h", snapshot.units.per_hubble ? "1" : "0");
    }
    out.comment("G", number_text(snapshot.G()));
    if (snapshot.box_size != 0)
        out.comment("box_size", number_text(snapshot.box_size));
    if (const auto& frame = snapshot.comoving) {
        out.comment("scale_factor", number_text(frame->scale_factor));
        out.comment("omega_matter", number_text(frame->omega_matter));
        out.comment("omega_lambda", number_text(frame->omega_lambda));
        out.comment("hubble", number_text(frame->hubble));
        if (frame->omega_radiation != 0)
            out.comment("omega_radiation", number_text(frame->omega_radiation));
        if (frame->w0 != -1 || frame->wa != 0) {
            out.comment("w0", number_text(frame->w0));
            out.comment("wa", number_text(frame->wa));
        }
        if (frame->physical_softening != 0)
            out.comment("physical_softening", number_text(frame->physical_softening));
    }
    if (snapshot.softening) {
        out.comment("softening_kind", form_of(snapshot.softening->kind).word);
        out.comment("softening_length", number_text(snapshot.softening->length));
    }
    out.comment("types", type_runs(snapshot.particles.type));
    for (const auto& [key, value] : snapshot.provenance)
        out.comment("provenance " + key, value);
}

} // namespace

void write_text(const Snapshot& snapshot, PendingFile& file)
{
    TextWriter out(file);
    write_header(snapshot, out);
    const Particles& particles = snapshot.particles;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        out.real(particles.mass[i]);
        out.vector(particles.position[i]);
        out.vector(particles.velocity[i]);
        out.integer(particles.id[i]);
        if (snapshot.has_accelerations)
            out.vector(particles.acceleration[i]);
        if (snapshot.has_potentials)
            out.real(particles.potential[i]);
        out.end_line();
    }
}

} // namespace chamomile
