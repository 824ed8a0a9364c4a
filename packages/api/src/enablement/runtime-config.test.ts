import { expect, test } from "vitest";
import { allResources } from "../resources.ts";
import { stageOf } from "./group-versions.ts";
import { loadOptionalResources } from "./optional-resources.ts";
import { type ApiEnablement, parseRuntimeConfig } from "./runtime-config.ts";

function enablement(...texts: string[]): ApiEnablement {
  const result = parseRuntimeConfig(texts);
  if ("errors" in result) throw new Error(result.errors.join("; "));
  return result.enablement;
}

const pods = ["", "v1", "pods"] as const;
const deployments = ["apps", "v1", "deployments"] as const;
const daemonSets = ["apps", "v1", "daemonsets"] as const;
const addresses = ["networking.o8s.io", "v1alpha1", "ipaddresses"] as const;
const reviews = ["authentication.o8s.io", "v1beta1", "selfsubjectreviews"] as const;
const flowSchemas = ["flowcontrol.apiserver.o8s.io", "v1beta3", "flowschemas"] as const;
const levels = ["flowcontrol.apiserver.o8s.io", "v1beta3", "prioritylevelconfigurations"] as const;
const some: Readonly<Record<string, readonly [string, string, string]>> = {
  pods,
  deployments,
  daemonSets,
  addresses,
  reviews,
  flowSchemas,
  levels,
};

test.each([
  [[], "pods deployments daemonSets flowSchemas levels"],
  [["api/all=true"], "pods deployments daemonSets addresses reviews flowSchemas levels"],
  [["api/all=false", "v1=true"], "pods"],
  [["api/all=false", "/v1"], "pods"],
  [["api/all=false", "api/ga=true"], "pods deployments daemonSets"],
  [["v1=true", "api/all=false"], "pods"],
  [["api/alpha=true"], "pods deployments daemonSets addresses flowSchemas levels"],
  [["api/beta=true"], "pods deployments daemonSets reviews flowSchemas levels"],
  [["api/beta=false"], "pods deployments daemonSets"],
  [["api/beta=false", "flowcontrol.apiserver.o8s.io/v1beta3"], "pods deployments daemonSets flowSchemas levels"],
  [["api/ga=false", "apps/v1=true"], "deployments daemonSets flowSchemas levels"],
  [["apps/v1=false"], "pods flowSchemas levels"],
  [["apps/v1/deployments=false"], "pods daemonSets flowSchemas levels"],
  [["apps/v1/deployments=true", "apps/v1=false"], "pods deployments flowSchemas levels"],
  [["apps/v1=F", "apps/v1=1"], "pods deployments daemonSets flowSchemas levels"],
  [["networking.o8s.io/v1alpha1/ipaddresses=true"], "pods deployments daemonSets addresses flowSchemas levels"],
  [["flowcontrol.apiserver.o8s.io/v1beta3/flowschemas=false"], "pods deployments daemonSets levels"],
  [["flowcontrol.apiserver.o8s.io/v1beta3=false"], "pods deployments daemonSets"],
  [["batch/v1beta1=true", " "], "pods deployments daemonSets flowSchemas levels"],
])("%j serves %s", (texts, want) => {
  const served = enablement(...texts);
  const on = Object.entries(some).filter(([, resource]) => served.enabled(...resource));
  expect(on.map(([name]) => name).join(" ")).toBe(want);
  for (const [, [group, version]] of on) expect(served.anyEnabled(group, version)).toBe(true);
});

test.each([
  [["api/all=false"], [/^invalid key with only api\/all=false/]],
  [["api/all=maybe"], [/^invalid value api\/all=maybe/]],
  [["api/beta="], [/^invalid value api\/beta=/]],
  [["apps=true"], [/^runtime-config invalid key apps:/]],
  [["apps/v1/deployments/status=true"], [/^runtime-config invalid key apps\/v1\/deployments\/status:/]],
  [["api/v1=true", "nope/v1=true"], [/^unknown api groups api,nope$/]],
  [["constructor/v1=true"], [/^unknown api groups constructor$/]],
  [["batch/v9=true"], [/^group version batch\/v9 that has not been registered; batch has v1, v1beta1$/]],
  [["apps/v1=maybe"], [/^invalid value of apps\/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax$/]],
  [
    ["apps/v1/Deployments=true", "batch/v9=true"],
    [
      /^invalid key apps\/v1\/Deployments: group\/version\/resource and resource is always lowercase plural, not "Deployments"$/,
      /^group version batch\/v9/,
    ],
  ],
])("%j is rejected", (texts, wants) => {
  const result = parseRuntimeConfig(texts);
  const errors = "errors" in result ? result.errors : [];
  expect(errors).toHaveLength(wants.length);
  wants.forEach((want, i) => {
    expect(errors[i]).toMatch(want);
  });
});

test("every resource is of a known version, and is enabled by default exactly if its version is", async () => {
  const byDefault = enablement();
  const all = enablement("api/all=true");
  const is = (served: ApiEnablement) => (one: { group: string; version: string; plural: string }) =>
    served.enabled(one.group, one.version, one.plural);
  const optional = await loadOptionalResources(() => true);
  expect(allResources.filter((one) => !is(byDefault)(one))).toEqual([]);
  expect(optional.filter(is(byDefault))).toEqual([]);
  expect([...allResources, ...optional].filter((one) => !is(all)(one))).toEqual([]);
});

test.each([
  ["v1", "ga"],
  ["v12", "ga"],
  ["v1beta3", "beta"],
  ["v2alpha1", "alpha"],
  ["v1gamma1", undefined],
  ["1", undefined],
])("%s is %s", (version, want) => {
  expect(stageOf(version)).toBe(want);
});
