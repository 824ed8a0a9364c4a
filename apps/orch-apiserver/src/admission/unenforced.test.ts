import type { AdmissionAttributes, AdmissionContext, Registry } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { unenforcedPolicies } from "./unenforced.ts";

interface Write {
  readonly resource: string;
  readonly object: object;
  readonly oldObject?: object;
  readonly subresource?: string;
}

/** The warnings about a write, or why it is refused. */
function answer({ resource: text, object, oldObject, subresource = "" }: Write, enforce?: string) {
  const [resource = "", group = ""] = text.split(/\.(.*)/s);
  const warnings: string[] = [];
  const labels = enforce === undefined ? {} : { "pod-security.orchernetes.io/enforce": enforce };
  const registry = { forDefinition: () => ({ cached: () => ({ metadata: { name: "ns", labels } }) }) };
  const context = {
    registry: registry as unknown as Registry,
    warn: (warning: string) => warnings.push(warning),
  } as unknown as AdmissionContext;
  const attributes = {
    operation: oldObject === undefined ? "CREATE" : "UPDATE",
    resource: { group, version: "v1", resource },
    subresource,
    namespace: "ns",
    name: "x",
    object,
    oldObject,
  } as unknown as AdmissionAttributes;
  try {
    unenforcedPolicies.validate?.(attributes, context);
    return { warnings };
  } catch (error) {
    return { warnings, refused: (error as Error).message };
  }
}

test("AppArmor profiles are for nodes to load or to refuse", () => {
  const key = "container.apparmor.security.beta.orchernetes.io/c";
  for (const profile of ["localhost/strict", "runtime/default", "unconfined"])
    expect(answer({ resource: "pods", object: { metadata: { annotations: { [key]: profile } } } })).toEqual({
      warnings: [],
    });
});

const onDisk = {
  volumes: [
    { name: "m", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
    { name: "d", emptyDir: { sizeLimit: "1Mi" } },
  ],
};
const limited = { containers: [{ resources: { limits: { cpu: "1", "ephemeral-storage": "2Gi" } } }] };
const claims = { resourceClaims: [{ name: "c" }] };
const claimsText = "resourceClaims: nothing allocates claims of devices: they have no effect";

const place: Readonly<Record<string, readonly [at: string, make: (spec: object) => object]>> = {
  pods: ["spec", (spec) => ({ metadata: {}, spec })],
  podtemplates: ["template.spec", (spec) => ({ metadata: {}, template: { spec } })],
  "cronjobs.batch": [
    "spec.jobTemplate.spec.template.spec",
    (spec) => ({ metadata: {}, spec: { jobTemplate: { spec: { template: { spec } } } } }),
  ],
};
const inTemplate = ["spec.template.spec", (spec: object) => ({ metadata: {}, spec: { template: { spec } } })] as const;
const resources = [
  ...Object.keys(place),
  "replicationcontrollers",
  "replicasets.apps",
  "deployments.apps",
  "daemonsets.apps",
  "statefulsets.apps",
  "jobs.batch",
];

test.each(resources)("nodes enforce limits on local storage, so %s with them get no warning", (resource) => {
  const [, make] = place[resource] ?? inTemplate;
  expect(answer({ resource, object: make({ ...onDisk, ...limited }) })).toEqual({ warnings: [] });
});

test.each(resources)(
  "claims of devices in %s get a warning, but not in updates that leave them as they are",
  (resource) => {
    const [at, make] = place[resource] ?? inTemplate;
    expect(answer({ resource, object: make(claims) })).toEqual({ warnings: [`${at}.${claimsText}`] });
    expect(answer({ resource, object: make({}) })).toEqual({ warnings: [] });
    expect(answer({ resource, object: make(claims), oldObject: make(claims) })).toEqual({ warnings: [] });
    const added = answer({ resource, object: make(claims), oldObject: make({}) });
    expect(added).toEqual({ warnings: resource === "pods" ? [] : [`${at}.${claimsText}`] });
  },
);

test("pods that ask for what the nodes lack", () => {
  const own = { metadata: {}, spec: { hostUsers: false } };
  expect(answer({ resource: "pods", object: own }).refused).toContain("spec.hostUsers: found false");
  expect(answer({ resource: "deployments.apps", object: inTemplate[1](own.spec) })).toEqual({
    warnings: [expect.stringContaining("spec.template.spec.hostUsers: found false")],
  });
  expect(answer({ resource: "pods", object: { metadata: {}, spec: { hostUsers: true } } })).toEqual({ warnings: [] });
});
