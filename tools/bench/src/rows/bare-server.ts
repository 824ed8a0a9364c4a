import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logTail, poll, startGuarded } from "@orchernetes/testkit";
import { createSelfSignedPair } from "@orchernetes/tls";
import { getRate } from "../load/get-rate.ts";
import type { Row } from "../row.ts";
import { bareServerFile } from "../servers/bare-server.ts";

/** What Node itself can answer over TLS on this machine: the limit of every row above. */
export const bareServer: Row = {
  id: "bare",
  measures: [
    {
      id: "bare",
      work: "a bare Node TLS server, 16 connections (the machine's limit)",
      unit: "req/s",
    },
  ],
  async run({ quick, defer, note }) {
    const dir = mkdtempSync(join(tmpdir(), "o8s-bare-"));
    defer(() => rmSync(dir, { recursive: true, force: true }));
    const pair = await createSelfSignedPair({ hosts: ["localhost", "127.0.0.1"] });
    const [certFile, keyFile, logFile] = [join(dir, "tls.crt"), join(dir, "tls.key"), join(dir, "log")];
    writeFileSync(certFile, pair.certPem);
    writeFileSync(keyFile, pair.keyPem, { mode: 0o600 });
    const server = await startGuarded({ command: [process.execPath, bareServerFile, certFile, keyFile], logFile });
    defer(async () => void (await server.end("SIGKILL")));
    const port = await poll(
      { what: "the bare server's port", timeoutMs: 5000 },
      () => Number(logTail(logFile)) || undefined,
    );
    const target = { host: "127.0.0.1", port, ca: readFileSync(certFile, "utf8"), token: "none" };
    await getRate({ target, path: "/", connections: 16, seconds: 1 });
    const { perSecond, by } = await getRate({ target, path: "/", connections: 16, seconds: quick ? 2 : 5 });
    note(`asked by ${by}`);
    return { bare: perSecond };
  },
};
