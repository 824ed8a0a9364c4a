import { expect, test } from "vitest";
import { isTrue, parseRequestInfo } from "./request-info.ts";

/** What a request is about, as `verb group/version namespace resource/subresource name`. */
function meaning(method: string, url: string): string {
  const info = parseRequestInfo(method, url);
  if (!info.isResourceRequest) return `${info.verb} ${info.path}`;
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  return [info.verb, `${info.apiGroup}/${info.apiVersion}`, info.namespace || "-", resource, info.name || "-"].join(
    " ",
  );
}

test.each([
  ["GET", "/api/v1/pods", "list /v1 - pods -"],
  ["HEAD", "/api/v1/pods", "list /v1 - pods -"],
  ["GET", "/api/v1/namespaces/a/pods", "list /v1 a pods -"],
  ["GET", "/api/v1/namespaces/a/pods/", "list /v1 a pods -"],
  ["GET", "/api/v1/namespaces/a/pods/x", "get /v1 a pods x"],
  ["HEAD", "/api/v1/namespaces/a/pods/x", "get /v1 a pods x"],
  ["GET", "/api/v1/namespaces/a/pods/x/log?follow=true", "get /v1 a pods/log x"],
  ["POST", "/api/v1/namespaces/a/pods", "create /v1 a pods -"],
  ["POST", "/api/v1/namespaces/a/pods/x/exec", "create /v1 a pods/exec x"],
  ["PUT", "/apis/apps/v1/namespaces/a/deployments/x/status", "update apps/v1 a deployments/status x"],
  ["PATCH", "/apis/apps/v1/namespaces/a/deployments/x", "patch apps/v1 a deployments x"],
  ["DELETE", "/apis/apps/v1/namespaces/a/deployments/x", "delete apps/v1 a deployments x"],
  ["DELETE", "/apis/apps/v1/namespaces/a/deployments", "deletecollection apps/v1 a deployments -"],
  ["GET", "/apis/apps/v1/deployments?watch=1", "watch apps/v1 - deployments -"],
  ["GET", "/apis/apps/v1/deployments?watch=0", "list apps/v1 - deployments -"],
  ["GET", "/api/v1/namespaces/a/pods/x?watch=true", "get /v1 a pods x"],
  ["GET", "/api/v1/watch/namespaces/a/pods", "watch /v1 a pods -"],
  ["GET", "/api/v1/watch/namespaces/a/pods/x", "watch /v1 a pods x"],
  ["GET", "/api/v1/namespaces", "list /v1 - namespaces -"],
  ["GET", "/api/v1/namespaces/a", "get /v1 a namespaces a"],
  ["PUT", "/api/v1/namespaces/a/finalize", "update /v1 a namespaces/finalize a"],
  ["GET", "/api/v1/namespaces/a/status", "get /v1 a namespaces/status a"],
  ["GET", "/api/v1/namespaces/a/statuses", "list /v1 a statuses -"],
  ["GET", "/api/v1/nodes/n/proxy/stats/summary", "get /v1 - nodes/proxy n"],
  [
    "GET",
    "/apis/rbac.authorization.o8s.io/v1/clusterroles/system%3Anode",
    "get rbac.authorization.o8s.io/v1 - clusterroles system:node",
  ],
])("%s %s is %s", (method, url, want) => {
  expect(meaning(method, url)).toBe(want);
});

test.each([
  ["GET", "/", "get /"],
  ["GET", "/healthz", "get /healthz"],
  ["POST", "/healthz/ping?verbose", "post /healthz/ping"],
  ["GET", "/api", "get /api"],
  ["GET", "/api/v1", "get /api/v1"],
  ["GET", "/api/v1/", "get /api/v1/"],
  ["GET", "/apis/apps", "get /apis/apps"],
  ["GET", "/apis/apps/v1", "get /apis/apps/v1"],
  ["GET", "/apisx/apps/v1/deployments", "get /apisx/apps/v1/deployments"],
  ["GET", "/API/v1/pods", "get /API/v1/pods"],
  ["GET", "//api/v1/pods", "get //api/v1/pods"],
  ["GET", "", "get "],
])("%s %s is about no resource", (method, url, want) => {
  expect(meaning(method, url)).toBe(want);
});

const query = (selector: string) => `/api/v1/namespaces/a/pods?fieldSelector=${encodeURIComponent(selector)}`;

test.each([
  ["metadata.name=x", "x"],
  ["metadata.name==x", "x"],
  ["spec.nodeName=n,metadata.name=x", "x"],
  ["metadata.name!=x", ""],
  ["metadata.namespace=x", ""],
  ["metadata.name=", ""],
  ["metadata.name=..", ""],
  ["metadata.name=.", ""],
  ["metadata.name=a/b", ""],
  ["metadata.name=a%2Fb", ""],
  ["metadata.name=x=y=z,,", ""],
  ["nonsense", ""],
])("a list with the field selector %s is authorized for the name %j", (selector, want) => {
  expect(parseRequestInfo("GET", query(selector))).toMatchObject({ verb: "list", name: want });
});

test("a field selector names nothing when a collection is deleted", () => {
  expect(parseRequestInfo("DELETE", query("metadata.name=x"))).toMatchObject({ verb: "deletecollection", name: "" });
});

test.each([
  "/api/v1//pods",
  "/api//namespaces/a/pods",
  "/apis//v1/deployments/x",
  "/api/v1/namespaces//pods",
  "/api/v1/namespaces/a/pods//x",
  "/api/v1/namespaces/a/pods/x//",
])("the empty segment in %s is not skipped, because it would shift the meaning of the others", (url) => {
  expect(() => parseRequestInfo("GET", url)).toThrow(expect.objectContaining({ code: 404 }));
});

test.each(["%", "%g0", "%ff", "%c3%28", "a%2"])("a name written %s is a bad request", (name) => {
  expect(() => parseRequestInfo("GET", `/api/v1/namespaces/a/pods/${name}`)).toThrow(
    expect.objectContaining({ code: 400 }),
  );
});

test("a URL may have 32 KiB and not one character more", () => {
  const url = (length: number) => `/healthz?${"x".repeat(length - "/healthz?".length)}`;
  expect(parseRequestInfo("GET", url(32 * 1024)).path).toBe("/healthz");
  expect(() => parseRequestInfo("GET", url(32 * 1024 + 1))).toThrow(expect.objectContaining({ code: 400 }));
});

test.each([
  [null, false],
  ["", true],
  ["1", true],
  ["true", true],
  ["yes", true],
  ["0", false],
  ["false", false],
  ["FALSE", false],
])("the query parameter %j is set: %s", (value, want) => {
  expect(isTrue(value)).toBe(want);
});
