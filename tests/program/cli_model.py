#!/usr/bin/env python3
"""Tests `chamomile model` and `chamomile render`: files written, repeated bytes, nothing overwritten, one line per
mistake.
"""
import functools
import pathlib
import struct
import tempfile

from program import check, end, refused as refused_in, run, without_comments


def picture_size(name):
    data = (folder / name).read_bytes()
    check(data[:8] == b"\x89PNG\r\n\x1a\n", f"{name}: not a PNG file")
    return struct.unpack(">II", data[16:24])


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    chamomile, refused = (functools.partial(function, folder) for function in (run, refused_in))
    for kind in "plummer", "hernquist", "nfw", "einasto", "king", "exponential", "spheres", "cold-sphere", "cube", "disk", "galaxy", "merger":
        spheres = ["nfw,mass=1,part=0.5", "exponential,mass=0.2,r-half=0.7,type=4,part=0.5"] if kind == "spheres" else []
        for name in "a", "b":
            result = chamomile("model", kind, *spheres, "-n", 597, "--seed", 7, "--threads", 1 if name == "a" else 2, "-o", f"{kind}_{name}.txt")
            check(result.returncode == 0, f"model {kind}: {result.stderr}")
        a, b = (without_comments((folder / f"{kind}_{name}.txt").read_text()) for name in "ab")
        check(len(a) == 597, f"model {kind}: {len(a)} particles")
        check(a == b, f"model {kind}: results of one and two threads differ")
    check(chamomile("model", "two-body", "-e", "0.3", "-o", "pair.hdf5").returncode == 0, "model two-body")

    check(chamomile("render", "merger_a.txt", "-o", "merger.png", "--width", 120, "--height", 90).returncode == 0, "render")
    check(picture_size("merger.png") == (120, 90), "render: wrong size of the picture")
    result = chamomile("render", "galaxy_a.txt", "merger_a.txt", "-o", "many.png", "--size", 64, "--inclination", -30, "--center", "0,0,-1")
    check(result.returncode == 0, f"render of two files: {result.stderr}")
    check(picture_size("many_000.png") == picture_size("many_001.png") == (64, 64), "render of two files: wrong sizes")
    check(chamomile("render", "cube_a.txt", "-o", "merger.png", "--overwrite").returncode == 0, "render --overwrite")
    check(picture_size("merger.png") == (800, 800), "render --overwrite: wrong size")

    for options in (["king", "--w0", 7, "--r-half", 3, "--mass", 1e-5, "--physical"], ["nfw", "--m200", 100, "-c", 12, "--hubble", 0.7],
                    ["hernquist", "--r-half", 2, "--anisotropy-radius", 1], ["exponential", "--b-to-a", 0.9, "--c-to-a", 0.7, "--type", 3],
                    ["galaxy", "--halo-profile", "nfw", "--bulge-profile", "exponential"], ["galaxy", "--halo-profile", "einasto"]):
        result = chamomile("model", *options, "-n", 500, "-o", "sphere.txt", "--overwrite")
        check(result.returncode == 0, f"model {options}: {result.stderr}")
        units = "km/s" in (folder / "sphere.txt").read_text()
        check(units == ("--physical" in options or "--m200" in options), f"model {options}: wrong units")

    refused(2, "--w0: 17: must be a number from 0.1 to 16", "model", "king", "--w0", 17, "-o", "x.hdf5")
    refused(2, "no Osipkov-Merritt equilibrium", "model", "king", "--anisotropy-radius", 0.01, "-o", "x.hdf5")
    refused(2, "give one length", "model", "king", "--scale", 1, "--r-tidal", 20, "-o", "x.hdf5")
    refused(2, "--concentration: needs --m200", "model", "einasto", "-c", 5, "-o", "x.hdf5")
    refused(2, "--mass: contradicts --m200", "model", "nfw", "--m200", 5, "--mass", 2, "-o", "x.hdf5")
    refused(2, "did you mean 'king'", "model", "spheres", "kng,w0=3", "-o", "x.hdf5")
    refused(2, "must be a property of this sphere", "model", "spheres", "nfw,w0=3", "-o", "x.hdf5")
    refused(2, "plummer: distribution function: negative", "model", "spheres", "nfw", "plummer,mass=0.1", "-o", "x.hdf5")
    refused(2, "SPHERE", "model", "spheres", "-o", "x.hdf5")
    refused(2, "particles", "model", "plummer", "-n", 0, "-o", "x.hdf5")
    refused(2, "at least 100", "model", "galaxy", "-n", 99, "-o", "x.hdf5")
    refused(2, "did you mean 'plummer'", "model", "plumer", "-o", "x.hdf5")
    refused(2, "did you mean '--seed'", "model", "plummer", "--sed", 1, "-o", "x.hdf5")
    refused(2, "MODEL", "model")
    refused(2, "--output", "model", "plummer")
    refused(2, "eccentricity", "model", "two-body", "-e", 1.5, "-o", "x.hdf5")
    refused(2, "separation", "model", "merger", "-n", 1000, "--pericenter", 50, "-o", "x.hdf5")
    refused(2, "extension", "model", "cube", "-n", 10, "-o", "x.foo")
    refused(4, "--overwrite", "model", "plummer", "-n", 10, "-o", "pair.hdf5")
    refused(4, "does not exist", "model", "plummer", "-n", 10, "-o", "absent/x.hdf5")
    refused(3, "absent.hdf5", "render", "absent.hdf5", "-o", "x.png")
    refused(4, "--overwrite", "render", "pair.hdf5", "-o", "merger.png")
    refused(2, "--output", "render", "pair.hdf5")
    refused(2, "FILE", "render", "-o", "x.png")
    refused(2, "must be three numbers", "render", "pair.hdf5", "-o", "x.png", "--center", "1,2")
    refused(2, "contradicts", "render", "pair.hdf5", "-o", "x.png", "--size", 100, "--width", 100)
    refused(2, "min", "render", "pair.hdf5", "-o", "x.png", "--min", 2, "--max", 1)
    refused(2, "colour-map", "render", "pair.hdf5", "-o", "x.png", "--colour-map", "jet")
    refused(3, "types", "render", "pair.hdf5", "-o", "x.png", "--types", 5)

end("model and render do as they say")
