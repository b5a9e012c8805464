# The toolchain is pinned to the patch release: earlier 1.26 ones have a flaw in
# net/http's HTTP/2 server (GO-2026-6617).
FROM golang:1.26.9-bookworm AS build
WORKDIR /src
ENV CGO_ENABLED=0 GOFLAGS=-trimpath
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# docker build --build-arg VERSION=v1.2.3; without it, what the file VERSION holds.
ARG VERSION
RUN go build -tags nomsgpack -ldflags="-s -w -X killick/internal/buildinfo.stamped=${VERSION:-$(cat VERSION)}" -o /out/killick ./cmd/proxy \
 && mkdir -p /out/data

# No shell, no package manager; user and group 65532.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/killick /usr/local/bin/killick
# A named volume takes over the owner of the folder that it is mounted on.
COPY --from=build --chown=65532:65532 /out/data /data

# Within a container loopback reaches nobody; what is published decides. The admin
# listener stays on loopback until KILLICK_ADMIN_LISTEN=:9464 is set, with a
# KILLICK_ADMIN_TOKEN: it starts beyond loopback with a token only. The store's
# secret lies beside the store, not in it: /data/store.secret.
ENV KILLICK_LISTEN=:8080 \
    KILLICK_CACHE_DIR=/data/store
USER 65532:65532
VOLUME /data
EXPOSE 8080 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
    CMD ["/usr/local/bin/killick", "healthcheck"]
# Longer than timeouts.drain of 30s is up to whoever stops it:
# docker stop --time 40, stop_grace_period in compose.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/killick"]
CMD ["serve"]
