import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFlags } from "@orchernetes/component";
import { createCertificateAuthority } from "@orchernetes/tls";
import { afterAll, expect, test } from "vitest";
import { completeConfig } from "./config.ts";
import { metricsServerFlags } from "./flags/index.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-metrics-config-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
};
const { certPem, keyPem } = await createCertificateAuthority({ commonName: "a" });
const cert = file("a.crt", certPem);
const key = file("a.key", keyPem);
const client = file(
  "client",
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  }),
);

async function configure(...argv: readonly string[]) {
  const program = { name: "x", description: "x", version: { text: "v", raw: "v" } };
  const parsed = parseFlags(program, metricsServerFlags, argv);
  if (parsed.type !== "run") return parsed.type === "errors" ? parsed.errors : [parsed.text];
  return completeConfig(parsed.flags).catch((error: { readonly errors: readonly string[] }) => error.errors);
}

test("all errors of the configuration are reported at once", async () => {
  expect(
    await configure(
      "--orchconfig=/nonexistent",
      `--orchlet-certificate-authority=${cert}`,
      "--orchlet-insecure-tls",
      "--orchlet-request-timeout=55s",
      `--orchlet-client-certificate=${cert}`,
      "--tls-cert-file=/none.crt",
      `--tls-private-key-file=${key}`,
    ),
  ).toEqual([
    "--orchlet-certificate-authority and --orchlet-insecure-tls exclude each other; want at most one of them",
    "--orchlet-request-timeout: found 55s; want at most nine tenths of --metric-resolution, 54s",
    expect.stringContaining("--orchconfig"),
    expect.stringContaining("--orchlet-client-certificate"),
    expect.stringContaining("/none.crt"),
  ]);
});

test.each([
  ["--metric-resolution=9s", "--metric-resolution"],
  ["--node-selector=!!", "a label selector such as key1=value1,key2!=value2"],
  ["--secure-port=0", "--secure-port"],
])("%s is refused", async (flag, message) => {
  expect(await configure(`--orchconfig=${client}`, flag)).toEqual([expect.stringContaining(message)]);
});

test("the shortest resolution needs a shorter time limit", async () => {
  const quick = ["--metric-resolution=10s", "--orchlet-request-timeout=9s", "-l", "a=b"];
  const config = await configure(`--orchconfig=${client}`, ...quick);
  expect(config).toMatchObject({ client: { server: "https://127.0.0.1:1", token: "t" } });
  expect("nodeSelector" in config && config.nodeSelector.toString()).toBe("a=b");
});
