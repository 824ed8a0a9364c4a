import { expect, test } from "vitest";
import { linkRewriter } from "./link-rewriter.ts";

const prefix = "/api/v1/namespaces/a/pods/p/proxy";
const rewrite = linkRewriter(prefix, "10.0.0.1:80", "localhost:8001");

test.each([
  ["/", `${prefix}/`],
  ["/a?b=/c#d", `${prefix}/a?b=/c#d`],
  ["http://10.0.0.1:80/a", `${prefix}/a`],
  ["//10.0.0.1:80/a", `${prefix}/a`],
  ["http://localhost:8001/a", `http://localhost:8001${prefix}/a`],
  [`${prefix}/a`, `${prefix}/a`],
  [prefix, prefix],
  [`${prefix}-2/a`, `${prefix}${prefix}-2/a`],
])("%s leads to %s", (link, want) => {
  expect(rewrite(link)).toBe(want);
});

test.each([
  "",
  "a",
  "./a",
  "?a",
  "#a",
  "http://example.com/a",
  "//example.com/a",
  "http://10.0.0.1:80",
  "http://user@10.0.0.1:80/",
  "mailto:a@b",
  "data:/x",
  "javascript:/x/",
])("%s stays as it is", (link) => {
  expect(rewrite(link)).toBe(link);
});

test("a path cannot end the value that it stands in", () => {
  expect(linkRewriter("/api/v1/nodes/\"'><&/proxy", "a:80", "b")("/x")).toBe("/api/v1/nodes/%22%27%3E%3C%26/proxy/x");
});
