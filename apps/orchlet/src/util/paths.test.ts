import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPaths, preparePaths } from "./paths.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "o8s-paths-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o7777;

test.each([
  ["is open to all", 0o777, 0o750, 0o750],
  ["is readable for others", 0o755, 0o750, 0o750],
  ["is its owner's alone", 0o700, 0o700, 0o750],
  ["lets others pass through", 0o711, 0o711, 0o751],
])("paths of an agent with a root folder that %s", (_, mode, root_, pods) => {
  chmodSync(root, mode);
  mkdirSync(join(root, "pods"));
  chmodSync(join(root, "pods"), 0o777);
  const paths = preparePaths(root);
  expect([modeOf(root), modeOf(paths.pods), modeOf(paths.podLogs)]).toEqual([root_, pods, pods]);
});

// shows: --root-dir
test("logs are in the log directory of the host only with the default root directory", () => {
  const pod = { namespace: "n", name: "p", uid: "u" };
  const [usual, other] = [createPaths("/var/lib/orchlet"), createPaths("/root")];
  expect([usual.logs(pod), usual.containerLogs]).toEqual(["/var/log/pods/n_p_u", "/var/log/containers"]);
  expect([other.logs(pod), other.containerLogs]).toEqual(["/root/pod-logs/n_p_u", undefined]);
});

test("names that lead out of a folder are rejected as path components", () => {
  const paths = createPaths("/root");
  for (const bad of ["..", ".", "", "a/b", "/", "a\0b"]) {
    for (const use of [
      () => paths.pod(bad),
      () => paths.container("u", bad),
      () => paths.container(bad, "c"),
      () => paths.volume("u", "secret", bad),
      () => paths.subPath("u", bad, "c", 0),
      () => paths.subPath("u", "v", bad, 0),
      () => paths.etcHosts(bad),
    ])
      expect(use).toThrow(/cannot be a file name/);
  }
  for (const bad of ["a/../../b", "a\0"]) expect(() => paths.logs({ namespace: bad, name: "n", uid: "u" })).toThrow();
  expect(paths.volume("u", "secret", "v")).toBe("/root/pods/u/volumes/orchernetes.io~secret/v");
});
