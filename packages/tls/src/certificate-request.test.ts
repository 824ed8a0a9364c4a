import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createCertificateAuthority, signCertificateRequest } from "./certificate-authority.ts";
import { createCertificateRequest, parseCertificateRequest } from "./certificate-request.ts";
import { type Asn1, context, oid, sequence, set, unsignedInteger, utf8String } from "./der.ts";
import { encodePublicKey, generatePrivateKey, type KeyAlgorithm, signStructure } from "./keys.ts";
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

test.each([
  [
    "several common names",
    [
      ["2.5.4.10", "system:nodes"],
      ["2.5.4.3", "system:node:b"],
      ["2.5.4.3", "system:node:a"],
    ],
    "O=system:nodes\nCN=system:node:a",
  ],
  [
    "several serial numbers",
    [
      ["2.5.4.5", "1"],
      ["2.5.4.5", "2"],
      ["2.5.4.3", "a"],
    ],
    "serialNumber=2\nCN=a",
  ],
  [
    "attributes that are unknown",
    [
      ["2.5.4.3", "a"],
      ["1.2.840.113549.1.9.1", "root@example.com"],
      ["0.9.2342.19200300.100.1.1", "root"],
    ],
    "CN=a",
  ],
  [
    "an address",
    [
      ["2.5.4.6", "DE"],
      ["2.5.4.8", "s"],
      ["2.5.4.7", "l"],
      ["2.5.4.9", "st"],
      ["2.5.4.17", "1"],
      ["2.5.4.11", "u"],
      ["2.5.4.11", "v"],
      ["2.5.4.3", "a"],
    ],
    "C=DE\nST=s\nL=l\nstreet=st\npostalCode=1\nOU=u\nOU=v\nCN=a",
  ],
])("the certificate of a request with %s has a subject that all readers understand alike", async (_, names, want) => {
  const key = await generatePrivateKey();
  const subject = sequence(...names.map(([type = "", value = ""]) => set(sequence(oid(type), utf8String(value)))));
  const body = sequence(unsignedInteger(Uint8Array.of(0)), subject, encodePublicKey(key), context(0));
  const request = parseCertificateRequest(encodePem("CERTIFICATE REQUEST", signStructure(body, key)));
  const ca = await createCertificateAuthority({ commonName: "ca" });
  expect(new X509Certificate(signCertificateRequest(ca, request, { usages: ["client auth"] })).subject).toBe(want);
});
