# shellcheck shell=bash disable=SC2034
# What a build needs from Debian 12 or Ubuntu 24.04, and what the tests need beyond it.
build_packages=(g++ cmake ninja-build pkg-config git libboost-program-options-dev libhdf5-dev libpng-dev)
test_packages=(doctest-dev python3 python3-numpy python3-h5py)
