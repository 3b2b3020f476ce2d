/** Public scripts of other accounts, which every account finds. */

import type { World } from "../../area.ts";
import { type StackScript, stackScripts } from "./script.ts";

type Published = Pick<
  StackScript,
  "id" | "username" | "label" | "description" | "images" | "rev_note" | "script" | "deployments_total"
>;

const published: readonly Published[] = [
  {
    id: 1021,
    username: "harbourside",
    label: "First user and keys",
    description: "Makes a first user who may become root, takes over root's keys and closes password logins.",
    images: ["compute/debian11", "compute/debian12", "compute/ubuntu22.04"],
    rev_note: "Debian 12",
    deployments_total: 4210,
    script: `#!/bin/bash
# <UDF name="username" label="Name of the user" example="alex" default="admin" />
# <UDF name="close_passwords" label="Close password logins?" oneOf="yes,no" default="yes" />
set -euo pipefail
useradd --create-home --shell /bin/bash --groups sudo "$USERNAME"
install -d -m 700 -o "$USERNAME" -g "$USERNAME" "/home/$USERNAME/.ssh"
install -m 600 -o "$USERNAME" -g "$USERNAME" /root/.ssh/authorized_keys "/home/$USERNAME/.ssh/"
if [ "$CLOSE_PASSWORDS" = yes ]; then
  sed -i 's/^#*PasswordAuthentication.*/PasswordAuthentication no/' /etc/ssh/sshd_config
  systemctl reload ssh
fi
`,
  },
  {
    id: 2407,
    username: "northfield-ops",
    label: "PostgreSQL with a database",
    description: "Installs PostgreSQL, with one database and its owner.",
    images: ["compute/debian12"],
    rev_note: "",
    deployments_total: 873,
    script: `#!/bin/sh
# <udf name="db_name" label="Database" example="shop">
# <udf name="db_password" label="Password of its owner" example="a long one">
# <udf name="extensions" label="Extensions" manyof="pgcrypto,postgis,citext" default="">
set -e
apt-get update && apt-get install -y postgresql
su postgres -c "createuser --no-superuser $DB_NAME && createdb --owner $DB_NAME $DB_NAME"
su postgres -c "psql -c \\"ALTER USER $DB_NAME PASSWORD '$DB_PASSWORD'\\""
for one in $(echo "$EXTENSIONS" | tr , ' '); do
  su postgres -c "psql $DB_NAME -c 'CREATE EXTENSION $one'"
done
`,
  },
  {
    id: 3318,
    username: "harbourside",
    label: "Time from our own region",
    description: "",
    images: ["any/all"],
    rev_note: "",
    deployments_total: 96,
    script: `#!/bin/sh
command -v timedatectl && timedatectl set-ntp true
`,
  },
];

/** Puts them into a new account. */
export function publish(world: World): void {
  for (const one of published)
    stackScripts(world).insert({
      ...one,
      images: [...one.images],
      is_public: true,
      created: "2023-06-14T09:30:00",
      updated: "2024-01-22T16:05:00",
      _foreign: true,
      _deploymentsActive: Math.floor(one.deployments_total / 10),
    });
}
