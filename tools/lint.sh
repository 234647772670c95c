#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: tools/lint.sh               check everything that is quick to check
#        tools/lint.sh format        format in place
#        tools/lint.sh tidy BUILD    clang-tidy over what changed; options of check_tidy.py follow

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH=$PWD/.venv/bin:$PATH
# The files may belong to another user, as they do in containers of CI.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$PWD

list_files() {
  git ls-files --cached --others --exclude-standard -- "$@"
}

mapfile -t c_files < <(list_files '*.c' '*.h' '*.cpp' '*.hpp')
mapfile -t cmake_files < <(list_files '*.cmake' 'CMakeLists.txt' '**/CMakeLists.txt')
mapfile -t python_files < <(list_files '*.py')
mapfile -t scripts < <(list_files '*.sh' 'bin/espalier' '.ci/run')
mapfile -t typed_files < <(list_files 'python/*.py' 'tools/*.py' 'espalier/*.py' 'packaging/*.py')

failed=()
check() {
  local title=$1
  shift
  if "$@"; then
    echo "ok      $title"
  else
    echo "FAILED  $title"
    failed+=("$title")
  fi
}

case ${1:-check} in
  check)
    check layering python tools/check_layering.py
    check includes python tools/check_includes.py
    check ascii python tools/check_ascii.py
    check readmes python tools/check_readmes.py
    check links python tools/check_links.py
    check prose python tools/check_prose.py
    check clang-format clang-format --dry-run -Werror "${c_files[@]}"
    check gersemi gersemi --check "${cmake_files[@]}"
    check ruff ruff check -q "${python_files[@]}"
    check ruff-format ruff format -q --check "${python_files[@]}"
    check mypy mypy --no-error-summary "${typed_files[@]}"
    check codespell codespell
    check shellcheck shellcheck "${scripts[@]}"
    check yamllint yamllint -s .github .pre-commit-config.yaml .clang-format .clang-tidy CITATION.cff
    check pyproject validate-pyproject pyproject.toml
    check workflows zizmor --offline -q .github/workflows
    ;;
  format)
    clang-format -i "${c_files[@]}"
    gersemi -i "${cmake_files[@]}"
    ruff check -q --fix-only "${python_files[@]}"
    ruff format -q "${python_files[@]}"
    ;;
  tidy)
    check clang-tidy python tools/check_tidy.py "${@:2}"
    ;;
  *)
    echo "lint: unknown argument '$1'" >&2
    exit 2
    ;;
esac
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
