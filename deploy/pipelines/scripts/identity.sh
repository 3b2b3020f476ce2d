#!/bin/sh
# Sourced before the jobs of GitLab: a token of OpenID Connect (PLUMBLINE_ID_TOKEN, made by the forge for this job alone) takes the role AWS_ROLE_ARN, so
# that states on S3 need no keys. Without both nothing happens.

if [ -n "${PLUMBLINE_ID_TOKEN:-}" ] && [ -n "${AWS_ROLE_ARN:-}" ]; then
  AWS_WEB_IDENTITY_TOKEN_FILE=$(mktemp)
  export AWS_WEB_IDENTITY_TOKEN_FILE
  printf %s "$PLUMBLINE_ID_TOKEN" > "$AWS_WEB_IDENTITY_TOKEN_FILE"
fi
