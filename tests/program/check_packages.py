#!/usr/bin/env python3
"""Checks Debian packages made by CPack: dependencies, contents, licence, the program inside, and lintian's output."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
if missing := [tool for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file") if not shutil.which(tool)]:
    print(f"skipped: no {', '.join(missing)} (Debian: dpkg-dev, file)")
    sys.exit(77)
complaints = []


def told(*words, **more):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}")
    return done.stdout


version = told(program, "--version")
licence = re.search(r"^licence: (.*)", version, re.M)[1]
commands = re.findall(r"^  (\w[\w-]*)", re.search(r"^Commands:\n((?:  .*\n)+)", told(program, "--help"), re.M)[1], re.M)
variant = "" if "this build has no CUDA" in told(program, "doctor") else "-cuda"
has_mpi = ["mpi"] if (program.parent / "libchamomile_mpi.so").exists() else []
HOLDS = {
    f"chamomile{variant}": ["usr/bin/chamomile", *(f"usr/share/man/man1/chamomile-{name}.1.gz" for name in commands), "usr/share/bash-completion/completions/chamomile",
                            "usr/share/zsh/vendor-completions/_chamomile", "usr/share/fish/vendor_completions.d/chamomile.fish"],
    f"libchamomile0{variant}": [f"libchamomile_{name}.so.0" for name in ("c", "cunbody", "g5", "g6", *has_mpi)],
    f"libchamomile-dev{variant}": ["usr/include/chamomile/force/solver.hpp", "cmake/chamomile/chamomileConfig.cmake", "pkgconfig/chamomile_c.pc", "libchamomile.a",
                                        *(f"usr/include/chamomile/chamomile_{name}.h" for name in has_mpi)],
    "chamomile-doc": [f"usr/share/doc/chamomile/{name}" for name in ("LICENSE", "THIRD_PARTY.md", "CHANGELOG.md", "README.md", "CITATION.cff", "docs/tutorials/first_galaxy.md",
                                                                  "docs/data/readme.csv", "examples/quickstart")],
}
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    told("cpack", "--config", program.parent / "CPackConfig.cmake", "-G", "DEB", "-B", folder, cwd=folder)
    packages = {told("dpkg-deb", "-f", path, "Package").strip(): path for path in folder.glob("*.deb")}
    if lacking := set(HOLDS) - set(packages):
        complaints.append(f"packages: {sorted(packages)}: without {sorted(lacking)}")
    for package, path in packages.items():
        held = re.findall(r" \./(\S+)", told("dpkg-deb", "-c", path))
        for file in [f"usr/share/doc/{package}/copyright", f"usr/share/doc/{package}/changelog.gz", *HOLDS.get(package, [])]:
            if not any(entry == file or entry.endswith("/" + file) for entry in held):
                complaints.append(f"{package}: does not hold {file}")
        complaints += [f"{package}: holds {entry}, which is outside /usr" for entry in held if not entry.startswith("usr/")]
        told("dpkg-deb", "-x", path, folder / package)
        if licence not in (folder / package / f"usr/share/doc/{package}/copyright").read_text():
            complaints.append(f"{package}: copyright: does not say what --version says: {licence}")
        depends = told("dpkg-deb", "-f", path, "Depends")
        if package != "chamomile-doc" and not re.search("libhdf5|libfftw|libgomp", depends):
            complaints.append(f"{package}: depends on {depends.strip() or 'nothing'}")
    inside = folder / f"chamomile{variant}/usr/bin/chamomile"
    if inside.exists() and told(inside, "--version") != version:
        complaints.append("the program in the package tells another version")
    if variant:
        print("packages with CUDA contain NVIDIA's static library, not allowed in Debian: lintian was not run")
    elif shutil.which("lintian"):
        done = subprocess.run(["lintian", "--fail-on", "error", *packages.values()], capture_output=True, text=True)
        if done.returncode:
            complaints.append(done.stdout + done.stderr)
    else:
        print("no lintian: the packages were not checked")
print("\n".join(complaints) or f"the packages hold what they should: {', '.join(sorted(packages))}")
sys.exit(bool(complaints))
