// Text laws: language semantics, refusals, and sums against plain loops and built-in laws.
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/force/pairs/text/text_law.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/text_law_behaviours.hpp"
#include "tests/unit/text_laws.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("law_text");

namespace {

/// Returns the error line for a text; empty for a valid law.
std::string error_of(const std::string& text)
{
    return error_line([&] { TextLaw(text, "law"); }, Fault::input);
}

/// Returns one source's effect at (a, b) on one target at (x, y), for an expression in x, y, a, b
/// and the parameter p.
double value_of(const std::string& expression, double x = 0.75, double y = -2, double a = 3,
                double b = 0.5)
{
    const TextLaw law("target x y; source a b; sum s; parameter p = 4\ns += " + expression, "law");
    const double target[] = {x, y}, source[] = {a, b};
    double plain = 0, host[2] = {};
    add_pair(law.text(), law.parameters(), target, source, std::span(&plain, 1));
    for (const bool precise : {false, true}) {
        PairOptions options;
        options.device = "cpu";
        options.precision = precise ? Precision::double_precision : Precision::single_precision;
        make_pair_solver(law, options)->sum({target, source, {}, {}}, std::span(host + precise, 1));
    }
    CAPTURE(expression);
    CHECK(host[1] == doctest::Approx(plain).epsilon(1e-14));
    CHECK(host[0] == doctest::Approx(plain).epsilon(1e-6));
    return plain;
}

} // namespace

TEST_CASE("expressions follow the rules of arithmetic")
{
    const double x = 0.75, y = -2, a = 3, b = 0.5, p = 4;
    const auto is = [](const char* expression, double expected) {
        CAPTURE(expression);
        CHECK(value_of(expression) == doctest::Approx(expected).epsilon(1e-15));
    };
    is("x + y*a", x + y * a);
    is("(x + y)*a", (x + y) * a);
    is("x - y - a", x - y - a);
    is("x - (y - a)", x - (y - a));
    is("x/y/a", x / y / a);
    is("x/(y/a)", x / (y / a));
    is("-x^2", -x * x);
    is("(-x)^2", x * x);
    is("a^b^y", std::pow(a, std::pow(b, y)));
    is("a**3", a * a * a);
    is("a^-2", 1 / (a * a));
    is("a^0 + a^1", 1 + a);
    is("a^2.5", std::pow(a, 2.5));
    is("a^-1.5", std::pow(a, -1.5));
    is("a^0.3", std::pow(a, 0.3));
    is("x^7", std::pow(x, 7));
    is("--x + +y", x + y);
    is("2e-1*x + .5 + 1.", 0.2 * x + 1.5);
    is("pow(a, x)", std::pow(a, x));
    is("sqrt(a) + rsqrt(b)", std::sqrt(a) + 1 / std::sqrt(b));
    is("x/sqrt(a) + 1/rsqrt(b)", x / std::sqrt(a) + std::sqrt(b));
    is("exp(x) + log(a)", std::exp(x) + std::log(a));
    is("sin(x)*cos(a)", std::sin(x) * std::cos(a));
    is("abs(y) + min(x, a) + 10*max(x, a)", 2 + 0.75 + 30);
    is("2*pi*p", 2 * 3.14159265358979323846 * p);
    is("x/p + p/a", x / p + p / a);
    is("exp(x)*exp(a)", std::exp(x) * std::exp(a));
    is("target.x - source.b", x - b);
    is("i[0]*j[1]", x * b);
    is("1.5", 1.5);
    is("a", a);
    is("y", y);
    is("select(x < a, 1, 2) + 10*select(x > a, 1, 2)", 21);
    is("select(x <= 0.75, 1, 2) + 10*select(x >= 0.75, 1, 2)", 11);
    is("select(a == 3, x, y) + 10*select(a != 3, x, y)", 0.75 - 20);
    is("select(x < a and b < x, a, b)", a);
    is("select(x > a or b > x or not (a > 1), a, b)", b);
    is("select(x < a, select(y < b, 5, 6), 7)", 5);
    is("select(p > 3, a*x, b)", a * x);
    is("select(b < 1, a*x, b)", a * x);
    is("select(y < -1 and b < 1, a*x, b)", a * x);
    is("x*x + y*y + a*x + p", x * x + y * y + a * x + p);
    is("x*a - y*b", x * a - y * b);
    is("-(x*a) - y*b - p", -(x * a) - y * b - p);
    is("p - x*a", p - x * a);
    is("a*x - p", a * x - p);
    is("(x*a)^2 + (y*b)^2 + (x*b)^2 + a*y",
       std::pow(x * a, 2) + b * b * y * y + x * x * b * b + a * y);
    is("(x + a)*(x + a) - (y - a)*(x + a)", (x + a) * (x + a) - (y - a) * (x + a));
    is("1/(x*a) + 1/(y + b)", 1 / (x * a) + 1 / (y + b));
}

TEST_CASE("sums accept several lines with either sign")
{
    const TextLaw law("target x\nsource a\nsum s t\n"
                      "s += x*a\nt -= a\ns -= 2*x\nt -= x*a\ns += 1\n",
                      "law");
    const std::vector<double> targets = {2, 3}, sources = {10, 20, 30};
    std::vector<double> sums(4);
    make_pair_solver(law)->sum({targets, sources, {}, {}}, sums);
    CHECK(sums == std::vector<double>{2 * 60 - 12 + 3, -60 - 120, 3 * 60 - 18 + 3, -60 - 180});
}

TEST_CASE("parameters can be set by name")
{
    TextLaw law(
        "target x\nsource a\nsum s\nparameter eps = 1/256\nparameter q = 2*pi\ns += eps*x*a + q",
        "law");
    CHECK(law.parameters() == std::vector<double>{1.0 / 256, 2 * 3.14159265358979323846});
    law.set("q", 0.5);
    law.set("eps", 3);
    const double target = 2, source = 5;
    double sum = 0;
    make_pair_solver(law)->sum({{&target, 1}, {&source, 1}, {}, {}}, {&sum, 1});
    CHECK(sum == 30.5);
    CHECK_THROWS_WITH_AS(law.set("epss", 1),
                         "law: parameter epss: unknown; did you mean 'eps'?: must be one of eps, q",
                         Error);
    CHECK_THROWS_WITH_AS(law.set("q", NAN), "law: parameter q: must be finite", Error);
}

TEST_CASE("a dimensions line declares numbered values without names")
{
    // The first example in Hamada & Iitaka (2007): 4 target values, 4 source values, 3 sums.
    const TextLaw numbered("dimensions 4 4 3 positions\n"
                           "dx = j[0] - i[0]\ndy = j[1] - i[1]\ndz = j[2] - i[2]\n"
                           "w = j[3]*(dx*dx + dy*dy + dz*dz + i[3])^-1.5\n"
                           "f[0] += w*dx\nf[1] += w*dy\nf[2] += w*dz",
                           "numbered");
    CHECK(numbered.code().positions);
    CHECK(numbered.code().shape.target == 4);
    CHECK(numbered.code().shape.source == 4);
    CHECK(numbered.code().shape.sum == 3);
    const auto targets = random_rows(20, 4, 1), sources = random_rows(33, 4, 2);
    std::vector<double> sums(60), plain(60);
    for (std::size_t i = 0; i < 20; ++i)
        for (std::size_t j = 0; j < 33; ++j) {
            double r2 = targets[4 * i + 3];
            for (std::size_t k = 0; k < 3; ++k)
                r2 += std::pow(sources[4 * j + k] - targets[4 * i + k], 2);
            for (std::size_t k = 0; k < 3; ++k)
                plain[3 * i + k] += sources[4 * j + 3] / (r2 * std::sqrt(r2)) *
                                    (sources[4 * j + k] - targets[4 * i + k]);
        }
    PairOptions options;
    options.precision = Precision::double_precision;
    make_pair_solver(numbered, options)->sum({targets, sources, {}, {}}, sums);
    for (std::size_t k = 0; k < 60; ++k)
        CHECK(std::abs(sums[k] - plain[k]) < 1e-13 * (1 + std::abs(plain[k])));
}

TEST_CASE("text laws match built-in laws up to rounding")
{
    for (const std::string& set : instruction_sets()) {
        CAPTURE(set);
        check_text_laws({"cpu", set});
    }
}

TEST_CASE("a malformed text gives an error line with its position")
{
    const std::string rows = "target position x y z\nsource position x y z, m\nsum a phi\n";
    const std::string plain = "target x\nsource x m\nsum a\n";
    const auto tells = [](const std::string& text, const std::string& expected) {
        CAPTURE(text);
        const std::string line = error_of(text);
        CAPTURE(line);
        CHECK(line.starts_with("law: " + expected));
        CHECK(line.find('\n') == line.npos);
    };
    // The whole text.
    tells("", "line 1, column 1: empty law: must have lines of target, source and sum");
    tells("# nothing\n\n",
          "line 1, column 1: empty law: must have lines of target, source and sum");
    tells("target x\nsource m\n", "line 3, column 1: no 'sum' line");
    tells(rows + "phi += m\n", "line 3, column 5: a: sum without terms");
    tells("a = 1\n" + plain,
          "line 1, column 1: no 'target' line: target, source and sum must be declared");
    tells(plain + "a += m\nparameter p = 1\n", "line 5, column 1: 'parameter': must be before");
    // Characters and numbers.
    tells(plain + "a += m $ 2", "line 4, column 8: '$': must be a character");
    tells(plain + "a += m \xc3\x97 2", "line 4, column 8: '\xc3\x97': must be a character");
    tells(plain + "a += m \x01 2", "line 4, column 8: byte 0x01: must be a character");
    tells(plain + "a += 1e999*m", "line 4, column 6: 1e999: must be from 2.3e-308 to 1.79e308");
    tells(plain + "a += 2m", "line 4, column 6: 2m: must be a number");
    tells(plain + "a += 1.2.3", "line 4, column 6: 1.2.3: must be a number");
    tells(plain + "a += 1/0", "line 4, column 6: constant: must be finite");
    // Declarations.
    tells("target x x\n", "line 1, column 10: 'x': is a value of the target already");
    tells("target x\ntarget y\n", "line 2, column 1: 'target': declared twice");
    tells("target x\nsum x\n",
          "line 2, column 5: 'x': is a value of the target already: a sum needs");
    tells("parameter p = 1\nparameter p = 2\n", "line 2, column 11: 'p': is a parameter already");
    tells("parameter sqrt = 1\n", "line 1, column 11: 'sqrt': is a reserved word already");
    tells("parameter p\n", "line 1, column 12: missing '=' and default of p");
    tells("parameter p = q\n", "line 1, column 15: 'q': unknown name");
    tells("target x\nparameter p = x\n", "line 2, column 15: default of p: must be a constant");
    tells("target\n", "line 1, column 1: 'target': no names: must be at least one");
    tells("target 3\n", "line 1, column 8: '3': must be the name of a value of the target");
    tells("target position x y\n", "line 1, column 8: 'position': must be followed by three names");
    tells("target v position x y z\n", "line 1, column 10: 'position': must be before");
    tells("target position x y z\nsource m\nsum a\na += m",
          "line 2, column 1: 'position' only in the target");
    tells("dimensions 1 2\n",
          "line 1, column 15: the end of the line: must be three whole numbers from 1 to 32");
    tells("dimensions 1 2 99\n",
          "line 1, column 16: '99': must be three whole numbers from 1 to 32");
    tells("dimensions 2 2 1\n" + plain + "a += m",
          "line 2, column 1: 'target': 1 names: must be 2, by the dimensions of line 1");
    tells("targett x\n", "line 1, column 1: 'targett': must begin a declaration or an assignment; "
                         "did you mean 'target'?");
    tells("3 = x\n", "line 1, column 1: '3': must be a declaration");
    // Names.
    tells(plain + "a += mm", "line 4, column 6: 'mm': unknown name");
    tells("target x\nsource mass\nsum a\na += mas",
          "line 4, column 6: 'mas': unknown name; did you mean 'mass'?");
    tells(plain + "a += x", "line 4, column 6: 'x': ambiguous: must be target.x or source.x");
    tells(plain + "a += target.m", "line 4, column 13: 'm': unknown value of the target");
    tells(plain + "a += a*m", "line 4, column 6: 'a': a sum: must be used");
    tells(plain + "m = 3", "line 4, column 1: 'm': is a value of the source: cannot be assigned");
    tells(plain + "r = m\nr = 2*m",
          "line 5, column 1: 'r': is computed above: must be another name");
    tells(plain + "a = m", "line 4, column 3: '=': a is a sum: must be += or -=");
    tells(plain + "b += m", "line 4, column 1: 'b': not a sum: must be a sum before += and -=");
    tells(plain + "f[1] += m", "line 4, column 3: '1': must be a whole number from 0 to 0");
    tells(plain + "a += j[2]", "line 4, column 8: '2': must be a whole number from 0 to 1");
    tells(plain + "a += j[0.5]", "line 4, column 8: '0.5': must be a whole number");
    // Expressions.
    tells(plain + "a += sqrt(m",
          "line 4, column 12: ')' is missing before the end of the line for the '(' of column 10");
    tells(plain + "a += (m + 1\nb = 3", "line 4, column 12: ')' is missing");
    tells(plain + "a += m)", "line 4, column 7: ')' without its '('");
    tells(plain + "a += m *",
          "line 4, column 9: the end of the line: must be a number, a name or '('");
    tells(plain + "a += m m", "line 4, column 8: 'm': operator missing before it");
    tells(plain + "a += m (2)", "line 4, column 8: '(' after 'm', not a function");
    tells(plain + "a += sqrt(m, 2)", "line 4, column 6: sqrt: 2 arguments: must be 1");
    tells(plain + "a += select(m < 1, 2)", "line 4, column 6: select: 2 arguments: must be 3");
    tells(plain + "a += sqrtt(m)",
          "line 4, column 6: 'sqrtt': unknown function; did you mean 'sqrt'?");
    tells(plain + "a += sqrt m", "line 4, column 6: 'sqrt': a function: '(' missing after it");
    tells(plain + "a += m < 1", "line 4, column 6: condition: must be a number");
    tells(plain + "a += 2*(m < 1)", "line 4, column 8: condition: must be a number");
    tells(plain + "a += select(m, 1, 2)", "line 4, column 13: number: must be a condition");
    tells(plain + "a += select(0 < m < 1, 1, 2)",
          "line 4, column 19: conditions: cannot be chained");
    tells(plain + "a = = m", "line 4, column 3: '=': a is a sum");
    tells(plain + "a += " + std::string(300, '(') + "m" + std::string(300, ')'),
          "line 4, column 106: nested too deep");
    // Positions.
    tells(rows + "a += source.x*m", "line 4, column 6: x of the source is a coordinate of a "
                                    "position: must be used in a difference, source.x - target.x");
    tells(rows + "a += source.x - target.y", "line 4, column 6: x of the source is a coordinate");
    tells(rows + "d = target.x\na += 2*d", "line 5, column 8: x of the target is a coordinate");
}

TEST_CASE("a law can use either difference of positions")
{
    const TextLaw law("target position x y z\nsource position x y z\nsum a b\n"
                      "xs = source.x\nxt = target.x\na += xs - xt\nb += (target.y - source.y)^2",
                      "law");
    const double target[] = {1, 2, 3}, source[] = {10, 20, 30};
    double sums[2];
    make_pair_solver(law)->sum({target, source, {}, {}}, sums);
    CHECK(sums[0] == 9);
    CHECK(sums[1] == 18 * 18);
}
