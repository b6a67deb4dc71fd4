# Stands in for redis:7-alpine: Debian's Redis 7 and the accounts that compose.yaml names.
FROM debian:bookworm-slim
RUN groupadd --gid 1000 redis && useradd --uid 999 --gid redis --no-create-home redis \
  && apt-get update && apt-get install -y --no-install-recommends redis-server
CMD ["redis-server"]
