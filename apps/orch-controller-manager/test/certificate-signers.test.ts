import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { certificates } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { poll } from "@orchernetes/testkit";
import { createCertificateAuthority, createCertificateRequest } from "@orchernetes/tls";
import { beforeAll, expect, test } from "vitest";
import { signingRequests } from "../src/controllers/certificates/signing-request.ts";
import { testCluster } from "./test-cluster.ts";

type Spec = certificates.CertificateSigningRequestSpec;

const cluster = testCluster("certificate-signers");
const { dir, file } = cluster;
/** Flags of each signer, by what follows `orchernetes.io/` in its name. */
const signers = {
  "orchlet-serving": "orchlet-serving",
  "orch-apiserver-client-orchlet": "orchlet-client",
  "orch-apiserver-client": "orch-apiserver-client",
  "legacy-unknown": "legacy-unknown",
} as const;
type SignerName = keyof typeof signers;

let admin: Client;

beforeAll(async () => {
  const pairs = await Promise.all(
    Object.entries(signers).map(async ([name, flag]) => {
      const { certPem, keyPem } = await createCertificateAuthority({ commonName: name });
      return [
        `--cluster-signing-${flag}-cert-file=${file(`${name}.crt`, certPem)}`,
        `--cluster-signing-${flag}-key-file=${file(`${name}.key`, keyPem)}`,
      ];
    }),
  );
  const server = await cluster.startServer();
  admin = server.client();
  await cluster.startManager(server, "--controllers=csrsigning", ...pairs.flat());
}, 90_000);

interface Wanted {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly hosts?: readonly string[];
}

/** Requests a certificate, approves it, and waits for what the signer says. */
async function request(
  name: string,
  signer: string,
  { commonName, organizations = [], hosts = [] }: Wanted,
  spec: Pick<Spec, "usages"> & Partial<Spec>,
): Promise<certificates.CertificateSigningRequestStatus> {
  const requests = admin.resource(signingRequests);
  const { csrPem } = await createCertificateRequest({ commonName, organizations, hosts });
  const signerName = `orchernetes.io/${signer}`;
  const created = await requests.create({
    metadata: { name },
    spec: { request: Buffer.from(csrPem).toString("base64"), signerName, ...spec },
  } as never);
  const approval = { type: "Approved", status: "True", reason: "Test", message: "approved" };
  await requests.subresource("approval").update(name, { ...created, status: { conditions: [approval] } });
  let status: certificates.CertificateSigningRequestStatus = {};
  await poll({ what: `the end of request ${name}`, timeoutMs: 20_000, intervalMs: 20 }, async () => {
    status = (await requests.get(name)).status ?? {};
    return status.certificate !== undefined || (status.conditions ?? []).some(({ type }) => type === "Failed");
  });
  return status;
}

const openssl = (...args: readonly string[]): string =>
  execFileSync("openssl", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const node = { commonName: "system:node:n", organizations: ["system:nodes"] };
const clientUsages = ["digital signature", "client auth"];
const servingUsages = ["digital signature", "key encipherment", "server auth"];

const hasOpenssl = spawnSync("openssl", ["version"]).error === undefined;

test.skipIf(!hasOpenssl).each<[SignerName, Wanted, readonly string[], purpose: string, subject: string, text: RegExp]>([
  [
    "orchlet-serving",
    { ...node, hosts: ["n.example", "10.0.0.7"] },
    servingUsages,
    "sslserver",
    "O=system:nodes, CN=system:node:n",
    /X509v3 Subject Alternative Name: *\n *DNS:n\.example, IP Address:10\.0\.0\.7/,
  ],
  [
    "orch-apiserver-client-orchlet",
    node,
    clientUsages,
    "sslclient",
    "O=system:nodes, CN=system:node:n",
    /X509v3 Extended Key Usage: *\n *TLS Web Client Authentication\n/,
  ],
  [
    "orch-apiserver-client",
    { commonName: "alice", organizations: ["dev"] },
    clientUsages,
    "sslclient",
    "O=dev, CN=alice",
    /X509v3 Key Usage: critical\n *Digital Signature\n/,
  ],
])(
  "openssl trusts a certificate of %s for its purpose and no other",
  async (signer, wanted, usages, purpose, subject, text) => {
    const { certificate = "" } = await request(`good-${signer}`, signer, wanted, {
      usages,
      expirationSeconds: 3600,
    } as never);
    const path = file(`${signer}.leaf`, Buffer.from(certificate, "base64").toString());
    const authority = join(dir, `${signer}.crt`);
    expect(openssl("verify", "-CAfile", authority, "-purpose", purpose, path)).toContain("OK");
    const other = purpose === "sslclient" ? "sslserver" : "sslclient";
    expect(() => openssl("verify", "-CAfile", authority, "-purpose", other, path)).toThrow();
    for (const name of Object.keys(signers))
      if (name !== signer) expect(() => openssl("verify", "-CAfile", join(dir, `${name}.crt`), path), name).toThrow();
    const shown = openssl("x509", "-in", path, "-noout", "-text", "-nameopt", "sep_comma_plus_space,esc_ctrl");
    expect(shown.replaceAll(" = ", "=")).toContain(`Subject: ${subject}`);
    expect(shown).toContain(`CN=${signer}`.replace("=", shown.includes("CN = ") ? " = " : "="));
    expect(shown).toMatch(/X509v3 Basic Constraints: critical\n *CA:FALSE/);
    expect(shown).toMatch(text);
    // Valid from five minutes ago, for what was asked for.
    expect(openssl("x509", "-in", path, "-noout", "-checkend", "3500")).toContain("will not expire");
    expect(() => openssl("x509", "-in", path, "-noout", "-checkend", "3700")).toThrow();
  },
);

test.each<[string, SignerName, Wanted, readonly string[], string]>([
  [
    "group",
    "orchlet-serving",
    { ...node, organizations: ["dev"], hosts: ["n"] },
    servingUsages,
    "subject organization is not system:nodes",
  ],
  [
    "name",
    "orchlet-serving",
    { ...node, commonName: "n", hosts: ["n"] },
    servingUsages,
    "subject common name does not begin with system:node:",
  ],
  [
    "host",
    "orch-apiserver-client-orchlet",
    { ...node, hosts: ["n"] },
    clientUsages,
    "DNS subjectAltNames are not allowed",
  ],
  [
    "usage",
    "orch-apiserver-client",
    { commonName: "a" },
    ["server auth"],
    "invalid usage for client certificate: server auth",
  ],
])("a request with a wrong %s gets condition Failed with the reason", async (name, signer, wanted, usages, message) => {
  const { certificate, conditions = [] } = await request(`bad-${name}`, signer, wanted, { usages } as never);
  expect(certificate).toBeUndefined();
  const failed = conditions.filter(({ type }) => type === "Failed");
  expect(failed).toEqual([
    {
      type: "Failed",
      status: "True",
      reason: "SignerValidationFailure",
      message,
      lastTransitionTime: expect.any(String),
      lastUpdateTime: expect.any(String),
    },
  ]);
});
