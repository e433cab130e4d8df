// Mass functions against colossus 1.4 and the non-linear spectrum against CAMB 2.0.5.
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "chamomile/initial/cosmology/halofit.hpp"
#include "chamomile/initial/cosmology/mass_function.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("structure_fits");

namespace {

/// Returns a power spectrum at 61 k from 2e-4 to 50 h/Mpc, evenly spaced in log k.
LinearPower tabled(const std::vector<double>& values, const Background& background)
{
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("chamomile_fits_" + std::to_string(::getpid()));
    std::ofstream out(file);
    out.precision(12);
    for (std::size_t i = 0; i < values.size(); ++i)
        out << 2e-4 * std::pow(50 / 2e-4, double(i) / 60) << ' ' << values[i] << '\n';
    out.close();
    PowerOptions options;
    options.background = background;
    options.transfer = TransferKind::power_table;
    options.table = file;
    LinearPower power(options);
    std::filesystem::remove(file);
    return power;
}

// CAMB: h = 0.7, Omega_b h^2 = 0.004, Omega_m = 0.3, n_s = 0.965, A_s = 1.1e-9, massless neutrinos.
const std::vector<double> linear_z0{
    463.803,   566.151,   690.914,   842.868,    1027.71,   1252.17,  1524.13,   1852.65,
    2248.01,   2721.42,   3284.64,   3949.11,    4724.74,   5617.93,  6629.16,   7749.72,
    8958.07,   10215.8,   11473,     12639.8,    13621.2,   14295.6,  14562.3,   14333.5,
    13603.7,   12466.2,   11085.7,   9587.6,     7989.41,   6397.86,  5027.75,   3815.49,
    2817.33,   2028.08,   1428.63,   984.747,    665.809,   442.392,  289.468,   186.714,
    118.937,   74.898,    46.6802,   28.8234,    17.6482,   10.7233,  6.47025,   3.8793,
    2.31241,   1.37106,   0.80896,   0.475157,   0.277934,  0.161947, 0.0940273, 0.0544117,
    0.0313895, 0.0180559, 0.0103579, 0.00592664, 0.00338284};
const std::vector<double> linear_z1{
    173.443,   211.727,    258.402,    315.261,    384.443,   468.476,   570.311,   693.341,
    841.39,    1018.65,    1229.53,    1478.31,    1768.7,    2103.09,   2481.68,   2901.19,
    3353.56,   3824.43,    4295.08,    4731.9,     5099.3,    5351.79,   5451.61,   5365.96,
    5092.75,   4666.91,    4150.12,    3589.27,    2990.96,   2395.14,   1882.22,   1428.39,
    1054.71,   759.243,    534.83,     368.655,    249.256,   165.617,   108.367,   69.8993,
    44.5261,   28.0392,    17.4755,    10.7905,    6.60688,   4.01443,   2.42224,   1.45228,
    0.865688,  0.513279,   0.302847,   0.177882,   0.104049,  0.0606273, 0.0352006, 0.0203699,
    0.0117512, 0.00675954, 0.00387767, 0.00221875, 0.00126643};
const std::vector<double> linear_w{
    438.654,   534.757,   651.36,   792.436,   962.493,    1166.58,    1410.4,   1700.63,  2045.54,
    2455.38,   2941.81,   3516.22,  4188.26,   4964.13,    5844.49,    6821.81,  7877.14,  8976.63,
    10076.6,   11097.9,   11957,    12547.3,   12780,      12578.5,    11937.6,  10939.1,  9727.58,
    8412.89,   7010.46,   5613.9,   4411.66,   3347.94,    2472.09,    1779.55,  1253.56,  864.073,
    584.219,   388.18,    253.996,  163.833,   104.362,    65.7197,    40.9599,  25.2913,  15.4855,
    9.4092,    5.67736,   3.40391,  2.02904,   1.20305,    0.709827,   0.416929, 0.243875, 0.142101,
    0.0825048, 0.0477439, 0.027543, 0.0158433, 0.00908863, 0.00520037, 0.0029683};

constexpr std::array places{0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 6.0, 12.0}; // h/Mpc

} // namespace

TEST_CASE("multiplicity functions match colossus")
{
    // sigma, Sheth & Tormen, Warren, Watson, Tinker at z = 0 and 1
    constexpr double reference[][6] = {
        {0.4, 0.0024966972, 0.0018962228, 0.0023684665, 0.001796144, 0.0014544722},
        {0.7, 0.11072845, 0.12789041, 0.13175049, 0.12734265, 0.10705525},
        {1, 0.24155149, 0.273675, 0.25982128, 0.28320827, 0.24369707},
        {1.7, 0.32027019, 0.32304813, 0.30857138, 0.34943953, 0.3100258},
        {3, 0.27903495, 0.26694062, 0.29438116, 0.29277765, 0.26556351}};
    for (const auto& row : reference) {
        const auto f = [&](MassFunctionFit fit, double z) { return multiplicity(fit, row[0], z); };
        CHECK(f(MassFunctionFit::sheth_tormen, 0) == within(1e-3, row[1]));
        CHECK(f(MassFunctionFit::warren, 0) == within(1e-5, row[2]));
        CHECK(f(MassFunctionFit::watson, 0) == within(1e-5, row[3]));
        CHECK(f(MassFunctionFit::tinker, 0) == within(1e-4, row[4]));
        CHECK(f(MassFunctionFit::tinker, 1) == within(1e-4, row[5]));
    }
}

TEST_CASE("halo mass functions match colossus")
{
    PowerOptions options;
    options.background = {.omega_matter = 0.3, .omega_lambda = 0.7, .hubble = 0.7};
    options.omega_baryon = 0.049;
    options.sigma8 = 0.81;
    options.spectral_index = 0.965;
    const LinearPower linear(options);
    // z, Msun/h, sigma, dn/dlnM of Sheth & Tormen, Warren, Watson, Tinker in (h/Mpc)^3
    constexpr double reference[][7] = {
        {0, 1e11, 2.84330758, 0.0294464134, 0.0281437135, 0.0305456752, 0.0308748875},
        {0, 1e13, 1.44052591, 0.000458670817, 0.00047946912, 0.000449160341, 0.000512937621},
        {0, 1e14, 0.92106827, 3.83662078e-05, 4.40407265e-05, 4.23836805e-05, 4.51825548e-05},
        {0, 1e15, 0.529196482, 6.61027692e-07, 6.88359501e-07, 7.783665e-07, 6.66041491e-07},
        {1, 1e11, 1.73958288, 0.033078216, 0.0332159328, 0.031848977, 0.0319548507},
        {1, 1e13, 0.881337712, 0.000290767218, 0.000335581515, 0.000325784474, 0.000292470806},
        {1, 1e14, 0.56352489, 7.68785691e-06, 8.30991993e-06, 9.19088973e-06, 6.70237772e-06}};
    for (const auto& row : reference) {
        CAPTURE(row[1]);
        const MassFunction number(linear, options.background, row[0]);
        CHECK(number.sigma(row[1]) == within(1e-3, row[2]));
        CHECK(number(MassFunctionFit::sheth_tormen, row[1]) == within(0.01, row[3]));
        CHECK(number(MassFunctionFit::warren, row[1]) == within(0.01, row[4]));
        CHECK(number(MassFunctionFit::watson, row[1]) == within(0.01, row[5]));
        CHECK(number(MassFunctionFit::tinker, row[1]) == within(0.01, row[6]));
    }
}

TEST_CASE("the non-linear spectrum matches CAMB's Halofit")
{
    struct Case {
        const std::vector<double>& linear;
        double a, w;
        std::array<double, 10> wanted;
    };
    const Case cases[] = {
        {linear_z0,
         1,
         -1,
         {14382.4, 9923.54, 5052.77, 2094.05, 883.01, 439.155, 236.461, 92.4089, 26.5202, 6.4029}},
        {linear_z1,
         0.5,
         -1,
         {5422.71, 3756.23, 1883.73, 720.102, 253.364, 101.326, 49.3978, 20.7511, 6.81571, 1.7237}},
        {linear_w,
         1,
         -0.8,
         {12636.2, 8716.36, 4422.31, 1815.47, 756.63, 372.697, 201.702, 81.9456, 24.4913, 6.04264}},
    };
    for (const Case& c : cases) {
        const Background background{
            .omega_matter = 0.3, .omega_lambda = 0.7, .w0 = c.w, .hubble = 0.7};
        const LinearPower linear = tabled(c.linear, background);
        const Halofit fit([&](double k) { return linear(k); }, background, c.a);
        for (std::size_t i = 0; i < places.size(); ++i) {
            CAPTURE(places[i]);
            CHECK(fit(places[i]) == within(0.01, c.wanted[i]));
        }
        CHECK(fit(1e-3) == within(0.01, linear(1e-3)));
    }
}

TEST_CASE("without a non-linear scale the spectrum stays linear")
{
    const Background background;
    const auto linear = [](double k) { return 1e-6 * k / (1 + std::pow(10 * k, 4)); };
    const Halofit fit(linear, background, 0.02);
    CHECK(fit.nonlinear_k() == 0);
    CHECK(fit(0.3) == linear(0.3));
}

TEST_SUITE_END();
