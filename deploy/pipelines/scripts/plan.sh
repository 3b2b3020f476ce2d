#!/bin/sh
# Plans a stack in a pipeline: checks it, shows what would change in one comment of the pull or merge request, and keeps the plan.
#
#   PLUMBLINE_STACK        the stack (default: dev)
#   PLUMBLINE_FOLDER       where its file is (default: .)
#   PLUMBLINE_PLAN_FOLDER  gets plan.json and plan.md (default: plumbline-plan)
#   PLUMBLINE_COST         true: also what the plan changes in the cost of a month
#
# What plumbline itself needs (PLUMBLINE_BASE_URL, PLUMBLINE_TOKEN, PLUMBLINE_PASSPHRASE, PLUMBLINE_STATE) comes from the environment.
# Exits with 0 when there is a plan, else with the code of `plumbline preview`: 1 failed, 4 refused by a guard or a policy.
set -eu
here=$(dirname -- "$0")
stack=${PLUMBLINE_STACK:-dev}
folder=${PLUMBLINE_FOLDER:-.}
out=${PLUMBLINE_PLAN_FOLDER:-plumbline-plan}
umask 077
mkdir -p -- "$out"
rm -f -- "$out/plan.json" "$out/plan.md"

plumbline validate -C "$folder" -s "$stack"
if [ -z "${PLUMBLINE_TOKEN:-}" ] && node "$here/forge.mjs" is-fork; then
  echo "This comes from a fork, which gets no secrets: it was checked, and is not planned. Push it to a branch of this repository to see its plan."
  exit 0
fi

set --
[ "${PLUMBLINE_COST:-}" != true ] || set -- --cost
code=0
plumbline preview -C "$folder" -s "$stack" --non-interactive --refresh --detailed-exitcode --markdown "$@" \
  --save-plan "$out/plan.json" > "$out/plan.md" || code=$?
cat -- "$out/plan.md"
node "$here/forge.mjs" comment "$out/plan.md"
# Code 2 says that there are changes.
[ "$code" = 2 ] || exit "$code"
