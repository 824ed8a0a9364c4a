import {
  type ApiObject,
  decodeProtobuf,
  encodeProtobuf,
  type MessageSchema,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import * as policiesV1alpha1 from "../src/admissionregistration/v1alpha1/index.ts";
import * as policies from "../src/admissionregistration/v1beta1/index.ts";
import { storageVersions } from "../src/apiserverinternal/v1alpha1/index.ts";
import { clusterCIDRs, ipAddresses } from "../src/networking/v1alpha1/index.ts";
import * as resource from "../src/resource/v1alpha2/index.ts";
import { erase } from "../src/shared/definitions.ts";
import { create, defaulted, merged, row, subresourceStrategy, update } from "./support.ts";

const rules = [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] }];
const policy = {
  metadata: { name: "p" },
  spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: "true" }] },
};
const binding = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"] } };
const claim = { metadata: { name: "c", namespace: "n" }, spec: { resourceClassName: "r" } };
const owner = { resource: "pods", name: "p", uid: "u" };

type Case = [title: string, definition: ResourceDefinition, body: object, errors: readonly string[]];
const of = <T extends ApiObject>(
  title: string,
  definition: ResourceDefinition<T>,
  body: unknown,
  ...errors: string[]
): Case => [title, erase(definition), body as object, errors];

describe("create", () => {
  test.each<Case>([
    of("policy", policies.validatingAdmissionPolicies, policy),
    of("old policy", policiesV1alpha1.validatingAdmissionPolicies, policy),
    of(
      "empty policy",
      policies.validatingAdmissionPolicies,
      { metadata: { name: "p" }, spec: {} },
      "spec.matchConstraints: Required value",
      "spec.validations: Required value: validations or auditAnnotations must be provided",
      "spec.auditAnnotations: Required value: validations or auditAnnotations must be provided",
    ),
    of(
      "policy without rules",
      policies.validatingAdmissionPolicies,
      merged(policy, { spec: { matchConstraints: { resourceRules: null } } }),
      "spec.matchConstraints.resourceRules: Required value",
    ),
    of(
      "policy with bad parts",
      policies.validatingAdmissionPolicies,
      merged(policy, {
        spec: {
          failurePolicy: "Maybe",
          paramKind: { apiVersion: "a/b/c", kind: "Has Space" },
          matchConstraints: { matchPolicy: "Odd", resourceRules: [{ ...rules[0], resourceNames: ["a/b", "c", "c"] }] },
          variables: [
            { name: "1x", expression: "1" },
            { name: "y", expression: " " },
          ],
          validations: [{ expression: " ", reason: "Odd", message: " ", messageExpression: " " }],
          auditAnnotations: [
            { key: "k", valueExpression: "'a'" },
            { key: "k", valueExpression: "" },
          ],
        },
      }),
      'spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      expect.stringMatching(
        /^spec.paramKind.kind: Invalid value: "Has Space": may have mixed case, but should otherwise/,
      ),
      'spec.matchConstraints.matchPolicy: Unsupported value: "Odd": supported values: "Equivalent", "Exact"',
      "spec.matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: \"a/b\": may not contain '/'",
      'spec.matchConstraints.resourceRules[0].resourceNames[2]: Duplicate value: "c"',
      'spec.variables[0].name: Invalid value: "1x": name is not a valid CEL identifier',
      "spec.variables[1].expression: Required value: expression is not specified",
      "spec.validations[0].expression: Required value: expression is not specified",
      'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
      'spec.validations[0].message: Invalid value: " ": message must be non-empty if specified',
      'spec.validations[0].reason: Unsupported value: "Odd": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"',
      "spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified",
      'spec.auditAnnotations[1].key: Duplicate value: "k"',
    ),
    of("binding", policies.validatingAdmissionPolicyBindings, binding),
    of(
      "old binding with a parameter",
      policiesV1alpha1.validatingAdmissionPolicyBindings,
      merged(binding, { spec: { paramRef: { name: "x" } } }),
    ),
    of(
      "binding with bad parts",
      policies.validatingAdmissionPolicyBindings,
      merged(binding, {
        spec: {
          policyName: "",
          paramRef: { name: "x", selector: {}, parameterNotFoundAction: "Odd" },
          validationActions: ["Deny", "Warn", "Odd", "Deny"],
        },
      }),
      "spec.policyName: Required value",
      expect.stringMatching(/^spec.policyName: Invalid value: "": a lowercase RFC 1123 subdomain/),
      "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "Odd": supported values: "Allow", "Deny"',
      'spec.validationActions[2]: Unsupported value: "Odd": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions[3]: Duplicate value: "Deny"',
      expect.stringMatching(/^spec.validationActions: Invalid value: .*must not contain both Deny and Warn/),
    ),
    of("range", clusterCIDRs, { spec: { perNodeHostBits: 8, ipv4: "10.0.0.0/16", ipv6: "fd00::/64" } }),
    of(
      "no range",
      clusterCIDRs,
      { spec: { perNodeHostBits: 8 } },
      "spec: Required value: one or both of `ipv4` and `ipv6` must be specified",
    ),
    of(
      "ranges of the wrong family or size",
      clusterCIDRs,
      { spec: { perNodeHostBits: 17, ipv4: "10.0.0.0/16", ipv6: "10.0.0.0/16" } },
      "spec.perNodeHostBits: Invalid value: 17: must be less than or equal to 16",
      'spec.ipv6: Invalid value: "10.0.0.0/16": must be a valid IPv6 CIDR',
    ),
    of(
      "a range of few addresses, and none",
      clusterCIDRs,
      { spec: { perNodeHostBits: 3, ipv4: "10.0.0.0/16", ipv6: "x" } },
      "spec.perNodeHostBits: Invalid value: 3: must be greater than or equal to 4",
      'spec.ipv6: Invalid value: "x": must be a valid CIDR: invalid CIDR address',
    ),
    of("address", ipAddresses, { spec: { parentRef: { resource: "services", name: "s", namespace: "n" } } }),
    of("address of nobody", ipAddresses, { spec: {} }, "spec.parentRef: Required value"),
    of(
      "address of something odd",
      ipAddresses,
      { spec: { parentRef: { group: "A", name: "a/b" } } },
      expect.stringMatching(/^spec.parentRef.group: Invalid value: "A"/),
      "spec.parentRef.resource: Required value",
      "spec.parentRef.name: Invalid value: \"a/b\": may not contain '/'",
    ),
    of("storage version", storageVersions, { metadata: { name: "apps.deployments" }, spec: {} }),
    of("claim", resource.resourceClaims, claim),
    of(
      "claim with bad parts",
      resource.resourceClaims,
      merged(claim, { spec: { parametersRef: { kind: "K" }, allocationMode: "Odd" } }),
      "spec.parametersRef.name: Required value",
      'spec.allocationMode: Unsupported value: "Odd": supported values: "Immediate", "WaitForFirstConsumer"',
    ),
    of(
      "claim template",
      resource.resourceClaimTemplates,
      { spec: { metadata: { labels: { a: "-" } }, spec: { resourceClassName: "r" } } },
      expect.stringMatching(/^spec.metadata.labels: Invalid value: "-"/),
    ),
    of("class", resource.resourceClasses, { driverName: "d.example.com", parametersRef: { kind: "K", name: "n" } }),
    of(
      "class with bad parts",
      resource.resourceClasses,
      {
        driverName: "",
        parametersRef: { kind: "", name: "n", namespace: "A" },
        suitableNodes: { nodeSelectorTerms: [] },
      },
      "driverName: Required value",
      expect.stringMatching(/^driverName: Invalid value: ""/),
      "parametersRef.kind: Required value",
      expect.stringMatching(/^parametersRef.namespace: Invalid value: "A"/),
      "suitableNodes.nodeSelectorTerms: Required value: must have at least one node selector term",
    ),
    of(
      "scheduling context",
      resource.podSchedulingContexts,
      { spec: { potentialNodes: ["a", "a", "B"] } },
      'spec.potentialNodes[1]: Duplicate value: "a"',
      expect.stringMatching(/^spec.potentialNodes\[2\]: Invalid value: "B"/),
    ),
    of(
      "too many nodes",
      resource.podSchedulingContexts,
      { spec: { potentialNodes: Array.from({ length: 129 }, (_, i) => `n${i}`) } },
      "spec.potentialNodes: Too many: 129: must have at most 128 items",
    ),
  ])("%s", (_, definition, body, errors) => {
    expect(create(definition, body).errors).toEqual(errors);
  });
});

test("defaults of policies", () => {
  const { spec } = defaulted(policies.validatingAdmissionPolicies, policy);
  expect(spec).toMatchObject({
    failurePolicy: "Fail",
    matchConstraints: { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} },
  });
  expect(spec.matchConstraints?.resourceRules?.[0]?.scope).toBe("*");
  const used = defaulted(
    policies.validatingAdmissionPolicyBindings,
    merged(binding, { spec: { paramRef: { name: "x" } } }),
  );
  expect(used.spec.paramRef?.parameterNotFoundAction).toBe("Deny");
});

test("resource rules survive a round trip through protobuf", () => {
  const definition = policies.validatingAdmissionPolicies;
  const whole = defaulted(
    definition,
    merged(policy, { spec: { matchConstraints: { resourceRules: [{ ...rules[0], resourceNames: ["a"] }] } } }),
  );
  const schema = definition.schema as MessageSchema<ApiObject>;
  expect(decodeProtobuf(schema, encodeProtobuf(schema, whole))).toMatchObject({ spec: whole.spec });
});

test("both versions of a policy share one stored form", () => {
  const { storedAs } = policiesV1alpha1.validatingAdmissionPolicies;
  const old = defaulted(policiesV1alpha1.validatingAdmissionPolicies, {
    ...policy,
    apiVersion: "admissionregistration.o8s.io/v1alpha1",
    kind: "ValidatingAdmissionPolicy",
  });
  const stored = storedAs?.toStored?.(old);
  expect(stored).toMatchObject({ apiVersion: "admissionregistration.o8s.io/v1beta1", spec: { failurePolicy: "Fail" } });
  expect(stored && storedAs?.fromStored?.(stored)).toEqual(old);
});

test.each([
  ["10.0.0.1", 0],
  ["fd00::1", 0],
  ["fd00:0::1", 1],
  ["FD00::1", 1],
  ["10.0.0.01", 1],
  ["x", 1],
])("%s as the name of an address has %i errors", (name, messages) => {
  const { nameFormat } = ipAddresses.strategy;
  expect(typeof nameFormat === "function" ? nameFormat(name, false) : undefined).toHaveLength(messages);
});

test.each([
  ["apps.deployments", []],
  ["deployments", ["name must be in the form of <group>.<resource>"]],
  ["A.deployments", [expect.stringMatching(/^the group segment a lowercase/)]],
  ["apps.1x", [expect.stringMatching(/^the resource segment a DNS-1035/)]],
])("%s as the name of a storage version", (name, messages) => {
  const { nameFormat } = storageVersions.strategy;
  expect(typeof nameFormat === "function" ? nameFormat(name, false) : undefined).toEqual(messages);
});

const server = { apiServerID: "a", encodingVersion: "v1", decodableVersions: ["v1", "apps/v1"] };
const condition = { type: "AllEncodingVersionsEqual", status: "True", reason: "r", message: "m" };
test.each([
  [{ storageVersions: [server], commonEncodingVersion: "v1", conditions: [condition] }, []],
  [{}, []],
  [
    { storageVersions: [server] },
    ['status.commonEncodingVersion: Invalid value: "null": the common encoding version is v1'],
  ],
  [
    { storageVersions: [server, { ...server, apiServerID: "b", encodingVersion: "v2" }], commonEncodingVersion: "v1" },
    [
      expect.stringMatching(/storageVersions\[1\].decodableVersions: Invalid value: .*must include encodingVersion v2/),
      expect.stringMatching(
        /^status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree/,
      ),
    ],
  ],
  [
    { storageVersions: [server, server], commonEncodingVersion: "v3" },
    [
      'status.storageVersions[1].apiServerID: Duplicate value: "a"',
      'status.commonEncodingVersion: Invalid value: "v3": the actual common encoding version is v1',
    ],
  ],
  [
    { conditions: [condition, { ...condition, status: "-", reason: "", message: "" }] },
    [
      expect.stringMatching(/^status\[1\].type: .*it also appears in conditions\[0\]$/),
      expect.stringMatching(/^status\[1\].status: Invalid value: "-"/),
      "status[1].reason: Required value: reason cannot be empty",
      "status[1].message: Required value: message cannot be empty",
    ],
  ],
  [
    { storageVersions: [{ ...server, decodableVersions: ["v1", "/v1", "a/", "a/b/c"] }], commonEncodingVersion: "v1" },
    [
      expect.stringMatching(/decodableVersions\[1\].*group part: must be non-empty/),
      expect.stringMatching(/decodableVersions\[2\].*version part: must be non-empty/),
      expect.stringMatching(/decodableVersions\[3\].*an apiVersion is a version with an optional/),
    ],
  ],
])("storage version status %#", (status, errors) => {
  const old = create(storageVersions, { metadata: { name: "apps.deployments" }, spec: {} }).object;
  const strategy = subresourceStrategy(storageVersions, "status");
  expect(update(storageVersions, old, { ...old, status }, strategy).errors).toEqual(errors);
});

const allocation = { resourceHandles: [{ driverName: "d.example.com", data: "x" }] };
const held = { driverName: "d.example.com", allocation, reservedFor: [owner] };
test.each([
  [{}, held, []],
  [{}, { allocation }, ["status.driverName: Required value: must be specified when `allocation` is set"]],
  [{}, { reservedFor: [owner] }, ["status.reservedFor: Forbidden: may not be specified when `allocated` is not set"]],
  [
    {},
    { ...held, reservedFor: [owner, { ...owner, uid: "v" }] },
    ["status.reservedFor: Forbidden: may not be reserved more than once"],
  ],
  [{}, { ...held, reservedFor: [{ ...owner, name: "" }] }, ["status.reservedFor[0].name: Required value"]],
  [
    { ...held, reservedFor: [], deallocationRequested: true },
    { ...held, deallocationRequested: true },
    [
      "status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
    ],
  ],
  [
    held,
    { ...held, deallocationRequested: true },
    ["status.deallocationRequested: Forbidden: deallocation cannot be requested while `reservedFor` is set"],
  ],
  [
    {},
    { deallocationRequested: true },
    ["status: Forbidden: `allocation` must be set when `deallocationRequested` is set"],
  ],
  [
    { ...held, reservedFor: [], deallocationRequested: true },
    { ...held, reservedFor: [] },
    ["status.deallocationRequested: Forbidden: may not be cleared when `allocation` is set"],
  ],
  [
    {},
    { ...held, allocation: { resourceHandles: [{ data: "x".repeat(16385) }] } },
    ["status.allocation.resourceHandles[0].data: Too long: must have at most 16384 bytes"],
  ],
])("claim status %#", (before, status, errors) => {
  const old = defaulted(resource.resourceClaims, { ...claim, status: before });
  const strategy = subresourceStrategy(resource.resourceClaims, "status");
  expect(update(resource.resourceClaims, old, { ...claim, status }, strategy).errors).toEqual(errors);
});

test.each([
  [resource.resourceClaims, { ...claim, status: {} }, ["c", "r", "WaitForFirstConsumer", "pending", "<unknown>"]],
  [
    resource.resourceClaims,
    { ...claim, status: held },
    ["c", "r", "WaitForFirstConsumer", "allocated,reserved", "<unknown>"],
  ],
  [
    resource.resourceClaims,
    { ...claim, status: { allocation: {}, deallocationRequested: true } },
    ["c", "r", "WaitForFirstConsumer", "allocated,deallocating", "<unknown>"],
  ],
  [
    clusterCIDRs,
    {
      metadata: { name: "r" },
      spec: {
        perNodeHostBits: 8,
        ipv4: "10.0.0.0/16",
        nodeSelector: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "a", operator: "In", values: ["b", "c"] }] },
            {
              matchExpressions: [
                { key: "d", operator: "DoesNotExist" },
                { key: "e", operator: "Exists" },
              ],
            },
          ],
        },
      },
    },
    ["r", "8", "10.0.0.0/16", "<none>", "<unknown>", "a in (b,c) || !d,e"],
  ],
  [
    ipAddresses,
    { metadata: { name: "10.0.0.1" }, spec: { parentRef: { group: "g", resource: "r", namespace: "n", name: "o" } } },
    ["10.0.0.1", "r.g/n/o"],
  ],
  [
    storageVersions,
    { metadata: { name: "s" }, spec: {}, status: { storageVersions: [server] } },
    ["s", "<unset>", "a=v1", "<unknown>"],
  ],
  [policies.validatingAdmissionPolicies, policy, ["p", 1, "<unset>", "<unknown>"]],
  [
    policies.validatingAdmissionPolicyBindings,
    merged(binding, { spec: { paramRef: { namespace: "n", name: "x" } } }),
    ["b", "p", "n/x", "<unknown>"],
  ],
])("row %#", (definition, body, cells) => {
  expect(row(definition as unknown as ResourceDefinition, body)).toEqual(cells);
});

test("immutable fields", () => {
  const range = { metadata: { name: "r" }, spec: { perNodeHostBits: 8, ipv4: "10.0.0.0/16" } };
  const stored = create(clusterCIDRs, range).object;
  expect(update(clusterCIDRs, stored, merged(range, { spec: { perNodeHostBits: 9 } })).errors).toEqual([
    "spec.perNodeHostBits: Invalid value: 9: field is immutable",
  ]);
  const asked = create(resource.resourceClaims, claim).object;
  const changed = update(resource.resourceClaims, asked, merged(claim, { spec: { resourceClassName: "other" } }));
  expect(changed.errors).toEqual([expect.stringMatching(/^spec: Invalid value: .*field is immutable$/)]);
});

test("status of a policy: conditions and type checking results", () => {
  const definition = policies.validatingAdmissionPolicies;
  const old = create(definition, policy).object;
  const status = {
    typeChecking: { expressionWarnings: [{ fieldRef: "", warning: "" }] },
    conditions: [
      { type: "Ready", status: "True", reason: "Good", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
      { type: "Ready", status: "Odd", reason: "-", message: "", lastTransitionTime: null, observedGeneration: -1 },
    ],
  };
  const { object, errors } = update(definition, old, { ...old, status }, subresourceStrategy(definition, "status"));
  expect(object.spec).toEqual(old.spec);
  expect(errors).toEqual([
    "status.typeChecking.expressionWarnings[0].warning: Required value: must contain type checking warnings",
    "status.typeChecking.expressionWarnings[0].fieldRef: Required value",
    'status.conditions[1].type: Duplicate value: "Ready"',
    'status.conditions[1].status: Unsupported value: "Odd": supported values: "False", "True", "Unknown"',
    "status.conditions[1].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
    "status.conditions[1].lastTransitionTime: Required value: must be set",
    expect.stringMatching(/^status.conditions\[1\].reason: Invalid value: "-": a condition reason must start with/),
  ]);
});
