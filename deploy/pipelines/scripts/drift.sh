#!/bin/sh
# Looks for drift in a pipeline, and keeps one issue open as long as there is some.
#
#   PLUMBLINE_STACK, PLUMBLINE_FOLDER, PLUMBLINE_PLAN_FOLDER  as for plan.sh; the last gets drift.md
#   PLUMBLINE_UNOWNED  true: also what the account has and no stack of the backend owns
#
# Exits with 0 when there is no drift, 3 when there is, else with the code of what failed.
set -eu
here=$(dirname -- "$0")
stack=${PLUMBLINE_STACK:-dev}
folder=${PLUMBLINE_FOLDER:-.}
out=${PLUMBLINE_PLAN_FOLDER:-plumbline-plan}
umask 077
mkdir -p -- "$out"

found=0
# Says what `plumbline drift` finds; anything but drift ends the job, and the issue stays as it is.
look() {
  code=0
  plumbline drift -C "$folder" -s "$stack" --non-interactive --markdown "$@" >> "$out/drift.md" || code=$?
  case $code in
    0) ;;
    3) found=3 ;;
    *) cat -- "$out/drift.md"; exit "$code" ;;
  esac
}

: > "$out/drift.md"
look
if [ "${PLUMBLINE_UNOWNED:-}" = true ]; then
  echo >> "$out/drift.md"
  look --unowned
fi
cat -- "$out/drift.md"
if [ "$found" = 0 ]; then
  node "$here/forge.mjs" close-issue "$out/drift.md"
else
  node "$here/forge.mjs" issue "$out/drift.md"
fi
exit "$found"
