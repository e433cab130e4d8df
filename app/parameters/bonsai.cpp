// Options of Bonsai. Its parameter file is its command line. Bonsai's defaults apply to options not
// given.
#include "app/parameters/parameter_file.hpp"
#include "chamomile/core/number_text.hpp"

namespace chamomile::app {
namespace {

constexpr ParameterRow rows[] = {
    {"infile", Meaning::option, "FILE"},
    {"dt", Meaning::read},
    {"tend", Meaning::read},
    {"eps", Meaning::read},
    {"theta", Meaning::read},
    {"snapiter", Meaning::read},
    {"direct", Meaning::read},
    {"reducebodies", Meaning::read},
    {"rmdist", Meaning::read},
    {"killdist", Meaning::read},
    {"iend", Meaning::refused},
    {"restart", Meaning::refused},
    {"bonsaifile", Meaning::refused},
    {"plummer", Meaning::refused},
    {"milkyway", Meaning::refused},
    {"sphere", Meaning::refused},
    {"cube", Meaning::refused},
    {"diskmode", Meaning::refused},
    {"rebuild", Meaning::nothing},
    {"snapname", Meaning::nothing},
    {"valueadd", Meaning::nothing},
    {"logfile", Meaning::nothing},
    {"log", Meaning::nothing},
    {"prepend-rank", Meaning::nothing},
    {"dev", Meaning::nothing},
    {"renderdev", Meaning::nothing},
    {"quickdump", Meaning::nothing},
    {"quickratio", Meaning::nothing},
    {"noquicksync", Meaning::nothing},
    {"usempiio", Meaning::nothing},
    {"mwfork", Meaning::nothing},
    {"taskvar", Meaning::nothing},
    {"seed", Meaning::nothing},
    {"reducedust", Meaning::nothing},
    {"fullscreen", Meaning::nothing},
    {"displayfps", Meaning::nothing},
    {"Tglow", Meaning::nothing},
    {"dTglow", Meaning::nothing},
    {"stereo", Meaning::nothing},
    {"mpirendermode", Meaning::nothing},
};

} // namespace

Translation translate_bonsai(ParameterFile& p)
{
    for (const char* key : {"plummer", "milkyway", "sphere", "cube"})
        if (p.has(key))
            p.refuse(key, "models are made by 'chamomile model'; give their FILE with -i");
    if (p.has("iend"))
        p.refuse("iend", "a run ends at a time: give -T instead");
    if (p.number("reducebodies").value_or(1) != 1)
        p.refuse("reducebodies", "'chamomile convert --thin N' makes such a file");
    for (const char* key : {"rmdist", "killdist"})
        if (p.number(key).value_or(-1) > 0)
            p.refuse(key, "particles are not removed here");
    const struct {
        const char *key, *option;
        double value;
    } defaults[] = {{"dt", "dt", 1.0 / 16}, {"tend", "t-end", 1}, {"eps", "eps", 0.05}};
    for (const auto& [key, option, value] : defaults)
        p.give(key, option, p.number(key).value_or(value));
    p.give("eps", "softening", "plummer");
    if (p.is_on("direct"))
        p.give("direct", "solver", "direct");
    else
        p.give("theta", "theta", p.number("theta").value_or(0.75));
    if (p.number("snapiter").value_or(-1) > 0)
        p.give("snapiter", "snapshot-every", *p.number("snapiter"));
    return p.translated("Bonsai", rows, false);
}

} // namespace chamomile::app
