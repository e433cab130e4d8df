// Text laws on the first GPU. The suite is skipped without a GPU.
#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "tests/unit/text_law_behaviours.hpp"
#include "tests/unit/text_laws.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_law_text");

TEST_CASE("text laws match built-in laws and plain double sums up to rounding")
{
    check_text_laws({"gpu"});
}

TEST_CASE("setting a parameter needs no new compilation and affects new solvers only")
{
    TextLaw law("target x\nsource a\nsum s\nparameter p = 2\ns += p*x*a", "law");
    const double target = 3, source = 5;
    double sum = 0;
    const auto before = make_pair_solver(law, pair_options({"gpu"}, Precision::single_precision));
    law.set("p", 7);
    const auto after = make_pair_solver(law, pair_options({"gpu"}, Precision::single_precision));
    before->sum({{&target, 1}, {&source, 1}, {}, {}}, {&sum, 1});
    CHECK(sum == 30);
    after->sum({{&target, 1}, {&source, 1}, {}, {}}, {&sum, 1});
    CHECK(sum == 105);
}
