# The base images are arguments, so that a release can pin them by digest, which no tag does:
#
#   docker build --build-arg BUILD_IMAGE=golang:1.26.9-bookworm@sha256:... \
#       --build-arg BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot@sha256:... .
#
# `docker buildx imagetools inspect IMAGE` prints the digest of today; docker-bake.hcl takes both
# from the environment. For several platforms at once: docker buildx bake release.
#
# The toolchain is pinned to the patch release: earlier 1.26 ones have a flaw in
# net/http's HTTP/2 server (GO-2026-6617).
ARG BUILD_IMAGE=golang:1.26.9-bookworm
ARG BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot
# build compiles here. released takes linux/ARCH/killick from the context: .goreleaser.yaml, whose
# archives and images then hold the same binaries.
ARG BINARY=build

# The compiler runs on the builder's platform and compiles for the image's: no emulation.
FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS build
WORKDIR /src
ENV CGO_ENABLED=0 GOFLAGS=-trimpath
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
# docker build --build-arg VERSION=v1.2.3; without it, what the file VERSION holds.
ARG VERSION
ARG TARGETOS TARGETARCH
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -tags nomsgpack \
        -ldflags="-s -w -X killick/internal/buildinfo.stamped=${VERSION:-$(cat VERSION)}" \
        -o /out/killick ./cmd/proxy \
 && mkdir -p /out/data

FROM scratch AS released
ARG TARGETPLATFORM
COPY ${TARGETPLATFORM}/killick /out/killick
WORKDIR /out/data

FROM ${BINARY} AS binary

# No shell, no package manager; user and group 65532.
FROM ${BASE_IMAGE}
COPY --from=binary /out/killick /usr/local/bin/killick
# A named volume takes over the owner of the folder that it is mounted on.
COPY --from=binary --chown=65532:65532 /out/data /data

# Nothing outside a container can reach its loopback, so it listens on all addresses. The admin
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
# Stopping may take as long as timeouts.notice and timeouts.drain (0s and 30s), and 25 s to close
# connections and the store: docker stop --time 55, stop_grace_period in compose.
STOPSIGNAL SIGTERM

# Last, since they differ with every commit. URL and SOURCE: where this build is published from.
ARG VERSION REVISION CREATED URL SOURCE BASE_IMAGE
LABEL org.opencontainers.image.title="Killick" \
      org.opencontainers.image.description="Reverse proxy that keeps long LLM conversations small" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.url="${URL}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.base.name="${BASE_IMAGE}"
ENTRYPOINT ["/usr/local/bin/killick"]
CMD ["serve"]
