import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { validateTokenRequest } from "../src/authentication/v1/token-request.ts";
import { subjectAccessReviews } from "../src/authorization/v1/reviews.ts";
import { leases } from "../src/coordination/v1/lease.ts";
import { endpointSlices } from "../src/discovery/v1/endpoint-slice.ts";
import { ingresses } from "../src/networking/v1/ingress.ts";
import { ingressClasses } from "../src/networking/v1/ingress-class.ts";
import { networkPolicies } from "../src/networking/v1/network-policy.ts";
import { runtimeClasses } from "../src/node/v1/runtime-class.ts";
import { podDisruptionBudgets } from "../src/policy/v1/pod-disruption-budget.ts";
import { allResources, definitionFor, definitionForKind } from "../src/resources.ts";
import { priorityClasses } from "../src/scheduling/v1/priority-class.ts";
import { erase } from "../src/shared/definitions.ts";
import { csiDrivers } from "../src/storage/v1/csi-driver.ts";
import { csiNodes } from "../src/storage/v1/csi-node.ts";
import { storageClasses } from "../src/storage/v1/storage-class.ts";
import { volumeAttachments } from "../src/storage/v1/volume-attachment.ts";
import { create, defaulted, merged, row, subresourceStrategy, update } from "./support.ts";

type Case = [name: string, definition: ResourceDefinition, body: object, errors: string[]];
const of = <T extends ApiObject>(
  name: string,
  definition: ResourceDefinition<T>,
  body: object,
  ...errors: string[]
): Case => [name, erase(definition), body, errors];
const backend = { service: { name: "s", port: { number: 80 } } };
const rule = (path: object): object => ({ spec: { rules: [{ http: { paths: [{ backend, ...path }] } }] } });
const slice = (addresses: string[], more: object = {}): object => ({
  addressType: "IPv4",
  endpoints: [{ addresses, ...more }],
});

describe("create", () => {
  test.each<Case>([
    of(
      "lease",
      leases,
      { spec: { leaseDurationSeconds: 0 } },
      "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
    ),
    of("slice", endpointSlices, slice(["10.0.0.1"])),
    of(
      "slice of loopback",
      endpointSlices,
      slice(["127.0.0.1"]),
      'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ),
    of(
      "slice of IPv6 in IPv4",
      endpointSlices,
      slice(["fd00::1"]),
      'endpoints[0].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address',
    ),
    of(
      "slice without addresses",
      endpointSlices,
      slice([]),
      "endpoints[0].addresses: Required value: must contain at least 1 address",
    ),
    of(
      "slice with duplicate ports",
      endpointSlices,
      { ...slice(["10.0.0.1"]), ports: [{ port: 1 }, { port: 2 }] },
      'ports[1].name: Duplicate value: ""',
    ),
    of(
      "slice of unknown addresses",
      endpointSlices,
      { addressType: "Odd", endpoints: [] },
      'addressType: Unsupported value: "Odd": supported values: "FQDN", "IPv4", "IPv6"',
    ),
    of(
      "budget",
      podDisruptionBudgets,
      { spec: { maxUnavailable: "200%" } },
      'spec.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"200%"}: must not be greater than 100%',
    ),
    of("priority", priorityClasses, { value: 1_000_000_000 }),
    of(
      "too high a priority",
      priorityClasses,
      { value: 1_000_000_001 },
      "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
    ),
    of(
      "storage class topologies",
      storageClasses,
      {
        provisioner: "p",
        allowedTopologies: [
          {
            matchLabelExpressions: [
              { key: "zone", values: ["a", "a"] },
              { key: "zone", values: [] },
            ],
          },
        ],
      },
      'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
      "allowedTopologies[0].matchLabelExpressions[1].values: Required value",
      'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"',
    ),
    of("driver", csiDrivers, { spec: {} }),
    of(
      "driver tokens",
      csiDrivers,
      { spec: { tokenRequests: [{ audience: "a" }, { audience: "a", expirationSeconds: 5 }] } },
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      "spec.tokenRequests[1].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes",
    ),
    of(
      "ingress of nothing",
      ingresses,
      { spec: {} },
      "spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified",
    ),
    of(
      "ingress paths",
      ingresses,
      rule({ path: "x//y", pathType: "Prefix" }),
      'spec.rules[0].http.paths[0].path: Invalid value: "x//y": must be an absolute path',
      `spec.rules[0].http.paths[0].path: Invalid value: "x//y": must not contain '//'`,
    ),
    of(
      "ingress path without type",
      ingresses,
      rule({ path: "/" }),
      "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified",
    ),
    of(
      "ingress on an address",
      ingresses,
      { spec: { rules: [{ host: "10.0.0.1" }] } },
      'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ),
    of(
      "ingress class parameters",
      ingressClasses,
      { spec: { controller: "a.b/c", parameters: { kind: "K", name: "n", namespace: "ns" } } },
      "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ),
    of(
      "network policy ports",
      networkPolicies,
      { spec: { podSelector: {}, egress: [{ ports: [{ port: 80, endPort: 70 }, { endPort: 5 }] }] } },
      "spec.egress[0].ports[0].endPort: Invalid value: 70: must be greater than or equal to `port`",
      "spec.egress[0].ports[1].endPort: Invalid value: 5: may not be specified when `port` is not specified",
    ),
    of(
      "network policy exceptions",
      networkPolicies,
      {
        spec: {
          podSelector: {},
          ingress: [
            { from: [{ ipBlock: { cidr: "10.0.0.0/9", except: ["10.1.0.0/16", "10.128.0.0/16", "10.0.0.0/9"] } }] },
          ],
        },
      },
      'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "10.128.0.0/16": must be a strict subset of `cidr`',
      'spec.ingress[0].from[0].ipBlock.except[2]: Invalid value: "10.0.0.0/9": must be a strict subset of `cidr`',
    ),
    of(
      "runtime class overhead",
      runtimeClasses,
      { handler: "h", overhead: { podFixed: { cpu: "-1" } } },
      'overhead.podFixed.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ),
    of(
      "review without a subject",
      subjectAccessReviews,
      { metadata: {}, spec: { resourceAttributes: {} } },
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ),
  ])("%s", (_name, definition, body, errors) => {
    expect(create(definition, { metadata: { name: "x" }, ...body }).errors).toEqual(errors);
  });
});

describe("update", () => {
  const metadata = { name: "x" };
  const attachment = { metadata, spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "pv" } } };
  const node = { metadata, spec: { drivers: [{ name: "d", nodeID: "1" }] } };
  test.each<[name: string, definition: ResourceDefinition, body: object, patch: object, errors: string[]]>([
    [
      "priority",
      erase(priorityClasses),
      { metadata, value: 1 },
      { value: 2 },
      ["Value: Forbidden: may not be changed in an update."],
    ],
    [
      "storage class",
      erase(storageClasses),
      { metadata, provisioner: "p" },
      { provisioner: "q", volumeBindingMode: "WaitForFirstConsumer", allowVolumeExpansion: true },
      [
        "provisioner: Forbidden: updates to provisioner are forbidden.",
        'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
      ],
    ],
    [
      "runtime class",
      erase(runtimeClasses),
      { metadata, handler: "h" },
      { handler: "i" },
      ['handler: Invalid value: "i": field is immutable'],
    ],
    [
      "ingress class",
      erase(ingressClasses),
      { metadata, spec: { controller: "a.b/c" } },
      { spec: { controller: "a.b/d" } },
      ['spec.controller: Invalid value: "a.b/d": field is immutable'],
    ],
    [
      "slice",
      erase(endpointSlices),
      { metadata, addressType: "IPv4", endpoints: [] },
      { addressType: "IPv6" },
      ['addressType: Invalid value: "IPv6": field is immutable'],
    ],
    ["driver of a node goes", erase(csiNodes), node, { spec: { drivers: [] } }, []],
    [
      "driver of a node changes",
      erase(csiNodes),
      node,
      { spec: { drivers: [{ name: "d", nodeID: "2" }] } },
      ['CSINodeDriver: Invalid value: storage.CSINodeDriver{Name:"d", NodeID:"2"}: field is immutable'],
    ],
    ["budget", erase(podDisruptionBudgets), { metadata, spec: {} }, { spec: { minAvailable: 2 } }, []],
  ])("%s", (_name, definition, body, patch, errors) => {
    const old = create(definition, body).object;
    expect(update(definition, old, merged(body, patch)).errors).toEqual(errors);
  });

  test("the status of an attachment leaves its metadata alone", () => {
    const old = create(volumeAttachments, attachment).object;
    const input = {
      ...(merged(attachment, { metadata: { annotations: { a: "b" } } }) as object),
      status: { attached: true },
    };
    const { object, errors } = update(volumeAttachments, old, input, subresourceStrategy(volumeAttachments, "status"));
    expect({ errors, annotations: object.metadata.annotations, attached: object.status.attached }).toEqual({
      errors: [],
      annotations: undefined,
      attached: true,
    });
  });
});

describe("defaults", () => {
  test.each<[name: string, spec: object, types: string[]]>([
    ["ingress", { podSelector: {}, ingress: [{}] }, ["Ingress"]],
    ["egress", { podSelector: {}, egress: [{}] }, ["Ingress", "Egress"]],
    ["explicit policy types", { podSelector: {}, policyTypes: ["Egress"] }, ["Egress"]],
  ])("network policy with %s", (_name, spec, types) => {
    expect(defaulted(networkPolicies, { spec }).spec.policyTypes).toEqual(types);
  });
});

describe("rows", () => {
  test.each<[name: string, definition: ResourceDefinition, body: object, cells: unknown[]]>([
    [
      "slice",
      erase(endpointSlices),
      { ...slice(["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"]), ports: [{ port: 80 }] },
      ["x", "IPv4", "80", "1.1.1.1,1.1.1.2,1.1.1.3 + 1 more...", "<unknown>"],
    ],
    [
      "default class",
      erase(storageClasses),
      {
        metadata: { name: "x", annotations: { "storageclass.orchernetes.io/is-default-class": "true" } },
        provisioner: "p",
      },
      ["x (default)", "p", "Delete", "Immediate", false, "<unknown>"],
    ],
    [
      "ingress",
      erase(ingresses),
      {
        ...rule({ pathType: "Exact", path: "/" }),
        status: { loadBalancer: { ingress: [{ hostname: "a-very-long-name.example.com" }] } },
      },
      ["x", "<none>", "*", "a-very-long-n...", "80", "<unknown>"],
    ],
    [
      "class",
      erase(ingressClasses),
      { spec: { controller: "a.b/c", parameters: { apiGroup: "g", kind: "K", name: "n" } } },
      ["x", "a.b/c", "K.g/n", "<unknown>"],
    ],
    ["budget", erase(podDisruptionBudgets), { spec: { minAvailable: "50%" } }, ["x", "50%", "N/A", 0, "<unknown>"]],
  ])("%s", (_name, definition, body, cells) => {
    expect(row(definition, { metadata: { name: "x" }, ...body })).toEqual(cells);
  });
});

test.each([
  [599, "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes"],
  [600, undefined],
  [
    2 ** 32 + 1,
    "spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
  ],
])("token for %i seconds", (expirationSeconds, error) => {
  const errors = validateTokenRequest({
    metadata: {},
    spec: { audiences: [], expirationSeconds },
    status: { token: "", expirationTimestamp: "" },
  });
  expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(error === undefined ? [] : [error]);
});

test("lookups", () => {
  expect(definitionFor("apps", "v1", "deployments")?.kind).toBe("Deployment");
  expect(definitionForKind("batch", "v1", "CronJob")?.plural).toBe("cronjobs");
  expect(definitionFor("apps", "v1", "nothing")).toBeUndefined();
  const names = allResources.map(({ group, version, plural }) => `${group}/${version}/${plural}`);
  expect(new Set(names).size).toBe(names.length);
});
