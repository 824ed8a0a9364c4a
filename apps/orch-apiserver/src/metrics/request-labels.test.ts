import { type MeasuredRequest, parseRequestInfo } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { dryRunOf, fieldValidationOf, pageOf, reportedVerb, scopeOf, userLabel } from "./request-labels.ts";

const pods = "/api/v1/namespaces/a/pods";

test.each([
  ["GET", pods, "LIST"],
  ["HEAD", `${pods}/x`, "GET"],
  ["GET", `${pods}?watch=true`, "WATCH"],
  ["PATCH", `${pods}/x`, "PATCH"],
  ["DELETE", `${pods}/x`, "DELETE"],
  ["PROPFIND", pods, "OTHER"],
  ["constructor", pods, "OTHER"],
  ["__proto__", pods, "OTHER"],
])("the verb of %s %s is %s", (method, url, want) => {
  const request = { info: parseRequestInfo(method, url), req: { method, headers: {} } } as unknown as MeasuredRequest;
  expect(reportedVerb(request)).toBe(want);
});

test("a patch counts as an apply by its content type", () => {
  const verbOf = (type: string) =>
    reportedVerb({
      info: parseRequestInfo("PATCH", `${pods}/x`),
      req: { method: "PATCH", headers: { "content-type": type } },
    } as unknown as MeasuredRequest);
  expect(verbOf("application/apply-patch+yaml")).toBe("APPLY");
  expect(verbOf("application/merge-patch+json")).toBe("PATCH");
});

test.each([
  ["GET", "/healthz", ""],
  ["GET", pods, "namespace"],
  ["GET", `${pods}/x`, "resource"],
  ["POST", pods, "resource"],
  ["DELETE", pods, "namespace"],
  ["GET", "/api/v1/pods", "cluster"],
  ["GET", "/api/v1/nodes", "cluster"],
  ["GET", "/api/v1/nodes/n", "resource"],
])("the scope of %s %s is %j", (method, url, want) => {
  expect(scopeOf(parseRequestInfo(method, url))).toBe(want);
});

test.each([
  ["/healthz", "/healthz"],
  ["/healthz/etcd", "/healthz"],
  ["/healthzz", ""],
  ["/api", "/api"],
  ["/api/v1", "/api"],
  ["/apis", "/apis"],
  ["/apis/apps/v1", "/apis"],
  ["/apisx", ""],
  ["/openapi/v3/apis/apps", "/openapi"],
  ["/", ""],
  ["", ""],
  ["/a/healthz", ""],
])("the path %j belongs to the page %j", (path, want) => {
  expect(pageOf(path)).toBe(want);
});

test.each([
  ["", "", ""],
  ["?dryRun=All", "All", ""],
  ["?dryRun=All&dryRun=All", "All", ""],
  ["?dryRun=All&dryRun=x", "invalid", ""],
  ["?dryRun=", "invalid", ""],
  ["?dryRun=all", "invalid", ""],
  ["?notdryRun=All", "", ""],
  ["?fieldValidation=Strict", "", "Strict"],
  ["?fieldValidation=Warn&dryRun=All", "All", "Warn"],
  ["?fieldValidation=strict", "", "invalid"],
  ["?fieldValidation=", "", ""],
  ["?x=fieldValidation", "", ""],
  ["?fieldValidation=constructor", "", "invalid"],
])("the query %j has the labels %j and %j", (query, dryRun, fieldValidation) => {
  const info = parseRequestInfo("POST", `${pods}${query}`);
  expect([dryRunOf(info), fieldValidationOf(info)]).toEqual([dryRun, fieldValidation]);
});

test.each([
  ["admin", "admin"],
  ["system:serviceaccount:orch-system:default", "system:serviceaccount:orch-system:default"],
  ["system:serviceaccount:a:default", "other"],
  ["ann@example.com", "email_id"],
  ["", "other"],
  ["constructor", "other"],
])("user %j counts as %s, so that the number of series has a limit", (name, want) => {
  expect(userLabel(name)).toBe(want);
});
