FROM debian:bookworm-slim@sha256:96e378d7e6531ac9a15ad505478fcc2e69f371b10f5cdf87857c4b8188404716
RUN apt-get update \
 && apt-get install -y --no-install-recommends etcd-server \
 && rm -rf /var/lib/apt/lists/*
ENTRYPOINT ["/usr/bin/etcd"]
