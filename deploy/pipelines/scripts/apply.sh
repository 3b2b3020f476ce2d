#!/bin/sh
# Applies a saved plan in a pipeline, exactly it or nothing.
#
#   PLUMBLINE_STACK, PLUMBLINE_FOLDER, PLUMBLINE_PLAN_FOLDER  as for plan.sh
#
# Exits with the code of `plumbline up --plan`: 0 done, 1 failed, 4 refused. A plan that is stale is refused, and so is one that is not
# there any more: plan anew, have that approved, and apply it.
set -eu
stack=${PLUMBLINE_STACK:-dev}
folder=${PLUMBLINE_FOLDER:-.}
plan=${PLUMBLINE_PLAN_FOLDER:-plumbline-plan}/plan.json

if [ ! -f "$plan" ]; then
  echo "There is no plan in $plan."
  code=4
else
  code=0
  plumbline up -C "$folder" -s "$stack" --non-interactive --yes --plan "$plan" || code=$?
fi
[ "$code" != 4 ] || echo "Refused, and nothing was done: plan anew, have that approved, and apply it."
[ -z "${GITHUB_OUTPUT:-}" ] || echo "code=$code" >> "$GITHUB_OUTPUT"
exit "$code"
