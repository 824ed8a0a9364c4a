import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NamedFiles } from "@orchernetes/component";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readClientFiles } from "./config-files.ts";

let dir: string;
let cert: string;
let key: string;
let otherKey: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "o8s-client-files-"));
  const ca = await createCertificateAuthority({ commonName: "nodes" });
  ({ certPem: cert, keyPem: key } = await issueClientCertificate(ca, { commonName: "system:node:a" }));
  ({ keyPem: otherKey } = await issueClientCertificate(ca, { commonName: "system:node:a" }));
});
afterAll(() => rmSync(dir, { recursive: true }));

let count = 0;
/** The files of an agent that has joined, with this text as its certificate and key; undefined for a directory, "" for no file. */
function joined(text: string | undefined) {
  const own = join(dir, `${count++}`);
  mkdirSync(join(own, "pki"), { recursive: true });
  const pair = join(own, "pki", "orchlet-client-current.pem");
  symlinkSync("orchlet-client-1.pem", pair);
  const file = join(own, "pki", "orchlet-client-1.pem");
  if (text === undefined) mkdirSync(file);
  else if (text !== "") writeFileSync(file, text);
  const config = (user: object) =>
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    });
  const target = join(own, "orchconfig");
  const source = join(own, "bootstrap");
  writeFileSync(target, config({ "client-certificate": pair, "client-key": pair }));
  writeFileSync(source, config({ token: "abcdef.0123456789abcdef" }));
  return { target, source, pair, certDir: join(own, "pki") };
}

async function read(orchconfig: string, bootstrap: string, certDir: string) {
  const files = new NamedFiles();
  const flags = { orchconfig, "bootstrap-orchconfig": bootstrap, "cert-dir": certDir };
  return { ...(await readClientFiles(flags as never, files)), errors: files.errors };
}

test.each<[string, () => string | undefined, string]>([
  ["has nothing of it", () => "junk", "no certificate found"],
  ["ends in its certificate", () => cert.slice(0, 200), "no certificate found"],
  ["ends before its key", () => cert, "no private key found"],
  ["ends in its key", () => cert + key.slice(0, 60), "no private key found"],
  ["has the key of another", () => cert + otherKey, "the private key does not belong to the certificate"],
  [
    "has a certificate that cannot be read",
    () => `${cert.slice(0, 40)}\n-----END CERTIFICATE-----\n${key}`,
    "cannot be read",
  ],
  ["does not exist", () => "", "cannot read"],
  ["is a directory", () => undefined, "EISDIR"],
])(
  "a file of the agent's certificate that %s is named, and replaced where the agent can bootstrap",
  async (_, text, found) => {
    const { target, source, pair, certDir } = joined(text());
    const alone = await read(target, "", certDir);
    const [first = "", ...rest] = alone.errors;
    for (const part of ["--orchconfig: ", `${JSON.stringify(pair)}`, found]) expect(first).toContain(part);
    expect(rest.at(-1)).toMatch(/^--bootstrap-orchconfig: not given; want /);

    const { errors, bootstrap } = await read(target, source, certDir);
    expect(errors).toEqual([]);
    expect(bootstrap).toMatchObject({ source, target, reason: expect.stringContaining(found) });
    expect(bootstrap?.reason).toContain(JSON.stringify(pair));
  },
);

test("an agent with a certificate that can be used does not bootstrap", async () => {
  const { target, source, certDir } = joined(cert + key);
  expect(await read(target, source, certDir)).toMatchObject({ errors: [], api: { server: "https://127.0.0.1:1" } });
  expect(await read(target, source, certDir)).not.toHaveProperty("bootstrap");
});

test("a node that has not joined bootstraps without a reason", async () => {
  const { source, certDir } = joined("");
  const { bootstrap } = await read(join(certDir, "none"), source, certDir);
  expect(bootstrap).toEqual({ source, target: join(certDir, "none") });
});
