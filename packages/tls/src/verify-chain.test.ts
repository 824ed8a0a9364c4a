import { expect, test } from "vitest";
import {
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
  parseCertificate,
} from "./certificate-authority.ts";
import { verifyClientCertificate } from "./verify-chain.ts";

const ca = await createCertificateAuthority({ commonName: "ca" });
// The same name with another key: only the signature tells them apart.
const impostor = await createCertificateAuthority({ commonName: "ca" });
const client = parseCertificate((await issueClientCertificate(ca, { commonName: "me" })).certPem, "client");
const server = parseCertificate(
  (await issueServerCertificate(ca, { commonName: "s", hosts: ["s"] })).certPem,
  "server",
);
const forged = parseCertificate((await issueClientCertificate(impostor, { commonName: "me" })).certPem, "forged");
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
] as const)("%s", (_name, chain, roots, at, want) => {
  expect(verifyClientCertificate(chain, roots, at)).toBe(want);
});
