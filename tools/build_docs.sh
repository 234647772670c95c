#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the site of the documents in build/docs: draws every figure from the data that are kept,
# writes the reference of the command line and of file formats from the code, and runs Sphinx. Any
# warning is an error. Needs the Python module, which `make build` makes, and the extra `docs`.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

.venv/bin/python tools/docs_site.py build/docs-source >/dev/null
.venv/bin/python -m sphinx -b html -W --keep-going -q -c docs -d build/docs-doctrees \
  build/docs-source build/docs
echo "docs: build/docs/index.html"
