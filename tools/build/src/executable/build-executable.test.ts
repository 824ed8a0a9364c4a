import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, poll, startGuarded } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serviceAccountKey } from "../daemons/serving.ts";
import { programNamed } from "../programs.ts";
import { buildExecutable } from "./build-executable.ts";

const dir = mkdtempSync(join(tmpdir(), "executable-"));
// Alone in a folder, so that nothing beside it is used.
const file = join(dir, "alone/orch-apiserver");
afterAll(() => rmSync(dir, { recursive: true, force: true }));

beforeAll(async () => {
  await buildExecutable(programNamed("orch-apiserver"), file);
}, 120_000);

test("the executable tells its version, and holds the licences of what is in it", () => {
  expect(execFileSync(file, ["--version"], { encoding: "utf8" })).toBe("Orchernetes v1.27.16+orchernetes\n");
  expect(readFileSync(`${file}.licences/NOTICES.txt`, "utf8")).toMatch(
    /^lmdb [\d.]+: MIT AND OLDAP-2.8 AND BSD-2-Clause$/m,
  );
});

test("it serves from an embedded store, reads long YAML in its worker thread, and leaves no file behind", async () => {
  const port = await freePort();
  const key = join(dir, "key");
  const tmp = mkdtempSync(join(dir, "tmp-"));
  writeFileSync(key, serviceAccountKey(), { mode: 0o600 });
  const flags = [
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--storage-backend=embedded",
    `--embedded-store-path=${dir}/store`,
    `--cert-dir=${dir}/certificates`,
    "--authorization-mode=AlwaysAllow",
    "--service-account-issuer=https://issuer",
    `--service-account-signing-key-file=${key}`,
    `--service-account-key-file=${key}`,
    "--service-cluster-ip-range=10.96.0.0/16",
  ];
  const logFile = join(dir, "log");
  const server = await startGuarded({ command: [file, ...flags], logFile, env: { TMPDIR: tmp } });
  try {
    await poll({ what: "the server", timeoutMs: 60_000 }, async () => {
      if (!server.running) throw new Error(readFileSync(logFile, "utf8"));
      return (await send(port, "GET", "/readyz")) === 200;
    });
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: long\ndata:\n  text: "${"x".repeat(20_000)}"\n`;
    expect(await send(port, "POST", "/api/v1/namespaces/default/configmaps", yaml)).toBe(201);
    expect(readdirSync(tmp)).toEqual([]);
    expect(await server.end("SIGTERM")).toBe(0);
    expect(readFileSync(logFile, "utf8")).toMatch(/ server\.ts:\d+\] Serving securely/);
  } finally {
    await server.end("SIGKILL");
  }
}, 120_000);

/** Status of a request; undefined if there is no answer. */
function send(port: number, method: string, path: string, yaml?: string): Promise<number | undefined> {
  const headers = yaml === undefined ? {} : { "content-type": "application/yaml" };
  return new Promise((resolve) => {
    const options = { host: "127.0.0.1", port, method, path, headers, rejectUnauthorized: false };
    request(options, (response) => resolve(response.resume().statusCode))
      .on("error", () => resolve(undefined))
      .end(yaml);
  });
}
