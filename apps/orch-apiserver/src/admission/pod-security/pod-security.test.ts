import { core } from "@orchernetes/api";
import { alwaysDeny } from "@orchernetes/auth";
import { createMetrics } from "@orchernetes/component";
import type { PodSecurityConfiguration } from "@orchernetes/config";
import { expect, test } from "vitest";
import type { PluginSettings } from "../shared/plugin.ts";
import { idleParts, runPlugin, type Write } from "../testing/plugins.ts";
import { existingPodWarnings } from "./existing-pods.ts";
import { podSecurityMetrics } from "./metrics.ts";
import { PodSecurity, podSecurity } from "./pod-security.ts";
import { PREFIX } from "./policy.ts";

const labelled = (labels: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value]));
const namespace = (labels: Readonly<Record<string, string>>, name = "ns") => ({
  metadata: { name, labels: labelled(labels) },
});

/** What the plugin says of a write: its error, warnings, annotations and metrics. */
async function answer(
  write: Omit<Write, "resource"> & { readonly resource?: Write["resource"] },
  labels: Readonly<Record<string, string>> | undefined,
  exemptions: Partial<PodSecurityConfiguration["exemptions"]> = {},
  pods: readonly object[] = [],
) {
  const [warnings, annotations] = [[] as string[], {} as Record<string, string>];
  const metrics = createMetrics();
  const defaults = { enforce: "privileged", audit: "privileged", warn: "privileged" } as const;
  const versions = { "enforce-version": "latest", "audit-version": "latest", "warn-version": "latest" };
  const settings: PluginSettings = {
    flags: { "default-not-ready-toleration-seconds": 30, "default-unreachable-toleration-seconds": 40 },
    featureEnabled: () => false,
    rights: { authorizers: [alwaysDeny], ruleSources: [] },
    metrics,
    ...idleParts,
    expressions: { compiled: () => undefined, evaluated: () => undefined },
    configuration: {
      PodSecurity: {
        defaults: { ...defaults, ...versions },
        exemptions: { usernames: [], namespaces: [], runtimeClasses: [], ...exemptions },
      },
    },
  };
  const error = await runPlugin({ name: "PodSecurity", descriptor: podSecurity }, settings, {
    resource: ["", "pods"],
    ...write,
    stored: [
      [core.namespaces, labels === undefined ? [] : [namespace(labels)]],
      [core.pods, pods],
    ],
    warn: (warning) => warnings.push(warning),
    annotate: (key, value) => {
      annotations[key.replace(PREFIX, "")] = value;
    },
  }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const counted = metrics
    .render()
    .split("\n")
    .filter((line) => line.startsWith("pod_security_") && !line.endsWith(" 0"));
  return { error, warnings, annotations, counted };
}

const plain = { metadata: { name: "p" }, spec: { containers: [{ name: "c" }] } };
const shared = { metadata: { name: "p" }, spec: { containers: [{ name: "c" }], hostPID: true } };
const detail = "host namespaces (hostPID=true)";
const series = (decision: string, level: string, version: string, mode: string, operation: string, resource: string) =>
  `pod_security_evaluations_total{decision="${decision}",policy_level="${level}",policy_version="${version}",mode="${mode}",request_operation="${operation}",resource="${resource}",subresource=""} 1`;

test("a pod of a namespace without labels is admitted unseen", async () => {
  expect(await answer({ object: shared }, {})).toEqual({
    error: undefined,
    warnings: [],
    annotations: { "enforce-policy": "privileged:latest" },
    counted: [series("allow", "privileged", "latest", "enforce", "create", "pod")],
  });
});

test("enforce rejects", async () => {
  expect(await answer({ object: shared }, { enforce: "baseline", "enforce-version": "v1.20" })).toEqual({
    error: `pods "o" is forbidden: violates PodSecurity "baseline:v1.20": ${detail}`,
    warnings: [],
    annotations: { "enforce-policy": "baseline:v1.20" },
    counted: [series("deny", "baseline", "v1.20", "enforce", "create", "pod")],
  });
});

test("audit records and warn warns", async () => {
  const { error, warnings, annotations, counted } = await answer(
    { object: shared },
    { audit: "baseline", warn: "baseline", "warn-version": "v1.99" },
  );
  expect([error, warnings]).toEqual([undefined, [`would violate PodSecurity "baseline:v1.99": ${detail}`]]);
  expect(annotations).toEqual({
    "enforce-policy": "privileged:latest",
    "audit-violations": `would violate PodSecurity "baseline:latest": ${detail}`,
  });
  expect(counted.sort()).toEqual(
    [
      series("allow", "privileged", "latest", "enforce", "create", "pod"),
      series("deny", "baseline", "latest", "audit", "create", "pod"),
      series("deny", "baseline", "future", "warn", "create", "pod"),
    ].sort(),
  );
});

const templates: readonly (readonly [group: string, plural: string, object: object])[] = [
  ["", "podtemplates", { template: shared }],
  ["", "replicationcontrollers", { spec: { template: shared } }],
  ["apps", "daemonsets", { spec: { template: shared } }],
  ["apps", "deployments", { spec: { template: shared } }],
  ["apps", "replicasets", { spec: { template: shared } }],
  ["apps", "statefulsets", { spec: { template: shared } }],
  ["batch", "jobs", { spec: { template: shared } }],
  ["batch", "cronjobs", { spec: { jobTemplate: { spec: { template: shared } } } }],
];

test.each(templates)(
  "templates in %s %s are recorded and warned about, and not rejected",
  async (group, plural, object) => {
    const write = { resource: [group, plural] as const, object: { metadata: { name: "o" }, ...object } };
    const { error, warnings, annotations } = await answer(write, { enforce: "baseline", audit: "baseline" });
    expect([error, warnings]).toEqual([undefined, [`would violate PodSecurity "baseline:latest": ${detail}`]]);
    expect(Object.keys(annotations)).toEqual(["audit-violations"]);
    expect(await answer(write, {})).toEqual({ error: undefined, warnings: [], annotations: {}, counted: [] });
  },
);

const strict = { enforce: "baseline" };
const runtimeClass = { ...shared, spec: { ...shared.spec, runtimeClassName: "vm" } };

test.each<[string, Omit<Write, "resource">, Partial<PodSecurityConfiguration["exemptions"]>]>([
  ["namespace", { object: shared }, { namespaces: ["ns"] }],
  ["user", { object: shared }, { usernames: ["u"] }],
  ["runtimeClass", { object: runtimeClass }, { runtimeClasses: ["vm"] }],
])("exempt by %s", async (why, write, exemptions) => {
  expect(await answer(write, strict, exemptions)).toEqual({
    error: undefined,
    warnings: [],
    annotations: { exempt: why },
    counted: ['pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 1'],
  });
});

const image = (text: string, more: object = {}) => ({
  ...shared,
  spec: { ...shared.spec, containers: [{ name: "c", image: text }], ...more },
});
const debugging = { ephemeralContainers: [{ name: "e", image: "i" }] };

test.each<[string, Omit<Write, "resource">, boolean]>([
  ["labels", { object: image("i"), oldObject: image("i") }, true],
  ["an image", { object: image("j"), oldObject: image("i") }, false],
  [
    "an ephemeral container",
    { object: image("i", debugging), oldObject: image("i"), subresource: "ephemeralcontainers" },
    false,
  ],
  ["another one's labels", { object: image("i", debugging), oldObject: image("i", debugging) }, true],
  ["an init container", { object: image("i", { initContainers: [{ name: "i" }] }), oldObject: image("i") }, false],
  ["status", { object: image("j"), oldObject: image("i"), subresource: "status" }, true],
])("an update of %s", async (_what, write, admitted) => {
  expect((await answer({ ...write, operation: "UPDATE" }, strict)).error === undefined).toBe(admitted);
});

test("labels that are not understood reject what is not restricted, and are recorded", async () => {
  const { error, annotations } = await answer({ object: plain }, { enforce: "x" });
  expect(error).toContain('violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false');
  expect(annotations["error"]).toBe(
    'Failed to parse policy: metadata.labels[pod-security.orchernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
  );
});

test("without its namespace a pod is rejected and a template is not", async () => {
  expect((await answer({ object: plain }, undefined)).error).toContain('failed to lookup namespace "ns"');
  const [[group, plural, object]] = templates as [(typeof templates)[number]];
  expect((await answer({ resource: [group, plural], object }, undefined)).error).toBeUndefined();
});

const namespaces = ["", "namespaces"] as const;
const change = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) => ({
  resource: namespaces,
  name: "ns",
  operation: "UPDATE" as const,
  object: namespace(after),
  oldObject: namespace(before),
});

test("labels of a namespace must be valid when they are new", async () => {
  const bad = { enforce: "x", "warn-version": "y" };
  const { error } = await answer({ resource: namespaces, name: "ns", object: namespace(bad) }, {});
  expect(error).toBe(
    'Namespace "ns" is invalid: [metadata.labels[pod-security.orchernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted, metadata.labels[pod-security.orchernetes.io/warn-version]: Invalid value: "y": must be "latest" or "v1.x"]',
  );
  expect((await answer(change({}, bad), {})).error).toBe(error);
  expect((await answer(change(bad, bad), {})).error).toBeUndefined();
});

const owned = (name: string, spec: object = {}) => ({
  metadata: { name, ownerReferences: [{ uid: "u", controller: true }] },
  spec: { containers: [], ...spec },
});
const existing = [
  owned("b", { hostPID: true }),
  owned("a", { hostPID: true }),
  { metadata: { name: "c" }, spec: { containers: [], hostPID: true, runtimeClassName: "vm" } },
  { metadata: { name: "d" }, spec: { containers: [], hostIPC: true, volumes: [{ name: "v", hostPath: {} }] } },
  { metadata: { name: "e" }, spec: { containers: [] } },
];

test("a stricter level names the pods that it would reject", async () => {
  const { warnings } = await answer(change({}, { enforce: "baseline" }), {}, { runtimeClasses: ["vm"] }, existing);
  expect(warnings).toEqual([
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    "a (and 1 other pod): host namespaces",
    "d: host namespaces, hostPath volumes",
  ]);
});

test.each([
  [{ enforce: "restricted" }, { enforce: "baseline" }],
  [{ enforce: "baseline" }, { enforce: "privileged" }],
  [{ enforce: "baseline" }, { enforce: "baseline", warn: "restricted" }],
])("from %j to %j names none", async (before, after) => {
  expect((await answer(change(before, after), {}, {}, existing)).warnings).toEqual([]);
});

test("an exempt namespace is told that its labels have no effect", async () => {
  const warnings = [
    'namespace "ns" is exempt from Pod Security, and the policy (enforce=baseline:latest) will be ignored',
  ];
  const exempt = { namespaces: ["ns"] };
  expect((await answer(change({}, strict), {}, exempt, existing)).warnings).toEqual(warnings);
  const create = { resource: namespaces, name: "ns", object: namespace(strict) };
  expect((await answer(create, {}, exempt)).warnings).toEqual(warnings);
});

test("the check of existing pods ends at its limits, one pod of each controller first", async () => {
  const level = { level: "baseline", version: "latest" } as const;
  const pods = [...existing.slice(0, 2), existing[3]] as unknown as readonly core.Pod[];
  const signal = new AbortController().signal;
  expect(await existingPodWarnings("ns", level, pods, { maxPods: 2, timeoutMs: 1000, now: () => 0, signal })).toEqual([
    "new PodSecurity enforce level only checked against the first 2 of 3 existing pods",
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    "b: host namespaces",
    "d: host namespaces, hostPath volumes",
  ]);
  let time = 0;
  const slow = { maxPods: 9, timeoutMs: 1, now: () => time++ * 2, signal };
  expect((await existingPodWarnings("ns", level, pods, slow))[0]).toBe(
    "new PodSecurity enforce level only checked against the first 1 of 3 existing pods",
  );
});

test("the plugin takes part in creates and updates", () => {
  const plugin = new PodSecurity({
    configuration: undefined,
    observer: podSecurityMetrics(createMetrics()),
    now: () => 0,
  });
  expect((["CREATE", "UPDATE", "DELETE", "CONNECT"] as const).map((one) => plugin.handles(one))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
