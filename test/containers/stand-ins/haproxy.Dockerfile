# Stands in for haproxy:3.2-alpine: the account that compose.ha.yaml names, and BusyBox for wget.
FROM debian:forky-slim
RUN apt-get update && apt-get install -y --no-install-recommends haproxy \
  && groupmod --gid 99 haproxy && usermod --uid 99 haproxy \
  && ln -s /usr/bin/busybox /usr/local/bin/wget
STOPSIGNAL SIGUSR1
CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
