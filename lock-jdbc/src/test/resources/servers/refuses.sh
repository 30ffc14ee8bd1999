#!/usr/bin/env bash
# Stands in for a script that cannot run here.
echo "something before" >&2
echo "there is no such server" >&2
exit 1
