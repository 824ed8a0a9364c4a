import { X509Certificate } from "node:crypto";
import { createCertificateAuthority, createCertificateRequest, parseCertificateRequest } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { meta } from "../../testing/builders.ts";
import { approvalsFor, reconcile as approve } from "./csr-approving.ts";
import { reconcile as clean, deletionTimeMs } from "./csr-cleaner.ts";
import { lifetimeOf, reconcile, sign } from "./sign.ts";
import { type SigningRequest, signerNames } from "./signing-request.ts";

const HOUR_MS = 3_600_000;
const nowMs = Date.parse("2026-01-01T00:00:00Z");
const now = new Date(nowMs);
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const nodeUsages = ["digital signature", "client auth"];

async function nodePem(name = "system:node:a", groups: readonly string[] = ["system:nodes"]): Promise<string> {
  return (await createCertificateRequest({ commonName: name, organizations: groups })).csrPem;
}

const request = (pem: string, spec: object = {}, status: object = {}): SigningRequest =>
  ({
    metadata: { ...meta("r"), creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { request: base64(pem), signerName: signerNames.orchletClient, usages: nodeUsages, ...spec },
    status,
  }) as SigningRequest;
const condition = (type: string, lastUpdateTime = "2026-01-01T00:00:00Z") => ({ type, status: "True", lastUpdateTime });
const approved = { conditions: [condition("Approved")] };

test.each<[string, object, object, unknown]>([
  ["approved", {}, approved, ["Sign"]],
  ["pending", {}, {}, []],
  ["denied later", {}, { conditions: [condition("Approved"), condition("Denied")] }, []],
  ["failed", {}, { conditions: [condition("Approved"), condition("Failed")] }, []],
  ["issued", {}, { ...approved, certificate: "eA==" }, []],
  [
    "of wrong usages",
    { usages: ["server auth"] },
    approved,
    ["usages did not match [client auth digital signature key encipherment]"],
  ],
  ["no PEM", { request: base64("x") }, approved, ["unable to parse csr: PEM block type must be CERTIFICATE REQUEST"]],
  ["enormous", { request: "A".repeat(200_000) }, approved, [expect.stringContaining("it is longer than")]],
  [
    "nested without end",
    {
      request: base64(
        `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.alloc(60_000, "30803080", "hex").toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`,
      ),
    },
    approved,
    [expect.stringContaining("unable to parse csr")],
  ],
])("a request that is %s", async (_name, spec, status, want) => {
  const authority = await createCertificateAuthority({ commonName: "ca" });
  const signer = { name: signerNames.orchletClient, authority, maxLifetimeMs: HOUR_MS };
  const { actions } = reconcile({ request: request(await nodePem(), spec, status), signer });
  expect(actions.map((action) => (action.type === "Fail" ? action.message : action.type))).toEqual(want);
});

test("a request whose signature is that of another key fails", async () => {
  const [one, two] = [await nodePem(), await nodePem()];
  const body = (pem: string) => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
  const forged = Buffer.concat([body(one).subarray(0, 120), body(two).subarray(120, body(one).length)]);
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${forged.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
  const authority = await createCertificateAuthority({ commonName: "ca" });
  const signer = { name: signerNames.orchletClient, authority, maxLifetimeMs: HOUR_MS };
  expect(reconcile({ request: request(pem, {}, approved), signer }).actions).toMatchObject([{ type: "Fail" }]);
});

test.each([
  [undefined, 24 * HOUR_MS],
  [3600, HOUR_MS],
  [60, 600_000],
  [7 * 24 * 3600, 24 * HOUR_MS],
])("a request for %s seconds gets %d ms of at most a day", (seconds, want) => {
  expect(lifetimeOf(seconds, 24 * HOUR_MS)).toBe(want);
});

test.each<[string, number | undefined, number, number]>([
  ["of a long life starts and ends early", undefined, 24 * HOUR_MS, 24 * HOUR_MS - 300_000],
  ["of a short life ends when it should", 3600, 24 * HOUR_MS, HOUR_MS],
  ["never outlives its authority", undefined, 1e12, 48 * HOUR_MS],
])("a certificate %s", async (_name, expirationSeconds, maxLifetimeMs, wantMs) => {
  const authority = await createCertificateAuthority({ commonName: "ca", validityMs: 48 * HOUR_MS, now: () => nowMs });
  const signer = { name: signerNames.orchletClient, authority, maxLifetimeMs };
  const pem = await nodePem();
  const one = request(pem, { expirationSeconds }, approved);
  const certificate = new X509Certificate(sign(parseCertificateRequest(pem), one, signer, now));
  expect([Date.parse(certificate.validFrom) - nowMs, Date.parse(certificate.validTo) - nowMs]).toEqual([
    -300_000,
    wantMs,
  ]);
  expect(certificate.verify(authority.certificate.publicKey)).toBe(true);
  expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:a");
  expect([certificate.ca, certificate.keyUsage]).toEqual([false, ["1.3.6.1.5.5.7.3.2"]]);
});

test("an authority that has expired signs nothing", async () => {
  const authority = await createCertificateAuthority({ commonName: "ca", validityMs: 1000, now: () => nowMs - 5000 });
  const pem = await nodePem();
  const signer = { name: signerNames.orchletClient, authority, maxLifetimeMs: HOUR_MS };
  expect(() => sign(parseCertificateRequest(pem), request(pem), signer, now)).toThrow("the signer has expired");
});

test.each<[string, object, readonly string[], readonly string[]]>([
  ["a node for itself", { username: "system:node:a" }, ["system:nodes"], ["selfnodeclient", "nodeclient"]],
  ["somebody for a node", { username: "bootstrap" }, ["system:nodes"], ["nodeclient"]],
  ["a superuser's certificate", { username: "system:node:a" }, ["system:masters"], []],
  ["another signer", { username: "system:node:a", signerName: signerNames.apiServerClient }, ["system:nodes"], []],
  ["usages of a server", { username: "system:node:a", usages: ["server auth"] }, ["system:nodes"], []],
])("permissions that approve %s", async (_name, spec, groups, want) => {
  const pem = await nodePem("system:node:a", groups);
  const one = request(pem, spec);
  expect(approvalsFor(one, parseCertificateRequest(pem)).map(({ subresource }) => subresource)).toEqual(want);
  expect(approve(one).actions).toHaveLength(want.length === 0 ? 0 : 1);
  expect(approve({ ...one, status: { conditions: [condition("Denied")] } } as SigningRequest).actions).toEqual([]);
});

test("a request is deleted an hour after its decision, a day after its creation, or with its certificate", async () => {
  const issuer = await createCertificateAuthority({ commonName: "ca", validityMs: 600_000, now: () => nowMs });
  const issued = { certificate: base64(issuer.certPem) };
  const after = (status: object): number | undefined => {
    const time = deletionTimeMs(request("", {}, status));
    return time === undefined ? undefined : time - nowMs;
  };
  expect(after({})).toBe(24 * HOUR_MS);
  expect(after(approved)).toBeUndefined();
  expect(after({ conditions: [condition("Denied")] })).toBe(HOUR_MS);
  expect(after({ conditions: [condition("Approved"), condition("Failed", "2026-01-01T02:00:00Z")] })).toBe(3 * HOUR_MS);
  expect(after({ ...approved, certificate: "eA==" })).toBe(HOUR_MS);
  expect(after({ ...approved, ...issued })).toBe(600_000);
  const pending = request("");
  expect(clean(pending, now)).toEqual({ actions: [], requeueAfterMs: 24 * HOUR_MS });
  expect(clean(pending, new Date(nowMs + 24 * HOUR_MS + 1)).actions).toEqual([{ type: "Delete" }]);
});
