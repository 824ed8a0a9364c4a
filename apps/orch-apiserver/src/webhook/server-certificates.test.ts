import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@orchernetes/kernel";
import { startWebhookServer, type WebhookServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createReviewClient, type ReviewClientOptions } from "./review-client.ts";

const behaviour = { type: "answer", body: () => ({ fine: true }) } as const;
const folder = mkdtempSync(join(tmpdir(), "server-certificates-"));
const end = new AbortController();
let nameless: WebhookServer;
let weak: WebhookServer;
beforeAll(async () => {
  [nameless, weak] = await Promise.all([
    startWebhookServer({ behaviour, hosts: [], commonName: "localhost" }),
    startWebhookServer({ behaviour, pair: sha1Pair() }),
  ]);
});
afterAll(async () => {
  end.abort();
  await Promise.all([nameless.stop(), weak.stop()]);
  rmSync(folder, { recursive: true });
});

/** A certificate that its authority has signed with SHA-1. */
function sha1Pair() {
  const file = (name: string) => join(folder, name);
  const openssl = (line: string) => execFileSync("openssl", line.split(" "), { cwd: folder, stdio: "pipe" });
  writeFileSync(file("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  openssl("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=authority -days 2");
  openssl("req -newkey rsa:2048 -nodes -keyout s.key -out s.csr -subj /CN=localhost");
  openssl("x509 -req -sha1 -in s.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile names -out s.crt -days 2");
  const read = (name: string) => readFileSync(file(name), "utf8");
  return { certPem: read("s.crt"), keyPem: read("s.key"), caPem: read("ca.crt") };
}

async function ask({ port, caPem }: WebhookServer, more: Partial<ReviewClientOptions> = {}) {
  const deprecated: string[] = [];
  const client = createReviewClient({
    endpoint: `https://localhost:${port}/`,
    caBundle: caPem,
    timeoutMs: 5000,
    clock: systemClock,
    signal: end.signal,
    onDeprecated: (what) => deprecated.push(what),
    ...more,
  });
  const answer = await client.post("", {}).catch((error: Error) => error.message.replace(/^Post \S+: /, ""));
  return { answer, deprecated };
}

test("a certificate with a common name only is refused, as by Go, and counted", async () => {
  expect(await ask(nameless)).toEqual({
    answer: "tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead",
    deprecated: ["missing-san"],
  });
  expect(nameless.requests).toEqual([]);
});

test("a certificate that is signed with SHA-1 is refused, and counted", async () => {
  const { answer, deprecated } = await ask(weak);
  expect([answer, deprecated]).toEqual([expect.stringContaining("too weak"), ["insecure-sha1"]]);
  expect(weak.requests).toEqual([]);
});

test("where certificates are not checked, they are counted with each answer", async () => {
  const insecure = { insecure: true };
  const tls = () => insecure;
  expect(await ask(nameless, { tls })).toEqual({ answer: { fine: true }, deprecated: ["missing-san"] });
  expect(await ask(weak, { tls })).toEqual({ answer: { fine: true }, deprecated: ["insecure-sha1"] });
});

test("a certificate of another authority, or for another name, is not counted", async () => {
  const words = "tls: failed to verify certificate: x509: certificate";
  expect(await ask(nameless, { caBundle: weak.caPem })).toEqual({
    answer: `${words} signed by unknown authority`,
    deprecated: [],
  });
  const named = await startWebhookServer({ behaviour, hosts: ["a.example", "b.example"], commonName: "localhost" });
  expect(await ask(named)).toEqual({
    answer: `${words} is valid for a.example, b.example, not localhost`,
    deprecated: [],
  });
  await named.stop();
});
