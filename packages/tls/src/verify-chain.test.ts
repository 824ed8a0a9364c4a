import { type KeyObject, X509Certificate } from "node:crypto";
import { expect, test, vi } from "vitest";
import { noAltNames } from "./alt-names.ts";
import { type CertificateTemplate, keyIdentifier, signCertificate } from "./certificate.ts";
import {
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
  loadCertificateAuthority,
  parseCertificate,
} from "./certificate-authority.ts";
import { context, sequence } from "./der.ts";
import { generatePrivateKey, privateKeyToPem, publicKeyOf } from "./keys.ts";
import { certificateNames, encodeSubject } from "./subject.ts";
import type { Usage } from "./usages.ts";
import { verifyClientCertificate } from "./verify-chain.ts";

const ca = await createCertificateAuthority({ commonName: "ca" });
// The same name with another key: only the signature distinguishes them.
const impostor = await createCertificateAuthority({ commonName: "ca" });
const client = parseCertificate((await issueClientCertificate(ca, { commonName: "me" })).certPem, "client");
const server = parseCertificate(
  (await issueServerCertificate(ca, { commonName: "s", hosts: ["s"] })).certPem,
  "server",
);
const forged = parseCertificate((await issueClientCertificate(impostor, { commonName: "me" })).certPem, "forged");
/** An authority below the root, restricted to the given uses. */
async function authorityBelow(usages: readonly Usage[], extensions: CertificateTemplate["extensions"] = []) {
  const key = await generatePrivateKey();
  const certPem = signCertificate(
    {
      subject: encodeSubject({ commonName: "below", organizations: [] }),
      issuer: certificateNames(ca.certificate).subject,
      publicKey: publicKeyOf(key),
      notBeforeMs: Date.now() - 60_000,
      notAfterMs: Date.now() + 3600_000,
      usages: ["cert sign", ...usages],
      altNames: noAltNames,
      isCa: true,
      issuerKeyId: keyIdentifier(ca.certificate.publicKey),
      extensions,
    },
    ca.key,
  );
  return loadCertificateAuthority({ certPem, keyPem: privateKeyToPem(key) }, "below");
}
const intermediate = await authorityBelow([]);
const serverCa = await authorityBelow(["server auth"]);
const clientOf = async (authority: typeof ca) =>
  parseCertificate((await issueClientCertificate(authority, { commonName: "me" })).certPem, "client");
const [below, belowServers] = await Promise.all([clientOf(intermediate), clientOf(serverCa)]);
/** Permits only names below one organization: a rule that is not supported here. */
const nameConstraints = (critical: boolean) => {
  const name = context(4, encodeSubject({ commonName: "", organizations: ["team"] }));
  return [{ id: "2.5.29.30", critical, value: sequence(context(0, sequence(name))) }];
};
const confined = await authorityBelow([], nameConstraints(true));
const advised = await authorityBelow([], nameConstraints(false));
const [belowConfined, belowAdvised] = await Promise.all([clientOf(confined), clientOf(advised)]);
const now = Date.now();
const yearMs = 366 * 24 * 3600_000;

test.each([
  ["its authority", [client], [ca.certificate], now, true],
  ["several authorities", [client], [impostor.certificate, ca.certificate], now, true],
  ["the authority sent along", [client, ca.certificate], [ca.certificate], now, true],
  ["no certificate", [], [ca.certificate], now, false],
  ["no authority", [client], [], now, false],
  ["another key of the same name", [forged], [ca.certificate], now, false],
  ["a certificate sent along as authority", [forged, impostor.certificate], [ca.certificate], now, false],
  ["an expired certificate", [client], [ca.certificate], now + yearMs, false],
  ["a certificate of the future", [client], [ca.certificate], now - yearMs, false],
  ["a serving certificate", [server], [ca.certificate], now, false],
  ["an intermediate authority", [below, intermediate.certificate], [ca.certificate], now, true],
  ["an intermediate authority that was not sent", [below], [ca.certificate], now, false],
  ["an authority confined to names", [belowConfined, confined.certificate], [ca.certificate], now, false],
  ["a trusted authority confined to names", [belowConfined], [confined.certificate], now, false],
  ["an authority with advice about names", [belowAdvised, advised.certificate], [ca.certificate], now, true],
  ["an authority for servers only", [belowServers, serverCa.certificate], [ca.certificate], now, false],
] as const)("%s", (_name, chain, roots, at, want) => {
  expect(verifyClientCertificate(chain, roots, at)).toBe(want);
});

test("no signature is verified with the key of an issuer that is not trusted", async () => {
  const stranger = await createCertificateAuthority({ commonName: "stranger" });
  const leaf = await clientOf(stranger);
  const verify = vi.spyOn(X509Certificate.prototype, "verify");
  try {
    expect(verifyClientCertificate([leaf, stranger.certificate, intermediate.certificate], [ca.certificate], now)).toBe(
      false,
    );
    const keyOf = (key: KeyObject) => key.export({ type: "spki", format: "der" }).toString("hex");
    const used = verify.mock.calls.map(([key]) => keyOf(key));
    expect(used).not.toContain(keyOf(stranger.certificate.publicKey));
  } finally {
    verify.mockRestore();
  }
});

test("authorities below authorities are found in any order", async () => {
  const certificates = [intermediate.certificate, serverCa.certificate, ca.certificate];
  expect(verifyClientCertificate([below, ...certificates], [ca.certificate], now)).toBe(true);
  expect(verifyClientCertificate([below, ...certificates.toReversed()], [ca.certificate], now)).toBe(true);
  expect(verifyClientCertificate([belowServers, ...certificates], [ca.certificate], now)).toBe(false);
});
