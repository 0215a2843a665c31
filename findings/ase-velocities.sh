#!/usr/bin/env bash
# Velocities in extended XYZ: ASE reads them from no column but `momenta`, and a later mass changes them.
#
# Expected: ASE reads a column of velocities (`velo:R:3` as GPUMD and others write it, `vel`, or `velocities`) into the velocities of the
#   atoms; and `set_masses` leaves the velocities as they are, which `Atoms(velocities=…)` has set.
# Seen (ase 3.29.0): `velo`, `vel` and `velocities` become arrays of these names, and `get_velocities()` returns zeros, without a word.
#   A column `momenta` is read as p in √(eV u), and divided by the masses of the table of elements where a column `masses` is absent
#   (`mass` is not read).  `set_masses` keeps momenta: a velocity of 1 of hydrogen becomes 0.504 with the mass 2.
# Cost: kinetic energies and temperatures of a read trajectory are zero, or off by the ratio of masses.  Write `momenta` and `masses`
#   together, or take `atoms.arrays["velo"]`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet ase==3.29.0
"$folder/python/bin/python" - <<'PYTHON'
import io

import ase
import ase.io


def read(columns, rows):
    text = f'{len(rows)}\nProperties=species:S:1:pos:R:3:{columns} pbc="F F F"\n' + "\n".join(rows) + "\n"
    return ase.io.read(io.StringIO(text), format="extxyz")


for name in ["velo", "vel", "velocities"]:
    atoms = read(f"{name}:R:3", ["H 0 0 0 1 0 0"])
    print(f"{name}: velocities {atoms.get_velocities()[0]}, kept as arrays[{name!r}]: {name in atoms.arrays}")
    assert not atoms.get_velocities().any() and name in atoms.arrays

plain = read("momenta:R:3", ["H 0 0 0 1 0 0"]).get_velocities()[0, 0]
weighed = read("masses:R:1:momenta:R:3", ["H 0 0 0 2 1 0 0"]).get_velocities()[0, 0]
misnamed = read("mass:R:1:momenta:R:3", ["H 0 0 0 2 1 0 0"]).get_velocities()[0, 0]
print(f"momenta 1: velocity {plain:.4f} by the table of elements, {weighed:.4f} with masses 2, {misnamed:.4f} with mass 2")
assert abs(plain - 1 / 1.008) < 1e-12 and weighed == 0.5 and misnamed == plain

atoms = ase.Atoms("H", positions=[[0, 0, 0]], velocities=[[1, 0, 0]])
atoms.set_masses([2.0])
print(f"a velocity of 1, then set_masses([2]): {atoms.get_velocities()[0, 0]:.4f}")
assert abs(atoms.get_velocities()[0, 0] - 0.504) < 1e-12
PYTHON
