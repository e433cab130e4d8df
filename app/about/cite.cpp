/// \file  `chamomile cite`: prints BibTeX entries for the methods and models of a run.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {
namespace {

/// A Use answers questions about a run from its snapshot's provenance.
class Use {
public:
    explicit Use(const Snapshot& snapshot) : snapshot_(snapshot) {}

    std::string value(const char* key) const
    {
        const auto found = snapshot_.provenance.find(key);
        return found == snapshot_.provenance.end() ? "" : found->second;
    }
    bool is(const char* key, const char* word) const { return value(key) == word; }

    /// Returns whether the run had an option with this value.
    bool option(const std::string& name_and_value) const
    {
        return (" " + value("options") + " ").find(" " + name_and_value + " ") != std::string::npos;
    }
    /// Returns whether a built-in model made the initial conditions.
    bool model(const std::string& name) const
    {
        for (const char* key : {"command", "initial_command", "initial_conditions"})
            if ((value(key) + " ").find("model " + name + " ") != std::string::npos)
                return true;
        return is("model", name.c_str());
    }
    /// Returns whether the command names a component, such as "king".
    bool component(const std::string& word) const
    {
        for (const char* key : {"command", "initial_command"}) {
            const std::string text = value(key) + " ";
            for (const char* end : {" ", ","}) // "model king ", or "model spheres king,w0=7 "
                if (text.find("chamomile model ") == 0 &&
                    text.find(" " + word + end) != std::string::npos)
                    return true;
        }
        return model(word);
    }
    bool galaxy() const { return model("galaxy") || model("merger"); }
    /// Returns whether forces were summed: false for a model's initial conditions.
    bool evaluated() const { return !value("solver").empty(); }
    bool tree() const { return is("solver", "tree"); }
    bool periodic() const { return snapshot_.box_size > 0 && evaluated(); }
    bool mesh() const { return periodic() && tree() && is("long_range", "mesh"); }
    bool hermite() const { return !value("hermite").empty(); }
    bool comoving() const { return snapshot_.comoving.has_value(); }
    bool steps() const { return option("block-steps=true"); }

private:
    const Snapshot& snapshot_;
};

/// A Citation holds a reason, an entry, and a test for its use in a run.
struct Citation {
    const char *why, *entry;
    bool (*applies)(const Use& use);
};

constexpr Citation citations[] = {
    {"the tree", R"(@article{barnes1986,
  author = {Barnes, J. and Hut, P.},
  title = {A hierarchical {O(N log N)} force-calculation algorithm},
  journal = {Nature}, volume = {324}, pages = {446--449}, year = {1986}, doi = {10.1038/324446a0}
})",
     [](const Use& use) { return use.tree(); }},
    {"one walk of the tree for a group of particles", R"(@article{barnes1990,
  author = {Barnes, J. E.},
  title = {A modified tree code: Don't laugh; it runs},
  journal = {Journal of Computational Physics}, volume = {87}, pages = {161--170}, year = {1990}, doi = {10.1016/0021-9991(90)90232-P}
})",
     [](const Use& use) { return use.tree(); }},
    {"the sums over pairs", R"(@misc{hamada2007,
  author = {Hamada, T. and Iitaka, T.},
  title = {The {Chamomile Scheme}: an optimized algorithm for {N}-body simulations on programmable graphics processing units},
  year = {2007}, eprint = {astro-ph/0703100}, archivePrefix = {arXiv}
})",
     [](const Use& use) { return use.evaluated(); }},
    {"the softening by a spline", R"(@article{monaghan1985,
  author = {Monaghan, J. J. and Lattanzio, J. C.},
  title = {A refined particle method for astrophysical problems},
  journal = {Astronomy and Astrophysics}, volume = {149}, pages = {135--143}, year = {1985}
})",
     [](const Use& use) { return use.is("softening", "spline"); }},
    {"the relative criterion, or tree and mesh together", R"(@article{springel2005,
  author = {Springel, V.},
  title = {The cosmological simulation code {GADGET-2}},
  journal = {Monthly Notices of the Royal Astronomical Society}, volume = {364}, pages = {1105--1134}, year = {2005}, doi = {10.1111/j.1365-2966.2005.09655.x}
})",
     [](const Use& use) { return use.mesh() || (use.tree() && use.is("criterion", "relative")); }},
    {"periodic sums", R"(@article{ewald1921,
  author = {Ewald, P. P.},
  title = {Die {Berechnung} optischer und elektrostatischer {Gitterpotentiale}},
  journal = {Annalen der Physik}, volume = {369}, pages = {253--287}, year = {1921}, doi = {10.1002/andp.19213690304}
})",
     [](const Use& use) { return use.periodic(); }},
    {"the mesh", R"(@book{hockney1981,
  author = {Hockney, R. W. and Eastwood, J. W.},
  title = {Computer Simulation Using Particles},
  publisher = {McGraw-Hill}, year = {1981}
})",
     [](const Use& use) { return use.mesh() || use.option("power=true"); }},
    {"individual steps, or comoving ones", R"(@misc{quinn1997,
  author = {Quinn, T. and Katz, N. and Stadel, J. and Lake, G.},
  title = {Time stepping {N}-body simulations},
  year = {1997}, eprint = {astro-ph/9710043}, archivePrefix = {arXiv}
})",
     [](const Use& use) { return use.steps() || (use.comoving() && use.evaluated()); }},
    {"Hermite's scheme", R"(@article{makino1992,
  author = {Makino, J. and Aarseth, S. J.},
  title = {On a {Hermite} integrator with {Ahmad-Cohen} scheme for gravitational many-body problems},
  journal = {Publications of the Astronomical Society of Japan}, volume = {44}, pages = {141--151}, year = {1992}
})",
     [](const Use& use) { return use.hermite(); }},
    {"the model: Plummer spheres", R"(@article{aarseth1974,
  author = {Aarseth, S. J. and H{\'e}non, M. and Wielen, R.},
  title = {A comparison of numerical methods for the study of star cluster dynamics},
  journal = {Astronomy and Astrophysics}, volume = {37}, pages = {183--187}, year = {1974}
})",
     [](const Use& use) { return use.component("plummer"); }},
    {"the model: Hernquist spheres", R"(@article{hernquist1990,
  author = {Hernquist, L.},
  title = {An analytical model for spherical galaxies and bulges},
  journal = {The Astrophysical Journal}, volume = {356}, pages = {359--364}, year = {1990}, doi = {10.1086/168845}
})",
     [](const Use& use) { return use.component("hernquist") || use.galaxy(); }},
    {"the model: NFW halos", R"(@article{navarro1997,
  author = {Navarro, J. F. and Frenk, C. S. and White, S. D. M.},
  title = {A universal density profile from hierarchical clustering},
  journal = {The Astrophysical Journal}, volume = {490}, pages = {493--508}, year = {1997}, doi = {10.1086/304888}
})",
     [](const Use& use) { return use.component("nfw"); }},
    {"the model: Einasto halos", R"(@article{einasto1965,
  author = {Einasto, J.},
  title = {On the construction of a composite model for the {Galaxy} and on the determination of the system of {Galactic} parameters},
  journal = {Trudy Astrofizicheskogo Instituta Alma-Ata}, volume = {5}, pages = {87--100}, year = {1965}
})",
     [](const Use& use) { return use.component("einasto"); }},
    {"the model: King spheres", R"(@article{king1966,
  author = {King, I. R.},
  title = {The structure of star clusters. {III}. {Some} simple dynamical models},
  journal = {The Astronomical Journal}, volume = {71}, pages = {64--75}, year = {1966}, doi = {10.1086/109857}
})",
     [](const Use& use) { return use.component("king"); }},
    {"the model: disk, bulge and halo", R"(@article{hernquist1993,
  author = {Hernquist, L.},
  title = {{N}-body realizations of compound galaxies},
  journal = {The Astrophysical Journal Supplement Series}, volume = {86}, pages = {389--400}, year = {1993}, doi = {10.1086/191784}
})",
     [](const Use& use) { return use.galaxy(); }},
    {"the model: encounters of galaxies", R"(@article{toomre1972,
  author = {Toomre, A. and Toomre, J.},
  title = {Galactic bridges and tails},
  journal = {The Astrophysical Journal}, volume = {178}, pages = {623--666}, year = {1972}, doi = {10.1086/151823}
})",
     [](const Use& use) { return use.model("merger"); }},
    {"the initial conditions: second order", R"(@article{bouchet1995,
  author = {Bouchet, F. R. and Colombi, S. and Hivon, E. and Juszkiewicz, R.},
  title = {Perturbative {Lagrangian} approach to gravitational instability},
  journal = {Astronomy and Astrophysics}, volume = {296}, pages = {575--608}, year = {1995}
})",
     [](const Use& use) { return use.model("cosmology"); }},
    {"the initial conditions: their spectrum", R"(@article{eisenstein1998,
  author = {Eisenstein, D. J. and Hu, W.},
  title = {Baryonic features in the matter transfer function},
  journal = {The Astrophysical Journal}, volume = {496}, pages = {605--614}, year = {1998}, doi = {10.1086/305424}
})",
     [](const Use& use) { return use.value("transfer").starts_with("eisenstein-hu"); }},
    {"power spectra: interlacing", R"(@article{sefusatti2016,
  author = {Sefusatti, E. and Crocce, M. and Scoccimarro, R. and Couchman, H. M. P.},
  title = {Accurate estimators of correlation functions in {Fourier} space},
  journal = {Monthly Notices of the Royal Astronomical Society}, volume = {460}, pages = {3624--3636}, year = {2016}, doi = {10.1093/mnras/stw1229}
})",
     [](const Use& use) { return use.option("power=true"); }},
    {"halos: friends of friends", R"(@article{davis1985,
  author = {Davis, M. and Efstathiou, G. and Frenk, C. S. and White, S. D. M.},
  title = {The evolution of large-scale structure in a universe dominated by cold dark matter},
  journal = {The Astrophysical Journal}, volume = {292}, pages = {371--394}, year = {1985}, doi = {10.1086/163168}
})",
     [](const Use& use) { return use.option("halos=true"); }},
};

/// Returns the last snapshot of a run's folder, or the file itself. Throws Error(input).
std::string last_snapshot(const std::string& run)
{
    namespace fs = std::filesystem;
    std::error_code none;
    if (!fs::is_directory(run, none))
        return run;
    std::string last;
    for (const auto& entry : fs::directory_iterator(run)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("snapshot_") && name.ends_with(".hdf5") &&
            std::pair(name.size(), name) > std::pair(last.size(), last))
            last = name;
    }
    if (last.empty())
        throw Error(Fault::input, run + ": holds no snapshot_NNN.hdf5: a run's folder is needed");
    return (fs::path(run) / last).string();
}

} // namespace

int cite(const std::vector<std::string>& arguments)
{
    std::string run;
    Options options("cite", "Prints BibTeX entries of the program and of the methods that a run "
                            "used; without a RUN those of the tree.");
    options.positional("RUN", run, "folder of a run, or a snapshot", Need::optional);
    if (!options.parse(arguments))
        return 0;
    Snapshot snapshot;
    snapshot.provenance["solver"] = "tree";
    if (!run.empty())
        snapshot = read_particles(last_snapshot(run), Masses::may_lack);
    const Use use(snapshot);
    const std::string made_by = use.value("version").empty() ? version : use.value("version");
    std::printf(
        "%% the program\n@misc{chamomile,\n  author = {{The Chamomile developers}},\n"
        "  title = {Chamomile: gravity for {N} particles by a hybrid treecode on {CPUs} and "
        "{GPUs}},\n  version = {%s}, year = {%.4s}\n}\n",
        made_by.substr(0, made_by.find(' ')).c_str(), release_date);
    for (const Citation& citation : citations)
        if (citation.applies(use))
            std::printf("\n%% %s\n%s\n", citation.why, citation.entry);
    return 0;
}

} // namespace chamomile::app
