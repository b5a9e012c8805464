// Images. Here, for this machine:   docker buildx bake
// For both platforms, with SBOM and provenance, to a registry:
//
//   VERSION=v1.2.3 IMAGE=registry.example/killick docker buildx bake release --push
//
// A release pins the base images by digest: BUILD_IMAGE=golang:1.26.9-bookworm@sha256:...
// The defaults are those of the Dockerfile.

variable "VERSION" { default = "" } // empty: what the file VERSION holds
variable "REVISION" { default = "" } // git rev-parse HEAD
variable "CREATED" { default = "" } // git log -1 --format=%cI: the same for the same commit
variable "URL" { default = "" }
variable "SOURCE" { default = "" }
variable "IMAGE" { default = "killick" }
variable "TAG" { default = VERSION != "" ? VERSION : "local" }
variable "BUILD_IMAGE" { default = "golang:1.26.9-bookworm" }
variable "BASE_IMAGE" { default = "gcr.io/distroless/static-debian12:nonroot" }

group "default" {
  targets = ["image"]
}

target "image" {
  context = "."
  tags    = ["${IMAGE}:${TAG}"]
  args = {
    BUILD_IMAGE = BUILD_IMAGE
    BASE_IMAGE  = BASE_IMAGE
    VERSION     = VERSION
    REVISION    = REVISION
    CREATED     = CREATED
    URL         = URL
    SOURCE      = SOURCE
  }
}

target "release" {
  inherits  = ["image"]
  platforms = ["linux/amd64", "linux/arm64"]
  attest    = ["type=provenance,mode=max", "type=sbom"]
}
