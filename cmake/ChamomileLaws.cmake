# Laws built into every copy of the library: name, type and header, as for user laws.
set(law_kinds baseline avx2 avx512 device code)
foreach(law IN ITEMS
        "gravity_acceleration GravityAcceleration gravity.hpp"
        "gravity GravityPotential gravity.hpp"
        "gravity_field_plummer FieldPlummer gravity_field.hpp"
        "gravity_field_spline FieldSpline gravity_field.hpp"
        "gravity_field_plummer_per_particle FieldPlummerPerParticle gravity_field.hpp"
        "gravity_field_spline_per_particle FieldSplinePerParticle gravity_field.hpp"
        "gravity_jerk GravityJerk gravity_jerk.hpp"
        "gravity_jerk_per_particle GravityJerkPerParticle gravity_jerk.hpp"
        "softened_pairs SoftenedPairs softened_pairs.hpp"
        "softened_quadrupoles SoftenedQuadrupoles softened_quadrupoles.hpp"
        "gravity_tidal_plummer TidalPlummer gravity_tidal.hpp"
        "gravity_tidal_spline TidalSpline gravity_tidal.hpp"
        "gravity_tidal_plummer_per_particle TidalPlummerPerParticle gravity_tidal.hpp"
        "gravity_tidal_spline_per_particle TidalSplinePerParticle gravity_tidal.hpp"
        "gravity_adjoint_plummer AdjointPlummer gravity_adjoint.hpp"
        "gravity_adjoint_spline AdjointSpline gravity_adjoint.hpp"
        "gravity_adjoint_plummer_per_particle AdjointPlummerPerParticle gravity_adjoint.hpp"
        "gravity_adjoint_spline_per_particle AdjointSplinePerParticle gravity_adjoint.hpp"
        "lennard_jones_fluid LennardJonesFluid lennard_jones_fluid.hpp"
        "molecular_force MolecularForce lennard_jones_coulomb.hpp"
        "molecular_force_linear MolecularForceLinear lennard_jones_coulomb.hpp"
        "molecular_force_sigmoidal MolecularForceSigmoidal lennard_jones_coulomb.hpp"
        "molecular_energy MolecularEnergy lennard_jones_coulomb.hpp"
        "molecular_energy_linear MolecularEnergyLinear lennard_jones_coulomb.hpp"
        "molecular_energy_sigmoidal MolecularEnergySigmoidal lennard_jones_coulomb.hpp"
        "molecular_energy_geometric MolecularEnergyGeometric lennard_jones_coulomb.hpp"
        "yukawa Yukawa yukawa.hpp"
        "sph_density SphDensity sph_density.hpp")
    separate_arguments(law)
    list(GET law 0 name)
    if(CHAMOMILE_PARTS STREQUAL "python" AND NOT name MATCHES "^gravity_(adjoint|field|jerk|tidal)")
        continue()
    endif()
    list(GET law 1 type)
    list(GET law 2 header)
    chamomile_write_interaction(${name} chamomile::${type} ${PROJECT_SOURCE_DIR}/force/pairs/laws/${header})
    foreach(kind IN LISTS law_kinds)
        list(APPEND all_${kind} ${law_${kind}})
    endforeach()
endforeach()
foreach(kind IN LISTS law_kinds)
    chamomile_units(law_${kind} laws_${kind} 7 ${all_${kind}})
endforeach()
chamomile_compile_interactions(chamomile)
