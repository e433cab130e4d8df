// GPU sources generated from text laws, compiled with NVRTC, which needs no GPU. Skipped without
// NVRTC.
#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/pairs/text/device_source.hpp"
#include "chamomile/gpu/device/nvrtc.hpp"
#include "chamomile/gpu/pairs/text_source.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/text_laws.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("device_source");

namespace {

bool has_compiler()
{
    try {
        compile_for_device("law", "template <class T> __global__ void k(T) {}", "k<int>", 90);
        return true;
    } catch (const Error& error) {
        const std::string line = error.what();
        MESSAGE("skipped: no run-time compiler: " << line);
        CHECK((line.find("CUDA") != line.npos || line.find("libnvrtc") != line.npos));
        return false;
    }
}

DeviceCode compiled(const char* text, int cut, bool double_precision)
{
    const LawText law = read_law(text, "law");
    const TextSource source = text_source(device_source(law, *compile(law)), law.shape(),
                                          law.positions, cut, double_precision);
    return compile_for_device("law", source.text, source.kernel, 90);
}

} // namespace

TEST_CASE("NVRTC compiles every law")
{
    if (!has_compiler())
        return;
    for (const bool double_precision : {false, true}) {
        for (const int cut : {0, 1, 2}) {
            const DeviceCode code = compiled(gravity_text, cut, double_precision);
            CHECK(code.image.substr(1, 3) == "ELF");
            CHECK(code.kernel.find("pair_sum") != code.kernel.npos);
        }
        CHECK(compiled(everything_text, 0, double_precision).image.size() > 1000);
        CHECK(compiled("target x\nsource a\nsum s\ns += x*a", 1, double_precision).image.size() >
              1000);
    }
}

TEST_CASE("a compiler error of NVRTC becomes an error line")
{
    if (!has_compiler())
        return;
    const char* text = "template <class T> __global__ void k(T) { int a = b; }";
    CHECK(error_line([&] { compile_for_device("law", text, "k<int>", 90); }, Fault::device) ==
          "law: GPU: NVRTC: law.cu(1): error: identifier \"b\" is undefined");
    CHECK_THROWS_AS(compile_for_device("law", "", "k<int>", 20), Error);
}
