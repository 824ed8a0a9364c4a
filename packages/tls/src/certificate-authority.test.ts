import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import {
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
  loadCertificateAuthority,
} from "./certificate-authority.ts";
import type { KeyAlgorithm } from "./keys.ts";
import { parsePrivateKey, TlsMaterialError } from "./pem.ts";
import { certificateIdentity } from "./subject.ts";

const algorithms: readonly KeyAlgorithm[] = ["ecdsa-p256", "ecdsa-p384", "rsa-2048", "ed25519"];
const openssl = spawnSync("openssl", ["version"]).status === 0;

test.each(algorithms)(
  "an authority with a %s key signs certificates that the runtime verifies",
  async (keyAlgorithm) => {
    const ca = await createCertificateAuthority({ commonName: "orchernetes-ca", keyAlgorithm });
    const { certPem, keyPem } = await issueServerCertificate(ca, {
      commonName: "api",
      hosts: ["api.example", "127.0.0.1", "fd00::10", "::ffff:10.0.0.1"],
      keyAlgorithm,
    });
    const leaf = new X509Certificate(certPem);
    expect(ca.certificate.ca).toBe(true);
    expect(ca.certificate.verify(ca.certificate.publicKey)).toBe(true);
    expect(leaf.verify(ca.certificate.publicKey)).toBe(true);
    expect(leaf.checkIssued(ca.certificate)).toBe(true);
    expect(leaf.checkPrivateKey(parsePrivateKey(keyPem, "key"))).toBe(true);
    expect(leaf.checkHost("api.example")).toBe("api.example");
    expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(leaf.checkIP("fd00::10")).toBe("fd00::10");
    expect(leaf.checkHost("other.example")).toBeUndefined();
    expect(leaf.ca).toBe(false);
  },
);

test.runIf(openssl).each(algorithms)("openssl verifies a %s chain for its purpose", async (keyAlgorithm) => {
  const directory = await mkdtemp(join(tmpdir(), "tls-"));
  try {
    const ca = await createCertificateAuthority({ commonName: "ca", keyAlgorithm });
    const server = await issueServerCertificate(ca, { commonName: "s", hosts: ["localhost"], keyAlgorithm });
    await writeFile(join(directory, "ca.pem"), ca.certPem);
    await writeFile(join(directory, "s.pem"), server.certPem);
    const verify = (purpose: string) =>
      spawnSync("openssl", ["verify", "-x509_strict", "-purpose", purpose, "-CAfile", "ca.pem", "s.pem"], {
        cwd: directory,
        encoding: "utf8",
      });
    expect(verify("sslserver")).toMatchObject({ status: 0, stdout: "s.pem: OK\n" });
    expect(verify("sslclient").status).not.toBe(0);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("mutual TLS: each side accepts the other, and the server learns user and groups", async () => {
  const ca = await createCertificateAuthority({ commonName: "ca" });
  const server = await issueServerCertificate(ca, { commonName: "server", hosts: ["localhost", "127.0.0.1"] });
  const client = await issueClientCertificate(ca, {
    commonName: "system:node:n1",
    organizations: ["system:nodes", 'ops, the "team"\nCN=admin'],
  });
  const listener = createServer({
    cert: server.certPem,
    key: server.keyPem,
    ca: ca.certPem,
    requestCert: true,
    rejectUnauthorized: true,
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const accepted = once(listener, "secureConnection");
  const socket = connect({
    port: address.port,
    host: "127.0.0.1",
    ca: ca.certPem,
    cert: client.certPem,
    key: client.keyPem,
  });
  try {
    await once(socket, "secureConnect");
    const [peer] = (await accepted) as [TLSSocket];
    const certificate = peer.getPeerX509Certificate();
    expect(peer.authorized).toBe(true);
    expect(certificate && certificateIdentity(certificate)).toEqual({
      commonName: "system:node:n1",
      organizations: ["system:nodes", 'ops, the "team"\nCN=admin'],
    });
  } finally {
    socket.destroy();
    listener.close();
  }
});

test("a certificate never expires after its authority", async () => {
  const now = () => Date.UTC(2048, 0, 1);
  const ca = await createCertificateAuthority({ commonName: "ca", validityMs: 3 * 365 * 24 * 3600_000, now });
  const leaf = await issueClientCertificate(ca, { commonName: "u", validityMs: 20 * 365 * 24 * 3600_000, now });
  const certificate = new X509Certificate(leaf.certPem);
  expect(certificate.validTo).toBe(ca.certificate.validTo);
  expect(new Date(certificate.validTo).getUTCFullYear()).toBe(2050);
});

test("a certificate that is not an authority is rejected as one", async () => {
  const ca = await createCertificateAuthority({ commonName: "ca" });
  const leaf = await issueClientCertificate(ca, { commonName: "u" });
  expect(() => loadCertificateAuthority(leaf, "cluster signing")).toThrow(TlsMaterialError);
  expect(() => loadCertificateAuthority({ certPem: ca.certPem, keyPem: leaf.keyPem }, "cluster signing")).toThrow(
    "cluster signing key: the private key does not belong to the certificate in cluster signing certificate",
  );
});
