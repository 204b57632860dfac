#!/bin/sh
# Runs PostgreSQL in its image; the first start makes a database `pigpen` of a user of that name, with POSTGRES_PASSWORD.
# Programs in the container itself (pg_dump) need no password: they come by the socket in /tmp.
set -eu
bin=$(echo /usr/lib/postgresql/*/bin)
data=/var/lib/postgresql/data
if [ ! -s "$data/made" ]; then
    rm -rf "$data"
    printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
    "$bin/initdb" --pgdata="$data" --username=pigpen --pwfile=/tmp/password --encoding=UTF8 --locale=C.UTF-8 \
        --auth-local=trust --auth-host=scram-sha-256
    rm /tmp/password
    echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
    echo 'CREATE DATABASE pigpen' | "$bin/postgres" --single -D "$data" postgres
    echo 1 >"$data/made"
fi
unset POSTGRES_PASSWORD
exec "$bin/postgres" -D "$data" -k /tmp -c listen_addresses='*'
