# Stands in for nginx:1.28-alpine: a version of Debian that has `resolve`, and BusyBox for wget.
FROM debian:forky-slim
RUN groupadd --gid 101 nginx && useradd --uid 101 --gid nginx --no-create-home nginx \
  && apt-get update && apt-get install -y --no-install-recommends nginx \
  && ln -s /usr/bin/busybox /usr/local/bin/wget
STOPSIGNAL SIGQUIT
CMD ["nginx", "-g", "daemon off;"]
