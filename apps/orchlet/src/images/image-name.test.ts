import { expect, test } from "vitest";
import { parseImageName } from "./image-name.ts";

const sha256 = `sha256:${"0a".repeat(32)}`;

test.each([
  ["busybox", "busybox:latest"],
  ["busybox:1", "busybox:1"],
  ["localhost/a", "localhost/a:latest"],
  ["localhost:5000/a/b", "localhost:5000/a/b:latest"],
  ["Registry.example.com/a", "Registry.example.com/a:latest"],
  ["docker.io/nginx", "docker.io/nginx:latest"],
  ["a__b/c-----d/e_f.g", "a__b/c-----d/e_f.g:latest"],
  [`a:${"T".repeat(128)}`, `a:${"T".repeat(128)}`],
  [`a@${sha256}`, `a@${sha256}`],
  [`a:1@${sha256}`, `a:1@${sha256}`],
])("the image %s is pulled as %s", (image, reference) => {
  expect(parseImageName(image)).toEqual({ reference });
});

const lowercase = "invalid reference format: repository name must be lowercase";
const invalid = "invalid reference format";

test.each([
  ["", invalid],
  ["a b", invalid],
  ["-a", invalid],
  ["a-", invalid],
  ["a//b", invalid],
  ["a..b", invalid],
  ["a___b", invalid],
  ["a:", invalid],
  ["a::b", invalid],
  ["a:.b", invalid],
  [`a:${"t".repeat(129)}`, invalid],
  ["https://example.com/a", invalid],
  ["[::1]:5000/a", invalid],
  ["a@", invalid],
  ["a@sha256:00", invalid],
  ["Busybox", lowercase],
  ["a/B", lowercase],
  ["localhost/B:1", lowercase],
  ["a".repeat(64), `invalid repository name (${"a".repeat(64)}), cannot specify 64-byte hexadecimal strings`],
  [`a${"/b".repeat(200)}`, "repository name must not be more than 255 characters"],
  [`a@sha256:${"0".repeat(63)}`, "invalid checksum digest length"],
  [`a@sha256:${"0A".repeat(32)}`, "invalid checksum digest format"],
  [`a@md5:${"0".repeat(32)}`, "unsupported digest algorithm"],
  [`a@SHA256:${"0".repeat(64)}`, lowercase],
  [`a:1@SHA256:${"0".repeat(64)}`, "invalid checksum digest format"],
])("%s is no image: %s", (image, error) => {
  expect(parseImageName(image)).toEqual({ error });
});
