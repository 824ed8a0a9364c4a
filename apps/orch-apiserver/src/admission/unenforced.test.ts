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

const group = "admissionregistration.o8s.io";
const webhooks = (...policies: readonly string[]) => ({
  metadata: { name: "x" },
  webhooks: policies.map((failurePolicy, index) => ({ name: `w${index}.example.com`, failurePolicy })),
});
const noWebhooks = [expect.stringContaining("does not call admission webhooks")];

test.each(["mutatingwebhookconfigurations", "validatingwebhookconfigurations"])("%s", (plural) => {
  const resource = `${plural}.${group}`;
  expect(answer({ resource, object: webhooks("Ignore") })).toEqual({ warnings: noWebhooks });
  expect(answer({ resource, object: webhooks("Ignore", "Fail") }).refused).toContain(
    'webhooks[1].failurePolicy: found "Fail", but this server does not call admission webhooks',
  );
  expect(answer({ resource, object: webhooks("Fail"), oldObject: webhooks("Ignore") }).refused).toContain(
    'found "Fail"',
  );
  expect(answer({ resource, object: webhooks("Fail"), oldObject: webhooks("Fail") })).toEqual({ warnings: noWebhooks });
  expect(answer({ resource, object: webhooks() })).toEqual({ warnings: [] });
});

test("validating admission policies", () => {
  const binding = (...validationActions: readonly string[]) => ({
    resource: `validatingadmissionpolicybindings.${group}`,
    object: { metadata: {}, spec: { validationActions } },
  });
  const noPolicies = [expect.stringContaining("does not evaluate validating admission policies")];
  expect(answer({ resource: `validatingadmissionpolicies.${group}`, object: {} })).toEqual({ warnings: noPolicies });
  expect(answer(binding("Warn", "Audit"))).toEqual({ warnings: noPolicies });
  expect(answer(binding("Audit", "Deny")).refused).toContain('spec.validationActions: found "Deny"');
  expect(answer({ ...binding("Deny"), oldObject: binding("Deny").object })).toEqual({ warnings: noPolicies });
});

const namespace = (labels: Readonly<Record<string, string>>) => ({ metadata: { name: "ns", labels } });
const podSecurity = (mode: string, level: string) => namespace({ [`pod-security.orchernetes.io/${mode}`]: level });

test.each(["enforce", "audit", "warn"])("namespaces that ask for Pod Security Standards: %s", (mode) => {
  const warned = [
    expect.stringContaining(`metadata.labels[pod-security.orchernetes.io/${mode}]: this server does not check pods`),
  ];
  const write = (object: object, oldObject?: object) =>
    answer({ resource: "namespaces", object, ...(oldObject && { oldObject }) });
  const restricted = podSecurity(mode, "restricted");
  expect(write(restricted)).toEqual({ warnings: warned });
  expect(write(restricted, namespace({}))).toEqual({ warnings: warned });
  expect(write(restricted, podSecurity(mode, "baseline"))).toEqual({ warnings: warned });
  expect(write(restricted, restricted)).toEqual({ warnings: [] });
  expect(write(podSecurity(mode, "privileged"))).toEqual({ warnings: [] });
  expect(write(namespace({ a: "b" }), restricted)).toEqual({ warnings: [] });
});

test.each([
  ["restricted", 1],
  ["baseline", 1],
  ["privileged", 0],
  [undefined, 0],
] as const)("a pod in a namespace that asks for %s", (level, count) => {
  expect(answer({ resource: "pods", object: { metadata: {} } }, level).warnings.length).toBe(count);
});

const profile = (text: string) => ({
  resource: "pods",
  object: { metadata: { annotations: { "container.apparmor.security.beta.orchernetes.io/c": text, other: "x" } } },
});

test("AppArmor profiles", () => {
  expect(answer(profile("localhost/strict")).refused).toContain('found "localhost/strict"');
  expect(answer(profile("runtime/default"))).toEqual({
    warnings: [expect.stringContaining('"runtime/default" has no effect')],
  });
  expect(answer(profile("unconfined"))).toEqual({ warnings: [] });
  const write = profile("localhost/strict");
  expect(answer({ ...write, oldObject: write.object })).toEqual({ warnings: [] });
  expect(answer({ ...write, subresource: "status" })).toEqual({ warnings: [] });
});
