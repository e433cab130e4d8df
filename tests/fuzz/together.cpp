// One program with all fuzz targets, far smaller than separate programs. FUZZ_TARGET selects one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using Target = int(const std::uint8_t*, std::size_t);
extern "C" Target fuzz_hdf5, fuzz_gadget2, fuzz_nemo, fuzz_tipsy, fuzz_text, fuzz_snapshot,
    fuzz_checkpoint, fuzz_law, fuzz_config, fuzz_table, fuzz_view;

namespace {

Target* chosen()
{
    const char* word = std::getenv("FUZZ_TARGET");
    const std::string_view name = word ? word : "";
    return name == "hdf5"         ? fuzz_hdf5
           : name == "gadget2"    ? fuzz_gadget2
           : name == "nemo"       ? fuzz_nemo
           : name == "tipsy"      ? fuzz_tipsy
           : name == "text"       ? fuzz_text
           : name == "snapshot"   ? fuzz_snapshot
           : name == "checkpoint" ? fuzz_checkpoint
           : name == "law"        ? fuzz_law
           : name == "config"     ? fuzz_config
           : name == "table"      ? fuzz_table
           : name == "view"       ? fuzz_view
                                  : (std::abort(), nullptr);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static Target* const target = chosen();
    return target(data, size);
}
