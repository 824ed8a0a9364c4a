import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { certificates } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { failedStart, poll } from "@orchernetes/testkit";
import { type CertificateAuthority, createCertificateAuthority, createCertificateRequest } from "@orchernetes/tls";
import { beforeAll, expect, test } from "vitest";
import { signingRequests as requests } from "../src/controllers/certificates/signing-request.ts";
import { testCluster } from "./test-cluster.ts";

type Request = certificates.CertificateSigningRequest;
const cluster = testCluster("certificates");
const { dir, file } = cluster;
let authority: CertificateAuthority;
let admin: Client;
/** The agent of node n, and somebody without permissions. */
let node: Client;
let stranger: Client;
let signing: readonly string[];

beforeAll(async () => {
  authority = await createCertificateAuthority({ commonName: "signer" });
  signing = [
    `--cluster-signing-cert-file=${file("ca.crt", authority.certPem)}`,
    `--cluster-signing-key-file=${file("ca.key", authority.keyPem)}`,
  ];
  const server = await cluster.startServer({ authorizationMode: "RBAC" });
  admin = server.client();
  const as = (user: string, ...groups: readonly string[]) =>
    admin.with({ impersonate: { user, groups: [...groups, "system:authenticated"] } });
  node = as("system:node:n", "system:nodes");
  stranger = as("stranger", "askers");
  const rbac = { group: "rbac.authorization.o8s.io", version: "v1", scope: "Cluster" } as const;
  const roles = admin.resource({ ...rbac, plural: "clusterroles", kind: "ClusterRole" });
  const bindings = admin.resource({ ...rbac, plural: "clusterrolebindings", kind: "ClusterRoleBinding" });
  await roles.create({
    metadata: { name: "ask" },
    rules: [
      { apiGroups: ["certificates.o8s.io"], resources: ["certificatesigningrequests"], verbs: ["create", "get"] },
    ],
  } as never);
  const bind = (name: string, role: string, ...groups: readonly string[]) =>
    bindings.create({
      metadata: { name },
      roleRef: { apiGroup: rbac.group, kind: "ClusterRole", name: role },
      subjects: groups.map((group) => ({ kind: "Group", name: group, apiGroup: rbac.group })),
    } as never);
  await bind("ask", "ask", "system:nodes", "askers");
  await bind("self", "system:certificates.o8s.io:certificatesigningrequests:selfnodeclient", "system:nodes");
  await cluster.startManager(
    server,
    "--use-service-account-credentials",
    "--controllers=csrsigning,csrapproving,csrcleaner,serviceaccount",
    "--cluster-signing-duration=2h",
    ...signing,
  );
}, 90_000);

const clientUsages = ["digital signature", "client auth"];
const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function ask(
  client: Client,
  name: string,
  subject: { cn: string; o: readonly string[] },
  spec: object = {},
): Promise<void> {
  const { csrPem } = await createCertificateRequest({ commonName: subject.cn, organizations: subject.o });
  await client.resource(requests).create({
    metadata: { name },
    spec: {
      request: base64(csrPem),
      signerName: "orchernetes.io/orch-apiserver-client",
      usages: clientUsages,
      ...spec,
    },
  } as never);
}

async function approve(name: string): Promise<void> {
  const request = await admin.resource(requests).get(name);
  const conditions = [{ type: "Approved", status: "True", reason: "test", message: "" }];
  await admin
    .resource(requests)
    .subresource("approval")
    .update(name, { ...request, status: { conditions } });
}

async function statusOf(name: string, ready: (status: Request["status"]) => boolean): Promise<Request["status"]> {
  let status: Request["status"] | undefined;
  await poll({ what: `the status of ${name}`, timeoutMs: 30_000 }, async () => {
    status = (await admin.resource(requests).get(name)).status;
    return status !== undefined && ready(status);
  });
  return status as Request["status"];
}
const isIssued = (status: Request["status"]): boolean => (status?.certificate ?? "") !== "";
const has = (type: string) => (status: Request["status"]) =>
  (status?.conditions ?? []).some((condition) => condition.type === type);

test("an approved request is signed, for no longer than --cluster-signing-duration=", async () => {
  await ask(stranger, "user", { cn: "alice", o: ["dev"] }, { expirationSeconds: 86_400 });
  await approve("user");
  const { certificate = "" } = (await statusOf("user", isIssued)) ?? {};
  const issued = new X509Certificate(Buffer.from(certificate, "base64"));
  expect(issued.verify(authority.certificate.publicKey)).toBe(true);
  expect([issued.subject, issued.issuer]).toEqual(["O=dev\nCN=alice", "CN=signer"]);
  const lifetimeMs = Date.parse(issued.validTo) - Date.parse(issued.validFrom);
  expect(lifetimeMs).toBe(2 * 3_600_000 + 300_000);
});

test("a node's request for its own identity is approved and signed", async () => {
  const signerName = "orchernetes.io/orch-apiserver-client-orchlet";
  await ask(node, "node", { cn: "system:node:n", o: ["system:nodes"] }, { signerName });
  const status = await statusOf("node", isIssued);
  expect(status?.conditions).toMatchObject([
    {
      type: "Approved",
      reason: "AutoApproved",
      message: "Auto approving self orchlet client certificate after SubjectAccessReview.",
    },
  ]);
});

test("a request for a node's identity by somebody who may not is left alone", async () => {
  const signerName = "orchernetes.io/orch-apiserver-client-orchlet";
  await ask(stranger, "stranger", { cn: "system:node:n", o: ["system:nodes"] }, { signerName });
  // The next request is handled, so this one has been, too.
  await ask(node, "node-2", { cn: "system:node:n", o: ["system:nodes"] }, { signerName });
  await statusOf("node-2", isIssued);
  expect((await admin.resource(requests).get("stranger")).status?.conditions ?? []).toEqual([]);
});

test.each<[string, object, string]>([
  ["of wrong usages", { usages: ["server auth"] }, "invalid usage for client certificate: server auth"],
  [
    "without a host",
    { signerName: "orchernetes.io/orchlet-serving", usages: ["digital signature", "server auth"] },
    "DNS or IP subjectAltName is required",
  ],
  [
    "that is no request",
    {
      signerName: "orchernetes.io/orchlet-serving",
      usages: ["digital signature", "server auth"],
      request: base64("-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n"),
    },
    "unable to parse csr: request body: expected a constructed ASN.1 value",
  ],
])("a request %s fails with the reason", async (name, spec, message) => {
  const id = name.replaceAll(" ", "-");
  await ask(stranger, id, { cn: "system:node:n", o: ["system:nodes"] }, spec);
  await approve(id);
  const status = await statusOf(id, has("Failed"));
  expect(status?.conditions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "Failed", status: "True", reason: "SignerValidationFailure", message }),
    ]),
  );
  expect(isIssued(status)).toBe(false);
});

test("files of all signers and of single ones are not given together, and pairs are whole", () => {
  const { code, errors } = failedStart("orch-controller-manager", [
    "--master=https://127.0.0.1:1",
    ...signing,
    `--cluster-signing-legacy-unknown-cert-file=${join(dir, "ca.crt")}`,
  ]);
  expect(code).toBe(1);
  expect(errors).toEqual([
    expect.stringMatching(/^--cluster-signing-legacy-unknown-key-file: not given/),
    expect.stringMatching(
      /^--cluster-signing-cert-file: cannot be given together with --cluster-signing-legacy-unknown-cert-file/,
    ),
  ]);
});
