import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createCertificateAuthority, signCertificateRequest } from "./certificate-authority.ts";
import { createCertificateRequest, parseCertificateRequest } from "./certificate-request.ts";
import { type Asn1, oid, sequence, set, utf8String } from "./der.ts";
import type { KeyAlgorithm } from "./keys.ts";
import { decodePem, encodePem, parsePrivateKey, validity } from "./pem.ts";
import { certificateIdentity, decodeSubject } from "./subject.ts";

const algorithms: readonly KeyAlgorithm[] = ["ecdsa-p256", "ecdsa-p384", "rsa-2048", "ed25519"];

test.each(algorithms)("a %s request is read back and signed", async (keyAlgorithm) => {
  const { csrPem, keyPem } = await createCertificateRequest({
    commonName: "system:node:n1",
    organizations: ["system:nodes"],
    hosts: ["n1", "10.0.0.9", "fd00::9"],
    keyAlgorithm,
  });
  const request = parseCertificateRequest(csrPem);
  expect(request.subject).toEqual({ commonName: "system:node:n1", organizations: ["system:nodes"] });
  expect(request.altNames).toEqual({
    dnsNames: ["n1"],
    ipAddresses: ["10.0.0.9", "fd00::9"],
    emailAddresses: [],
    uris: [],
  });
  const now = () => Date.UTC(2030, 0, 1);
  const ca = await createCertificateAuthority({ commonName: "ca", now });
  const pem = signCertificateRequest(ca, request, {
    usages: ["digital signature", "client auth"],
    validityMs: 3600_000,
    now,
  });
  const certificate = new X509Certificate(pem);
  expect(certificate.verify(ca.certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(parsePrivateKey(keyPem, "key"))).toBe(true);
  expect(certificateIdentity(certificate)).toEqual(request.subject);
  expect(certificate.checkIP("fd00::9")).toBe("fd00::9");
  expect(validity(certificate).notAfterMs).toBe(now() + 3600_000);
});

test("a request without alternative names has none", async () => {
  const { csrPem } = await createCertificateRequest({ commonName: "u" });
  expect(parseCertificateRequest(csrPem).altNames.dnsNames).toEqual([]);
});

test("invalid requests are rejected with the reason", async () => {
  const { csrPem } = await createCertificateRequest({ commonName: "user-a" });
  const der = Buffer.from(decodePem(csrPem)[0]?.der ?? []);
  const at = der.indexOf("user-a");
  der.write("user-b", at);
  const rows: readonly (readonly [string, string])[] = [
    ["", "PEM block type must be CERTIFICATE REQUEST"],
    [encodePem("CERTIFICATE", der), "PEM block type must be CERTIFICATE REQUEST"],
    [encodePem("CERTIFICATE REQUEST", der), "the signature does not match the key in the request"],
    [encodePem("CERTIFICATE REQUEST", Buffer.from("nonsense")), "certificate request: "],
    [encodePem("CERTIFICATE REQUEST", Buffer.from("3003020100", "hex")), "expected a constructed ASN.1 value"],
  ];
  for (const [pem, message] of rows) expect(() => parseCertificateRequest(pem)).toThrow(message);
});

test("names that are not valid text are rejected, because they would all decode to the same name", () => {
  const named = (value: Asn1) => sequence(set(sequence(oid("2.5.4.3"), value)));
  expect(decodeSubject(named(utf8String("zoë"))).commonName).toBe("zoë");
  const broken = { ...utf8String(""), value: "a\xff" } as Asn1;
  expect(() => decodeSubject(named(broken))).toThrow("common name: the bytes are not valid UTF-8");
});
