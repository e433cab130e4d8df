// Transfer functions, normalisation, and transfer tables.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/initial/cosmology/transfer.hpp"
#include "tests/unit/planck_power.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("linear_power");

using std::numbers::pi;

TEST_CASE("transfer functions of Eisenstein & Hu match colossus")
{
    // colossus 1.3: modelEisenstein98, modelEisenstein98ZeroBaryon
    struct Row {
        double k, T, smooth;
    };
    const EisensteinHu fit(planck().background, 0.0486, 2.7255);
    for (const Row& row : {Row{1e-3, 0.9922084475572626, 0.992023607715404},
                           Row{0.01, 0.7795625434690018, 0.785520153361638},
                           Row{0.07, 0.20323021098244046, 0.19846660405381075},
                           Row{0.2, 0.05497505665763405, 0.05458977031348841},
                           Row{1, 0.0046795649167880584, 0.004648513244149342},
                           Row{10, 8.965071453182074e-05, 8.869409533788967e-05}}) {
        CAPTURE(row.k);
        CHECK(fit(row.k) == within(1e-10, row.T));
        CHECK(fit.smooth(row.k) == within(1e-10, row.smooth));
    }
    CHECK(fit(0) == 1);
    CHECK_THROWS_AS(EisensteinHu(planck().background, 0.4, 2.7255), Error);
}

TEST_CASE("sigma8 and A_s normalise the power spectrum")
{
    const LinearPower power(planck());
    CHECK(power.sigma(8) == within(1e-10, 0.8159));
    // Returns P for a flat spectrum in spheres, from a plain sum over k.
    double sum = 0;
    const double dk = 1e-4;
    for (double k = dk / 2; k < 20; k += dk) {
        const double x = 8 * k, W = 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
        sum += dk * k * k * power(k) * W * W / (2 * pi * pi);
    }
    CHECK(std::sqrt(sum) == within(1e-5, 0.8159));

    // Planck 2015's A_s corresponds to its sigma8, within the accuracy of the fit for T.
    PowerOptions primordial = planck();
    primordial.sigma8.reset();
    primordial.primordial = 2.142e-9;
    CHECK(LinearPower(primordial).sigma(8) == within(0.04, 0.8159));
    primordial.primordial = 2 * 2.142e-9;
    const double before = LinearPower(primordial).sigma(8);
    primordial.primordial = 2.142e-9;
    CHECK(before == within(1e-12, std::sqrt(2) * LinearPower(primordial).sigma(8)));
    primordial.sigma8 = 0.8;
    CHECK_THROWS_AS(LinearPower{primordial}, Error);
}

TEST_CASE("tables of spectra and transfer functions reproduce the fit")
{
    const auto folder = std::filesystem::temp_directory_path() / "chamomile_power_tables";
    std::filesystem::create_directories(folder);
    const LinearPower power(planck());
    const EisensteinHu fit(planck().background, 0.0486, 2.7255);
    std::ofstream spectrum(folder / "power.txt"), two(folder / "two.txt"),
        camb(folder / "camb.txt");
    spectrum.precision(15);
    two.precision(15);
    camb.precision(15);
    spectrum << "# k P\n";
    for (double k = 1e-4; k < 20; k *= 1.02) {
        spectrum << k << ' ' << power(k) << '\n';
        two << k << ' ' << fit(k) << '\n';
        camb << k << " 1 1 1 1 1 " << -3e5 * fit(k) << " 7\n"; // another sign and unit
    }
    for (std::ofstream* file : {&spectrum, &two, &camb})
        file->close();
    for (const char* name : {"power.txt", "two.txt", "camb.txt"}) {
        PowerOptions options = planck();
        const bool is_power = std::string(name) == "power.txt";
        options.transfer = is_power ? TransferKind::power_table : TransferKind::transfer_table;
        options.table = folder / name;
        if (is_power)
            options.sigma8.reset(); // set by the table
        const LinearPower read(options);
        for (double k : {2e-4, 0.0123, 0.1, 0.777, 9.0})
            CHECK(read(k) == within(2e-4, power(k)));
        CHECK(read.min_k() == within(1e-12, 1e-4));
    }
    const auto refused = [&](const std::string& text, const char* words) {
        std::ofstream(folder / "bad.txt") << text;
        PowerOptions options = planck();
        options.transfer = TransferKind::transfer_table;
        options.table = folder / "bad.txt";
        CHECK_THROWS_WITH_AS(LinearPower{options}, doctest::Contains(words), Error);
    };
    refused("1 1\n2 1\n3 1\n", "at least 4");
    refused("1 1\n2 1\n2 1\n4 1\n5 1\n", "larger than in the line before");
    refused("1 1\n2 0\n3 1\n4 1\n5 1\n", "other than 0");
    refused("1 1\n2 x\n3 1\n4 1\n5 1\n", "must be a number");
    refused("1 1 1\n2 1 1\n3 1 1\n4 1 1\n", "3 columns");
    for (const char* lines : {"0.02 1\n0.1 0.2\n1 0.005\n9 1e-4\n", // too short for sigma(8)
                              "0.001 1\n0.01 0.8\n0.1 0.2\n0.9 0.006\n"})
        refused(lines, "must reach from 0.01 to 1");
    std::filesystem::remove_all(folder);
}

TEST_CASE("beyond a table the spectrum follows cold dark matter")
{
    const LinearPower power(planck());
    const EisensteinHu fit(planck().background, 0.0486, 2.7255);
    const auto folder = std::filesystem::temp_directory_path() / "chamomile_short_tables";
    std::filesystem::create_directories(folder);
    struct Row {
        double end, near, far; ///< the table's last k; errors in P at 3 and 100 times this k
    };
    for (const Row& row : {Row{10, 2e-3, 0.05}, Row{3, 0.01, 0.1}}) {
        std::ofstream spectrum(folder / "power.txt"), transfer(folder / "transfer.txt");
        spectrum.precision(6); // precision of typical tables
        transfer.precision(6);
        for (double x = std::log(2e-3); x < std::log(row.end) + 0.01; x += 0.05) {
            spectrum << std::exp(x) << ' ' << power(std::exp(x)) << '\n';
            transfer << std::exp(x) << ' ' << fit(std::exp(x)) << '\n';
        }
        spectrum.close();
        transfer.close();
        for (const char* name : {"power.txt", "transfer.txt"}) {
            PowerOptions options = planck();
            const bool is_power = std::string(name) == "power.txt";
            options.transfer = is_power ? TransferKind::power_table : TransferKind::transfer_table;
            options.table = folder / name;
            const LinearPower read(options);
            CAPTURE(row.end);
            CAPTURE(name);
            CHECK(read(3 * row.end) == within(row.near, power(3 * row.end)));
            CHECK(read(100 * row.end) == within(row.far, power(100 * row.end)));
            CHECK(read(5e-4) == within(0.05, power(5e-4))); // T(2e-3)^2 is 0.954
            CHECK(read.sigma(8) == within(1e-4, 0.8159));
            CHECK(read.sigma(0.5) == within(2e-3, power.sigma(0.5))); // 5e10 Msun/h
        }
    }
    std::filesystem::remove_all(folder);
}

TEST_SUITE_END();
