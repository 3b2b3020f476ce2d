#!/bin/bash
# <UDF name="site" label="Host name of the site" example="www.shop.example" />
# <UDF name="http_port" label="Port to serve on" default="80" />
# <UDF name="firewall" label="Close every other port?" oneOf="yes,no" default="yes" />
# <UDF name="extras" label="More to install" manyOf="certbot,fail2ban,htop" default="" />
set -euo pipefail

apt-get update
apt-get install --yes nginx ${EXTRAS//,/ }

cat > /etc/nginx/sites-available/default <<CONFIG
server {
  listen ${HTTP_PORT};
  listen [::]:${HTTP_PORT};
  server_name ${SITE};
  root /var/www/html;
}
CONFIG
systemctl reload nginx

if [ "$FIREWALL" = yes ]; then
  apt-get install --yes ufw
  ufw allow ssh
  ufw allow "$HTTP_PORT/tcp"
  ufw --force enable
fi
