import { type MeasuredRequest, parseRequestInfo } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { reportedVerb } from "./request-labels.ts";

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
