#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Usage: cluster.sh FOLDER HOSTS RATE BURST QUEUE MTU GROUP
#
# First process of a process namespace with a private mount namespace (emulated.py starts it so):
# makes the hosts node0, node1, ... and a switch between them, says "ready", and waits for the end
# of its standard input. Then it ends everything that runs on the hosts and removes what it made.
# RATE none: no limit. GROUP: folder of a control group for processes on the hosts, "" for none.

set -eu
folder=$1 num_hosts=$2 rate=$3 burst=$4 queue=$5 mtu=$6 group=$7

tidy() {
  kill -KILL -1 2>/dev/null || :
  grep -o " $folder/[^ ]*" /proc/self/mountinfo | while read -r mounted; do
    umount -l "$mounted" || :
  done
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

limit_rate() {
  if [ "$rate" != none ]; then
    ip netns exec "$1" tc qdisc add dev "$2" root tbf rate "$rate" burst "$burst" limit "$queue"
  fi
}

add_host() {
  name=node$1
  ip netns add "$name"
  ip -n switch link add "port$1" mtu "$mtu" type veth peer name eth0 mtu "$mtu" netns "$name"
  ip -n switch link set "port$1" master bridge up
  ip -n "$name" address add "10.77.$(($1 / 250)).$(($1 % 250 + 1))/16" dev eth0
  ip netns exec "$name" sh -c 'echo reno >/proc/sys/net/ipv4/tcp_congestion_control'
  ip -n "$name" link set lo up
  ip -n "$name" link set eth0 up
  limit_rate "$name" eth0
  limit_rate switch "port$1"
  touch "$folder/uts-$name" "$folder/ipc-$name"
  unshare --uts="$folder/uts-$name" --ipc="$folder/ipc-$name" hostname "$name"
  echo "10.77.$(($1 / 250)).$(($1 % 250 + 1)) $name" >>"$folder/hosts"
}

# A folder made in the /run of this host would stay.
[ -d /run/netns ] || mount -t tmpfs tmpfs /run
mkdir -p /run/netns
mount -t tmpfs tmpfs /run/netns
echo "127.0.0.1 localhost" >"$folder/hosts"
ip netns add switch
ip -n switch link add bridge type bridge stp_state 0 forward_delay 0
ip -n switch link set bridge up
host=0
while [ "$host" -lt "$num_hosts" ]; do
  add_host "$host"
  host=$((host + 1))
done
mount --bind "$folder/hosts" /etc/hosts
echo ready
# Standard output is the pipe on which the owner waits for that.
exec >&2
while read -r _; do :; done
