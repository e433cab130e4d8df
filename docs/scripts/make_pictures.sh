#!/usr/bin/env bash
# Makes the pictures for README.md and the pages: docs/scripts/make_pictures.sh PROGRAM [FOLDER [all]]
#
# Computes two galaxies in physical units and a cosmological box: ten minutes on two cores. `all` adds the 128^3 box for
# the cosmology page, in ten more minutes. Results stay in FOLDER (default: build/pictures) and are reused.
# Needs ffmpeg with libwebp for the animated preview.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0"; exit 2; }
program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
work=$(realpath -m "${2:-$root/build/pictures}")
images=$root/docs/images
mkdir -p "$work"
cd "$work"

if [ ! -e merger/snapshot_060.hdf5 ]; then
    "$program" model merger -n 100000 --physical -o merger.hdf5 --overwrite
    "$program" run merger.hdf5 --t-end 0.33Gyr --dt 0.8Myr --eps 0.175 --snapshot-every 0.0055Gyr -o merger --overwrite
fi
if [ ! -e box/snapshot_001.hdf5 ]; then
    "$program" model cosmology --n 48 --box 40 --z-start 49 --seed 1 --fixed -o box.hdf5 --overwrite
    "$program" run box.hdf5 --dt 0.025 --max-energy-error 0.02 --z-end 0 --outputs-z 0 -o box --overwrite
fi
if [ "${3:-}" = all ] && [ ! -e web/snapshot_003.hdf5 ]; then
    "$program" model cosmology --n 128 --box 100 --z-start 49 --seed 1 --fixed -o web.hdf5 --overwrite
    "$program" run web.hdf5 --outputs-z 9,1,0 --dt 0.01 -o web --overwrite
fi

draw() { "$program" render "$@" --overwrite; }
draw merger/snapshot_048.hdf5 --fov 110kpc --center 0,0,0 --min 1e-4 --max 1 -o merger_048.png
draw merger/snapshot_048.hdf5 --components --types halo,disk --fov 110kpc -o merger_components.png
draw merger/snapshot_048.hdf5 --quantity velocity --inclination 60 --fov 110kpc -o merger_velocity.png
draw box/snapshot_001.hdf5 --slice 10000 -o box.png
[ "${3:-}" != all ] || draw web/snapshot_003.hdf5 --slice 10000 -o cosmic_web.png
draw merger/snapshot_*.hdf5 --fov 110kpc --center 0,0,0 --min 1e-4 --max 1 -o frame.png --movie merger.mp4
ffmpeg -nostdin -loglevel error -y -framerate 12 -i frame_%03d.png -vf scale=400:400 -c:v libwebp_anim -quality 50 -loop 0 merger.webp
for image in merger_048.png merger_components.png merger_velocity.png box.png cosmic_web.png merger.webp; do
    [ ! -e "$image" ] || cp "$image" "$images"
done
du -cb "$images"/*.png "$images"/*.webp | tail -1
