import { expect, test } from "vitest";
import { allowedPaths, isAllowedPath } from "./allowed-paths.ts";
import { alwaysAllow, alwaysDeny } from "./always.ts";
import { type Attributes, type Authorizer, pathAttributes } from "./authorizer.ts";
import { privilegedGroups } from "./privileged-groups.ts";

const user = (...groups: readonly string[]) => ({ name: "alice", groups, extra: {} });
const path = (path: string): Attributes => pathAttributes(user("dev"), "get", path);
const resource: Attributes = { ...path("/healthz"), resource: "pods", resourceRequest: true };

const rows: readonly (readonly [string, Authorizer, Attributes, string])[] = [
  ["AlwaysAllow", alwaysAllow, resource, "Allow"],
  ["AlwaysDeny", alwaysDeny, resource, "NoOpinion"],
  ["a member of a privileged group", privilegedGroups("root", "dev"), resource, "Allow"],
  ["no member of a privileged group", privilegedGroups("root"), resource, "NoOpinion"],
  ["no privileged group", privilegedGroups(), resource, "NoOpinion"],
  ["an allowed path", allowedPaths(["/healthz"]), path("/healthz"), "Allow"],
  ["an allowed path written without its slash", allowedPaths(["healthz"]), path("/healthz"), "Allow"],
  ["a path that begins like an allowed one", allowedPaths(["/healthz"]), path("/healthz2"), "NoOpinion"],
  ["a path below an allowed one", allowedPaths(["/healthz"]), path("/healthz/etcd"), "NoOpinion"],
  ["a path with two slashes", allowedPaths(["/healthz"]), path("//healthz"), "NoOpinion"],
  ["the root", allowedPaths(["/"]), path("/"), "Allow"],
  ["a path below the root", allowedPaths(["/"]), path("/healthz"), "NoOpinion"],
  ["a path below a prefix", allowedPaths(["/open/*"]), path("/open/a/b"), "Allow"],
  ["the path of a prefix", allowedPaths(["/open/*"]), path("/open"), "NoOpinion"],
  ["a path that a prefix within a segment covers", allowedPaths(["/open*"]), path("/opened"), "Allow"],
  ["any path", allowedPaths(["*"]), path("/x"), "Allow"],
  ["a resource at an allowed path", allowedPaths(["/healthz", "*"]), resource, "NoOpinion"],
  ["no path", allowedPaths([]), path("/"), "NoOpinion"],
];

test.each(rows)("%s", async (_name, authorizer, attributes, want) => {
  expect((await authorizer.authorize(attributes)).type).toBe(want);
});

test.each([
  ["/a", true],
  ["/a*", true],
  ["", true],
  ["*", true],
  ["/a*/b", false],
  ["/a**", false],
])("%j can be allowed: %s", (path, want) => {
  expect(isAllowedPath(path)).toBe(want);
  if (!want) expect(() => allowedPaths([path])).toThrow(`"${path}": only the last character`);
});
