#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Usage: cluster.sh FOLDER GROUP RATE BURST QUEUE MTU
#
# First process of a process namespace with a mount namespace of its own (hold.sh starts it so):
# makes the hosts that FOLDER/addresses names and a switch between them, and says "ready". It waits
# for the end of its standard input; a line "keep SECONDS" lets it wait for the end of that time
# instead. Then it ends everything that runs on the hosts and removes what it made. Namespaces are
# kept in FOLDER/live, which only processes of the cluster see.
# RATE none: no limit. SECONDS infinity: no end.

set -eu
folder=$1 group=$2 rate=$3 burst=$4 queue=$5 mtu=$6
live=$folder/live

tidy() {
  kill -KILL -1 2>/dev/null || :
  umount -l "$live" 2>/dev/null || :
  rm -rf "$folder"
  tries=50
  while [ -n "$group" ] && [ -d "$group" ] && ! rmdir "$group" 2>/dev/null; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || break
    # What was on its way in when the others were ended.
    kill -KILL -1 2>/dev/null || :
    sleep 0.02
  done
}
trap tidy EXIT
trap '' INT HUP TERM

# on HOST COMMAND...: with the network of a host.
on() {
  network=$live/net-$1
  shift
  nsenter --net="$network" -- "$@"
}

# Reno waits in queues that lose nothing. Without IPv6 hosts are silent until a program speaks, so
# bytes on links are those of programs.
settle() {
  on "$1" sh -c 'cd /proc/sys/net && echo reno >ipv4/tcp_congestion_control &&
    { [ ! -d ipv6 ] || echo 1 >ipv6/conf/all/disable_ipv6; }'
}

limit_rate() {
  if [ "$rate" != none ]; then
    on "$1" tc qdisc add dev "$2" root tbf rate "$rate" burst "$burst" limit "$queue"
  fi
}

add_host() {
  address=$1 name=$2 port=port${2#node}
  touch "$live/net-$name" "$live/uts-$name" "$live/ipc-$name"
  unshare --net="$live/net-$name" --uts="$live/uts-$name" --ipc="$live/ipc-$name" hostname "$name"
  settle "$name"
  on switch ip -batch - <<COMMANDS
link add $port mtu $mtu type veth peer name eth0 mtu $mtu netns $live/net-$name
link set $port master bridge up
COMMANDS
  on "$name" ip -batch - <<COMMANDS
address add $address/16 dev eth0
link set lo up
link set eth0 up
COMMANDS
  limit_rate "$name" eth0
  limit_rate switch "$port"
  # Nobody reads it if the owner has ended: then this one ends too.
  echo "host $name"
}

cd /
mkdir "$live"
mount -t tmpfs tmpfs "$live"
mkdir "$live/tmp"
cp -R "$folder/programs" "$live"
touch "$live/net-switch"
unshare --net="$live/net-switch" true
settle switch
on switch ip link add bridge type bridge stp_state 0 forward_delay 0
on switch ip link set bridge up
while read -r address name; do
  add_host "$address" "$name"
done <"$folder/addresses"
{ echo "127.0.0.1 localhost" && cat "$folder/addresses"; } >"$live/etc-hosts"
mount --bind "$live/etc-hosts" /etc/hosts
touch "$folder/ready"
echo ready
while read -r word seconds; do
  if [ "$word" = keep ]; then
    echo "$seconds" >"$folder/kept"
    echo kept
    exec </dev/null >/dev/null 2>&1
    sleep "$seconds" &
    wait
  fi
done
