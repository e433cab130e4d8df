"""Writes wrong input files for cli_bad_cases.py: text, GADGET-2, Tipsy and HDF5, each with one error."""
import os
import struct
import subprocess
import sys

from program import SYSTEM_PYTHON, chamomile


def rows(n, change=lambda i, row: row):
    return "".join(" ".join(map(str, change(i, [0.1, i % 3, i % 5, i % 7 + i / 100, 0, 0, 0, i + 1]))) + "\n" for i in range(n))


def with_value(column, value):
    return rows(20, lambda i, row: [value if (i == 7 and k == column) else x for k, x in enumerate(row)])


def space(mass=1, shift=0, **changed):
    """20 particles in a box of 1 Mpc/h as text, with the mean density for Omega_m = 0.3."""
    header = {"unit_length_in_cm": 3.085678e21, "unit_mass_in_g": 1.989e43, "unit_velocity_in_cm_per_s": 1e5, "units_per_h": 1, "box_size": 1000,
              "scale_factor": 0.02, "time": 0.02, "omega_matter": 0.3, "omega_lambda": 0.7, "hubble": 0.7, **changed}
    lines = [f"{mass * 0.3 * 27.75366 / 20} {shift if shift and i in (3, 8) else 50 * i} {37 * i % 1000} {61 * i % 1000} 0 0 0 {i + 1}\n" for i in range(20)]
    return "".join(f"# {key}: {value}\n" for key, value in header.items()) + "".join(lines)


def write_inputs(folder):
    """Writes the files into an empty folder. Returns False without h5py, needed for wrong HDF5 files."""
    (folder / "locales").mkdir()
    if subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "locales/de_DE.UTF-8"], capture_output=True).returncode != 0:
        print("not tested here: a locale with decimal commas")
    comoving = "# scale_factor: 0.5\n# omega_matter: {}\n# omega_lambda: 0.7\n# hubble: 0.7\n"
    texts = {
        "good.txt": rows(20), "a \"b\" 'c'.txt": rows(20), "empty.txt": "", "comments.txt": "# none\n",
        "coincident.txt": "1 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 2\n1 1 0 0 0 0 0 3\n", "comma.txt": with_value(1, "0,5"),
        "twice.ini": "theta = 0.4\ntheta = 0.5\n", "unknown.ini": "# forces\n[forces]\nthetta = 0.4\n", "large.ini": "theta = 0.4\n" * 100000,
        "keys.ini": "[frames]\naxes = true\nevery = 0\n", "key.ini": "[frame]\nevery = 5\n", "flat.ini": "frames.every = 5\nframe-size = 5\n",
        "sections.ini": "[tree]\nsolver = tree\ngroup-size = 64\n[forces]\ntree.leaf-size = 8\ntheta = 0.4\n", "dos.ini": "\ufeff[forces]\r\ntheta\t=\t0.4\r\n", "comoving.txt": comoving.format(0.3) + rows(20), "open.txt": comoving.format(0.5) + rows(20),
        "stack.txt": rows(60, lambda i, row: [0.1, 1, 1, 1, 0, 0, 0, i + 1] if i < 40 else row), "nan.txt": with_value(2, "nan"),
        "point.txt": rows(60, lambda i, row: [0.1, 1, 1, 1, 0, 0, 0, i + 1]), "infinite.txt": with_value(5, "inf"), "massnan.txt": with_value(0, "nan"),
        "fast.txt": "1 0 0 0 0 0 0 1\n1 1 0 0 0 0 0 2\n1e-9 0 1 0 0 3e307 0 7\n", "negative.txt": with_value(0, -0.1),
        "massless.txt": rows(20, lambda i, row: [0] + row[1:]), "tracer.txt": with_value(0, 0), "light.txt": with_value(0, 1e-300), "away.txt": with_value(1, 1e9),
        "lost.txt": with_value(1, 1e20), "tiny.txt": rows(20, lambda i, row: [1e-305] + row[1:]),
        "far.txt": "1 1.7e308 0 0 0 0 0 1\n1 -1.7e308 0 0 0 0 0 2\n", "gas.txt": "# types: 0*5 1*15\n" + rows(20), "still.txt": rows(20, lambda i, row: row[:4]),
        "places.txt": "1 2 3 4\n", "narrow.txt": "1 2 3\n4 5 6\n", "twins.txt": with_value(7, 3), "zero.txt": with_value(7, 0), "minus.txt": with_value(7, -3),
        "closed.txt": rows(20), "closed.ini": "theta = 0.4\n",
        "universe.txt": space(), "hubble0.txt": space(hubble=0), "hubble70.txt": space(hubble=70), "omega0.txt": space(omega_matter=0),
        "scale0.txt": space(scale_factor=0), "curved.txt": space(omega_lambda=0.5), "dense.txt": space(mass=2), "early.txt": space(time=0.5),
        "boxless.txt": space(box_size=0), "edge.txt": space(shift=1500), "lost_in_space.txt": space(shift=1e6),
        "beyond.txt": rows(20, lambda i, row: [row[0], 15 if i in (3, 8) else row[1], *row[2:]]),
    }
    for n in (1, 2, 3, 31, 32, 33, 255, 256, 257):
        texts[f"{n}.txt"] = rows(n)
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    for name in ("closed.txt", "closed.ini"):
        (folder / name).chmod(0)
    folder.chmod(0o755)
    (folder / "binary.ini").write_bytes(bytes(range(256)) * 8)
    for name in ("folder", "done", "blocked", "busy", "locked"):
        (folder / name).mkdir()
    (folder / "locked").chmod(0o555)
    (folder / "blocked/run.log").mkdir()
    (folder / "blocked/run.log/mine").write_text("mine\n")
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    for name in ("good.hdf5", "good.gadget2", "good.tipsy", "done/snapshot_000.hdf5"):
        chamomile(folder, "convert", "good.txt", name, "-q")
    write_binary(folder)
    return write_hdf5(folder)


def gadget(counts, n, box=0.0, files=1, time=0.0, redshift=0.0, omega_lambda=0.0, order="<", table=0.0, masses=True, totals=None):
    """GADGET-2, format 2, single precision, type 1 only, written from the format's description."""
    def record(label, data):
        head = struct.pack(order + "4sI", label, len(data) + 8)
        return b"".join(struct.pack(order + "I", len(part)) + part + struct.pack(order + "I", len(part)) for part in (head, data))
    numbers = [0, counts, 0, 0, 0, 0]
    header = struct.pack(order + "6I6ddd2i6I2i4d2i6Ii", *numbers, 0, table, 0, 0, 0, 0, time, redshift, 0, 0, *(totals or numbers), 0, files, box, 0.3, omega_lambda, 0.7, 0, 0,
                         *[0] * 6, 0).ljust(256, b"\0")
    floats = [float(i % 7) + i / 100 for i in range(3 * n)]
    data = record(b"HEAD", header) + record(b"POS ", struct.pack(f"{order}{3 * n}f", *floats)) + record(b"VEL ", bytes(12 * n))
    data += record(b"ID  ", struct.pack(f"{order}{n}I", *range(1, n + 1)))
    return data + (record(b"MASS", struct.pack(f"{order}{n}f", *[0.1] * n)) if masses else b"")


def tipsy(order="<", bodies=20, dark=20, gas=0, dimensions=3, n=20):
    data = struct.pack(order + "d5ii", 0.0, bodies, dimensions, gas, dark, 0, 0)
    return data + b"".join(struct.pack(order + "9f", 0.1, i % 3, i % 5, i + 0.5, 0, 0, 0, 0.05, 0) for i in range(n))


def write_binary(folder):
    files = {
        "header.gadget2": gadget(20, 20)[:100], "cut.gadget2": gadget(20, 20)[:500], "swapped.gadget2": gadget(20, 20, order=">"),
        "many.gadget2": gadget(0xffffffff, 20), "total.gadget2": gadget(20, 20, totals=[0, 21, 0, 0, 0, 0]), "box.gadget2": gadget(20, 20, box=-10.0),
        "massblock.gadget2": gadget(20, 20, masses=False), "piece.0.gadget2": gadget(20, 20, files=2, totals=[0, 40, 0, 0, 0, 0]),
        "later.0.gadget2": gadget(20, 20, files=2, totals=[0, 40, 0, 0, 0, 0]), "later.1.gadget2": gadget(20, 20, files=2, totals=[0, 40, 0, 0, 0, 0], time=7.0),
        "comoving.gadget2": gadget(20, 20, box=1000.0, time=0.02, redshift=49.0, omega_lambda=0.7), "named.hdf5": gadget(20, 20), "cut.tipsy": tipsy()[:500], "swapped.tipsy": tipsy(">"), "negative.tipsy": tipsy(dark=-20, gas=40),
        "many.tipsy": tipsy(bodies=0x7fffffff, dark=0x7fffffff), "sum.tipsy": tipsy(dark=19), "dimensions.tipsy": tipsy(dimensions=4),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    whole = (folder / "good.hdf5").read_bytes()
    (folder / "cut.hdf5").write_bytes(whole[:len(whole) // 2])
    (folder / "named.txt").write_bytes(whole)


def write_hdf5(folder):
    script = """
import h5py, os, shutil
import numpy as np
def copy(name):
    shutil.copy('good.hdf5', name)
    return h5py.File(name, 'r+')
def replace(file, name, values):
    data = file['PartType1/' + name][...]
    del file['PartType1/' + name]
    file['PartType1/' + name] = values(data)
with copy('box.hdf5') as f: f['Header'].attrs['BoxSize'] = 10.0
with copy('rank.hdf5') as f: replace(f, 'Coordinates', lambda d: d.reshape(-1))
with copy('short.hdf5') as f: replace(f, 'Masses', lambda d: d[:-1])
with copy('integers.hdf5') as f: replace(f, 'Masses', lambda d: d.astype('i4'))
with copy('foreign.hdf5') as f:
    for name in ('Coordinates', 'Velocities', 'Masses'): replace(f, name, lambda d: d.astype('>f4'))
with copy('more.hdf5') as f: f['PartType1/Metallicity'] = [1, 2, 3]
def ids(name, values, type):
    with copy(name) as f: replace(f, 'ParticleIDs', lambda d: np.array(values, dtype=type))
ids('minus.hdf5', [*range(19), -3], 'i4')
ids('largest.hdf5', [*range(19), 2**64 - 1], 'u8')
ids('broken_ids.hdf5', range(20), 'f8')
def header(name, attribute, value, type):
    with copy(name) as f: f['Header'].attrs[attribute] = np.array([0, value, 0, 0, 0, 0], dtype=type)
header('count.hdf5', 'NumPart_ThisFile', 21, 'u4')
header('total.hdf5', 'NumPart_Total', 21, 'u4')
header('below.hdf5', 'NumPart_ThisFile', -1, 'i4')
header('high.hdf5', 'NumPart_Total_HighWord', 1, 'u4')
header('twice.hdf5', 'MassTable', 0.2, 'f8')
with copy('none.hdf5') as f:
    for name in ('NumPart_ThisFile', 'NumPart_Total'): f['Header'].attrs[name] = np.zeros(6, 'u4')
with copy('nan.hdf5') as f: f['PartType1/Coordinates'][7, 1] = np.nan
for name, data in (('masses.hdf5', 'Masses'), ('nameless.hdf5', 'ParticleIDs'), ('still.hdf5', 'Velocities')):
    with copy(name) as f: del f['PartType1/' + data]
with copy('plugin.hdf5') as f:
    values = f['PartType1/Masses'][...]
    del f['PartType1/Masses']
    f['PartType1'].create_dataset('Masses', data=values, chunks=(20,), compression='lzf')
f = h5py.File('open.hdf5', 'w', libver='latest')
f['x'] = range(10)
f.flush()
os._exit(0)
"""
    return any(subprocess.run([python, "-c", script], cwd=folder, capture_output=True).returncode == 0 for python in (sys.executable, SYSTEM_PYTHON))
