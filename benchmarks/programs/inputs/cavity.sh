#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# cavity.sh ROWS COLUMNS puts OpenFOAM's lid-driven cavity into this folder: 128 x 128 cells in four short
# steps, divided among ROWS x COLUMNS ranks.
set -eu

cp -r /usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity/. .
sed -i 's/(20 20 1)/(128 128 1)/' system/blockMeshDict
sed -i \
  -e 's/^deltaT .*/deltaT 0.0005;/' \
  -e 's/^endTime .*/endTime 0.002;/' \
  -e 's/^writeInterval .*/writeInterval 1000;/' \
  system/controlDict
cat >system/decomposeParDict <<EOF
FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains $(($1 * $2));
method simple;
simpleCoeffs { n ($1 $2 1); delta 0.001; }
EOF
WM_PROJECT_DIR=/usr/share/openfoam
export WM_PROJECT_DIR
blockMesh
decomposePar -force
