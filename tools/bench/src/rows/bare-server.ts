import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logTail, poll, startGuarded } from "@orchernetes/testkit";
import { createSelfSignedPair } from "@orchernetes/tls";
import { measureRate } from "../load/measure-rate.ts";
import { getTemplates } from "../load/request-template.ts";
import type { Row } from "../row.ts";
import { bareServerFile } from "../servers/bare-server.ts";

/**
 * Requests per second that Node itself answers over TLS on this machine: the limit of every other row. It varies from hour to hour, so
 * a run measures it at its beginning and at its end.
 */
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
    const load = { target, templates: getTemplates(target, "/"), connections: 16 };
    await measureRate({ ...load, seconds: 1 });
    const { perSecond, by } = await measureRate({ ...load, seconds: quick ? 2 : 5 });
    note(`load by ${by}`);
    return { bare: perSecond };
  },
};
