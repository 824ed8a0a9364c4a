import { validateObjectMeta } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { context, create, merged, row, subresourceStrategy, update } from "../../../test/support.ts";
import { certificateSigningRequests as requests } from "./certificate-signing-request.ts";
import { pemBlocks } from "./pem.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const pem = (label: string, der: number[]): string =>
  base64(`-----BEGIN ${label}-----\n${Buffer.from(der).toString("base64")}\n-----END ${label}-----\n`);
const body = (spec: object = {}): object => ({
  metadata: { name: "x" },
  spec: {
    request: pem("CERTIFICATE REQUEST", [0x30, 1, 5]),
    signerName: "example.com/s",
    usages: ["client auth"],
    username: "somebody else",
    groups: ["system:masters"],
    ...spec,
  },
});

test("the requesting user is set by the server", () => {
  const { object, errors } = create(requests, body({ uid: "forged", extra: { forged: ["yes"] } }));
  expect({ errors, ...object.spec }).toMatchObject({
    errors: [],
    username: context.user?.name,
    groups: context.user?.groups,
  });
  expect([object.spec.uid, object.spec.extra]).toEqual([undefined, undefined]);
  const spec = { ...object.spec };
  const user = { name: "alice", uid: "u1", groups: ["dev"], extra: { scopes: ["a", "b"] } };
  const draft = { metadata: object.metadata, spec, status: {} };
  requests.strategy.prepareForCreate?.(draft as never, { ...context, user });
  expect(spec).toMatchObject({ username: "alice", uid: "u1", groups: ["dev"], extra: { scopes: ["a", "b"] } });
});

test.each<[name: string, spec: object, errors: string[]]>([
  [
    "no PEM",
    { request: base64("no") },
    ["spec.request: Invalid value: []byte{0x6e, 0x6f}: PEM block type must be CERTIFICATE REQUEST"],
  ],
  ["no usages", { usages: [] }, ["spec.usages: Required value: usages is required"]],
  ["twice the same", { usages: ["client auth", "client auth"] }, ['spec.usages[1]: Duplicate value: "client auth"']],
  [
    "short",
    { expirationSeconds: 599 },
    ["spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)"],
  ],
  [
    "signer without domain",
    { signerName: "s" },
    [
      "spec.signerName: Invalid value: \"s\": must be a fully qualified domain and path of the form 'example.com/signer-name'",
    ],
  ],
  [
    "legacy signer",
    { signerName: "orchernetes.io/legacy-unknown" },
    [
      'spec.signerName: Invalid value: "orchernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
  ],
])("create: %s", (_name, spec, errors) => {
  expect(create(requests, body(spec)).errors).toEqual(errors);
});

test("a name may be any part of a path, such as one that a node agent makes from its key", () => {
  const rules = { namespaced: false, nameFormat: requests.strategy.nameFormat };
  const named = (name: string) => validateObjectMeta({ name }, rules);
  expect(named("node-csr-YNKlZ6jOkuIjx_FeWNpJfAKDkxqU35ROZJmaHQvXTA0")).toEqual([]);
  expect(named("a/b")).toHaveLength(1);
});

test("a request that is not a DER sequence is rejected", () => {
  expect(create(requests, body({ request: pem("CERTIFICATE REQUEST", [0x30, 9, 5]) })).errors).toEqual([
    expect.stringMatching(/^spec\.request: Invalid value: .*one DER sequence$/),
  ]);
});

describe("verdicts", () => {
  const old = create(requests, body()).object;
  const condition = (type: string, status = "True"): object => ({
    status: { conditions: [{ type, status, reason: "r" }] },
  });
  const through = (name: string, from: typeof old, patch: object) =>
    update(requests, from, merged(from, patch), subresourceStrategy(requests, name));

  test("the main endpoint changes neither spec nor status", () => {
    const { object } = update(
      requests,
      old,
      merged(old, { spec: { signerName: "other.com/s" }, ...condition("Approved") }),
    );
    expect([object.spec.signerName, object.status]).toEqual(["example.com/s", {}]);
  });

  test("approval sets the time of the decision and keeps the decision", () => {
    const approved = through("approval", old, condition("Approved"));
    expect(approved.errors).toEqual([]);
    expect(approved.object.status.conditions?.[0]).toMatchObject({
      type: "Approved",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      lastUpdateTime: "2026-01-01T00:00:00Z",
    });
    expect(through("approval", approved.object, { status: { conditions: [] } }).errors).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    expect(through("status", approved.object, { status: { conditions: [] } }).object.status.conditions).toHaveLength(1);
  });

  test("the status endpoint can add the condition Failed, the approval endpoint cannot", () => {
    expect(through("status", old, condition("Failed")).errors).toEqual([]);
    expect(through("approval", old, condition("Failed")).errors).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Failed"',
    ]);
  });

  test("the certificate is set once, through status", () => {
    const certificate = pem("CERTIFICATE", [0x30, 0]);
    const issued = through("status", old, { status: { certificate } });
    expect(issued.errors).toEqual([]);
    expect(through("approval", old, { status: { certificate } }).object.status.certificate).toBeUndefined();
    expect(through("status", issued.object, { status: { certificate: pem("CERTIFICATE", [0x30, 1]) } }).errors).toEqual(
      ["status.certificate: Forbidden: field is immutable"],
    );
    expect(through("status", old, { status: { certificate: pem("PRIVATE KEY", [0x30, 0]) } }).errors).toEqual([
      expect.stringMatching(/only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"$/),
    ]);
    expect(row(requests, issued.object)).toEqual([
      "x",
      "<unknown>",
      "example.com/s",
      "tester",
      "<none>",
      "Pending,Issued",
    ]);
  });
});

test.each<[text: string, labels: string[]]>([
  ["", []],
  ["-----BEGIN A-----\nAA==\n-----END A-----\nx\n-----BEGIN B-----\n-----END B-----", ["A", "B"]],
  ["-----BEGIN A-----\nAA==\n-----END B-----", []],
  ["-----BEGIN A-----\n!!\n-----END A-----", []],
])("blocks of %j", (text, labels) => {
  expect(pemBlocks(text).map(({ label }) => label)).toEqual(labels);
});
