// Runs the suites named on the command line. GPU suites are skipped (status 77) without a GPU.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstring>

#include <doctest/doctest.h>

#include "chamomile/force/gpu.hpp"

int main(int argc, char** argv)
{
    for (int a = 1; a < argc; ++a)
        if (std::strncmp(argv[a], "--test-suite=gpu_", 17) == 0 && chamomile::list_gpus().empty()) {
            std::printf("skipped: %s\n", chamomile::why_no_gpu().c_str());
            return 77;
        }
    doctest::Context context(argc, argv);
    if (chamomile::list_gpus().empty())
        context.addFilter("test-suite-exclude", "gpu_*");
    return context.run();
}
