# The runtime whose containers are plain processes: with the programs that it and they use. Built from dist/images.
FROM debian:bookworm-slim@sha256:96e378d7e6531ac9a15ad505478fcc2e69f371b10f5cdf87857c4b8188404716
RUN apt-get update \
 && apt-get install -y --no-install-recommends busybox-static iproute2 \
 && rm -rf /var/lib/apt/lists/*
COPY node/ /
COPY programs/process-runtime/ /
ENTRYPOINT ["/usr/bin/node", "/usr/lib/orchernetes/main.mjs"]
