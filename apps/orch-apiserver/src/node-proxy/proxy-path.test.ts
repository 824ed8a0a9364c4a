import { expect, test } from "vitest";
import { splitProxyPath } from "./proxy-path.ts";

test.each([
  ["/api/v1/nodes/n:1/proxy/metrics", "", "/api/v1/nodes/n:1/proxy", "/metrics"],
  ["/api/v1/nodes/proxy/proxy", "", "/api/v1/nodes/proxy/proxy", ""],
  ["/api/v1/namespaces/a/pods/p/proxy", "ns", "/api/v1/namespaces/a/pods/p/proxy", ""],
  ["/api/v1/namespaces/a/pods/p/proxy/", "ns", "/api/v1/namespaces/a/pods/p/proxy", "/"],
  [
    "/api/v1/namespaces/a/pods/proxy-1:80/proxy/x/proxy/",
    "ns",
    "/api/v1/namespaces/a/pods/proxy-1:80/proxy",
    "/x/proxy/",
  ],
  ["/api/v1/namespaces/pods/pods/p/proxy/%2e/", "ns", "/api/v1/namespaces/pods/pods/p/proxy", "/%2e/"],
  [
    "/api/v1/namespaces/proxy/services/services/proxy/a",
    "ns",
    "/api/v1/namespaces/proxy/services/services/proxy",
    "/a",
  ],
])("%s", (path, namespace, prefix, rest) => {
  expect(splitProxyPath({ path, query: "", namespace })).toEqual({ prefix, rest });
  expect(splitProxyPath({ path, query: "a=/proxy", namespace })).toEqual({ prefix, rest: `${rest}?a=/proxy` });
});
