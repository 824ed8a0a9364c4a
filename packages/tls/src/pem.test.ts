import { createPrivateKey } from "node:crypto";
import { expect, test } from "vitest";
import { createCertificateAuthority } from "./certificate-authority.ts";
import { generatePrivateKey, privateKeyToPem } from "./keys.ts";
import {
  decodePem,
  loadServingPair,
  parseCertificates,
  parsePrivateKey,
  parsePublicKeys,
  parseServingPair,
} from "./pem.ts";

const ca = await createCertificateAuthority({ commonName: "ca" });
const rsa = await generatePrivateKey("rsa-2048");
const encrypted = createPrivateKey(ca.keyPem)
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "p" })
  .toString();

test.each([
  [
    "nothing",
    () => parseCertificates("", "f"),
    'f: no certificate found; want PEM with at least one "-----BEGIN CERTIFICATE-----" block',
  ],
  ["a key for a certificate", () => parseCertificates(ca.keyPem, "f"), "f: no certificate found"],
  [
    "a broken second certificate",
    () => parseCertificates(`${ca.certPem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, "f"),
    "f: certificate 2 cannot be read: ",
  ],
  ["a certificate for a key", () => parsePrivateKey(ca.certPem, "f"), "f: no private key found"],
  [
    "an encrypted key",
    () => parsePrivateKey(encrypted, "f"),
    "f: private key cannot be read: encrypted keys are not accepted",
  ],
  ["no public key", () => parsePublicKeys("x", "f"), "f: no key found"],
  [
    "a foreign key",
    () => parseServingPair({ certPem: ca.certPem, keyPem: privateKeyToPem(rsa) }, { cert: "c", key: "k" }),
    "k: the private key does not belong to the certificate in c",
  ],
])("%s is rejected with the source and what would be accepted", (_name, read, message) => {
  expect(read).toThrow(message);
});

test("the error of an absent file names it", async () => {
  await expect(loadServingPair("/nonexistent/a.crt", "/nonexistent/a.key")).rejects.toThrow(
    /^"\/nonexistent\/a\.(crt|key)" cannot be read: ENOENT/,
  );
});

test("a bundle is read in order, also with text between the blocks and with CRLF", () => {
  const bundle = `# first\r\n${ca.certPem.replaceAll("\n", "\r\n")}\nnote\n${ca.certPem}`;
  expect(parseCertificates(bundle, "f").map((certificate) => certificate.subject)).toEqual(["CN=ca", "CN=ca"]);
});

test("public keys are read from keys and from certificates", () => {
  const pem = `${ca.certPem}${privateKeyToPem(rsa)}`;
  expect(parsePublicKeys(pem, "f").map((key) => key.asymmetricKeyType)).toEqual(["ec", "rsa"]);
});

test("an EC parameter block before the key is skipped", () => {
  const pem = `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${ca.keyPem}`;
  expect(parsePrivateKey(pem, "f").asymmetricKeyType).toBe("ec");
  expect(decodePem(pem)).toHaveLength(2);
});
