import { X509Certificate } from "node:crypto";
import type { PeerCertificate } from "node:tls";
import { expect, test } from "vitest";
import { createCertificateAuthority, issueServerCertificate } from "./certificate-authority.ts";
import { checkServerName, ServerNameError } from "./server-name.ts";

const ca = await createCertificateAuthority({ commonName: "authority" });
async function certificate(commonName: string, ...hosts: readonly string[]): Promise<PeerCertificate> {
  const { certPem } = await issueServerCertificate(ca, { commonName, hosts });
  return new X509Certificate(certPem).toLegacyObject() as unknown as PeerCertificate;
}

const legacy = "x509: certificate relies on legacy Common Name field, use SANs instead";
const rows: readonly (readonly [string, readonly string[], string, string | undefined])[] = [
  ["a.example", ["a.example"], "a.example", undefined],
  ["", ["*.ns.svc"], "a.ns.svc", undefined],
  ["", ["127.0.0.1", "::1"], "127.0.0.1", undefined],
  ["", ["::1"], "0:0:0:0:0:0:0:1", undefined],
  ["a.example", [], "a.example", legacy],
  ["*.ns.svc", [], "a.ns.svc", legacy],
  ["b.example", [], "a.example", "x509: certificate is not valid for any names, but wanted to match a.example"],
  // A certificate with other alternative names does not fall back to the common name either.
  [
    "a.example",
    ["127.0.0.1"],
    "a.example",
    "x509: certificate is not valid for any names, but wanted to match a.example",
  ],
  [
    "a.example",
    ["b.example", "c.example"],
    "a.example",
    "x509: certificate is valid for b.example, c.example, not a.example",
  ],
  [
    "127.0.0.1",
    [],
    "127.0.0.1",
    "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
  ],
  ["", ["127.0.0.2", "a.example"], "127.0.0.1", "x509: certificate is valid for 127.0.0.2, not 127.0.0.1"],
];

test.each(rows)("common name %j and names %j, asked for as %s: %s", async (commonName, hosts, host, want) => {
  const error = checkServerName(host, await certificate(commonName, ...hosts));
  expect(error?.message).toBe(want);
  expect(error?.isCommonNameOnly ?? false).toBe(want === legacy);
});

test("an error names few of many names", async () => {
  const hosts = Array.from({ length: 300 }, (_, i) => `h${i}.example`);
  const error = checkServerName("a.example", await certificate("", ...hosts));
  expect(error).toBeInstanceOf(ServerNameError);
  expect(error?.message).toMatch(/, h99\.example, …, not a\.example$/);
});
