/// \file  Lennard-Jones and Coulomb forces between atoms in molecules (Elsen et al. 2006).
/// Parameters for a pair are combined from its two atoms, with three kinds of dielectric.
///
///     U_ij = 4 epsilon_ij [(sigma_ij/r)^12 - (sigma_ij/r)^6] + k q_i q_j u(r)
///     F_i = sum_j (dU_ij/dr) r_ij / r          r_ij = x_j - x_i
///
/// See dielectric.hpp for u(r). The forces are this energy's gradient and so conserve energy. The
/// paper prints them without the factors from the derivative, and with opposite sign.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"
#include "chamomile/force/pairs/laws/dielectric.hpp"
#include "chamomile/force/pairs/laws/switching.hpp"

namespace chamomile {

/// sigma_ij = (sigma_i + sigma_j) / 2, epsilon_ij = (epsilon_i epsilon_j)^1/2. An atom's size is
/// sigma / 2.
struct LorentzBerthelot {
    static constexpr double size_of(double sigma) { return sigma / 2; }
    template <class T>
    static CHAMOMILE_HD T sigma_squared(const T& i, const T& j) // 2 issue slots
    {
        const T sigma = i + j;
        return sigma * sigma;
    }
};

/// sigma_ij = (sigma_i sigma_j)^1/2, epsilon_ij = (epsilon_i epsilon_j)^1/2. An atom's size is
/// sigma.
struct GeometricCombination {
    static constexpr double size_of(double sigma) { return sigma; }
    template <class T>
    static CHAMOMILE_HD T sigma_squared(const T& i, const T& j) // 1 issue slot
    {
        return i * j;
    }
};

/// An atom, as target and source, with values that combine at minimal cost.
template <class T>
struct MolecularAtom {
    Vec3<T> position;
    T charge{};
    T size{};         ///< Combination::size_of(sigma)
    T root_epsilon{}; ///< epsilon^1/2
};

/// The force only, or also the target's energy over all pairs (each pair counts at both atoms) and
/// W_i = -sum_j r dU/dr (lennard_jones_fluid.hpp).
enum class MolecularSums { force, force_energy_virial };

/// Sums over all pairs. The force-only law has no switching; with energies, the interaction may be
/// switched off smoothly.
template <class Dielectric, class Combination, MolecularSums sums>
struct LennardJonesCoulomb {
    double coulomb = 1; ///< k: energy times length by charge squared
    Dielectric dielectric;
    Switching switching;

    template <class T>
    using Target = MolecularAtom<T>;
    template <class T>
    using Source = MolecularAtom<T>;
    template <class T>
    struct ForceSum {
        Vec3<T> force;
    };
    template <class T>
    struct FullSum {
        Vec3<T> force;
        T energy{}, virial{};
    };
    static constexpr bool full = sums == MolecularSums::force_energy_virial;
    template <class T>
    using Sum = std::conditional_t<full, FullSum<T>, ForceSum<T>>;

    /// Issue slots per pair in single precision on a GPU, with Lorentz-Berthelot. Products that
    /// depend only on the target are computed once for all sources.
    static constexpr int issue_slots =
        (full ? 38 : 23) + (std::is_same_v<Dielectric, SigmoidalDielectric> ? 10 : 0);

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position;              // 3
        const T r2 = norm_squared(r), inv_r = inverse_sqrt(r2); // 4
        const T inv_r2 = reciprocal(r2); // 1; its 6th power is more exact than inv_r^12
        const T s2 = Combination::sigma_squared(i.size, j.size) * inv_r2;             // 3
        const T s6 = s2 * s2 * s2;                                                    // 2
        const T attraction = ((T(4) * i.root_epsilon) * j.root_epsilon) * s6;         // 2
        const T charges = (T(coulomb * dielectric.strength()) * i.charge) * j.charge; // 1
        T energy, r_gradient;
        dielectric(charges, r2, inv_r, inv_r2, energy, r_gradient); // 1, 2, 11
        r_gradient += attraction * (T(6) - T(12) * s6);             // 2
        T gradient = r_gradient * inv_r2;                           // 1
        if constexpr (full) {
            energy += attraction * s6 - attraction; // 2
            switching(r2, energy, gradient);        // 12
            sum.energy += energy;                   // 1
            sum.virial -= gradient * r2;            // 1
        }
        sum.force += gradient * r; // 3
    }

    // Energies and charges keep their units; k absorbs the length unit.
    static constexpr std::array<int, 6> target_length{1, 1, 1, 0, 1, 0};
    static constexpr std::array<int, 6> source_length{1, 1, 1, 0, 1, 0};
    static constexpr auto sum_length = [] {
        if constexpr (full)
            return std::array<int, 5>{-1, -1, -1, 0, 0};
        else
            return std::array<int, 3>{-1, -1, -1};
    }();
    CHAMOMILE_HD LennardJonesCoulomb with_unit(double unit) const
    {
        return {coulomb, dielectric.with_unit(unit), switching.with_unit(unit)};
    }
};

/// Returns an atom with the values needed by the combination rule.
template <class Combination>
MolecularAtom<double> molecular_atom(const Vec3<double>& position, double charge, double sigma,
                                     double epsilon)
{
    return {position, charge, Combination::size_of(sigma), std::sqrt(epsilon)};
}

// The paper's table is for force only; simulations use the laws with energies.
using MolecularForce =
    LennardJonesCoulomb<ConstantDielectric, LorentzBerthelot, MolecularSums::force>;
using MolecularForceLinear =
    LennardJonesCoulomb<LinearDielectric, LorentzBerthelot, MolecularSums::force>;
using MolecularForceSigmoidal =
    LennardJonesCoulomb<SigmoidalDielectric, LorentzBerthelot, MolecularSums::force>;
using MolecularEnergy =
    LennardJonesCoulomb<ConstantDielectric, LorentzBerthelot, MolecularSums::force_energy_virial>;
using MolecularEnergyLinear =
    LennardJonesCoulomb<LinearDielectric, LorentzBerthelot, MolecularSums::force_energy_virial>;
using MolecularEnergySigmoidal =
    LennardJonesCoulomb<SigmoidalDielectric, LorentzBerthelot, MolecularSums::force_energy_virial>;
using MolecularEnergyGeometric = LennardJonesCoulomb<ConstantDielectric, GeometricCombination,
                                                     MolecularSums::force_energy_virial>;

} // namespace chamomile
