import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCertificateAuthority, issueServerCertificate } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { runLoad } from "./run-load.ts";
import type { TurnsLoad, TurnsOutcome } from "./turns-load.ts";

test("each side gets as many turns, and requests only in its own", async () => {
  const authority = await createCertificateAuthority({ commonName: "authority" });
  const { certPem, keyPem } = await issueServerCertificate(authority, { commonName: "server", hosts: ["127.0.0.1"] });
  const order: string[] = [];
  const server = createServer({ cert: certPem, key: keyPem }, ({ url = "" }, response) => {
    if (order.at(-1) !== url) order.push(url);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const sideOf = (path: string) => ({
      target: { host: "127.0.0.1", port, ca: authority.certPem, token: "t" },
      pid: process.pid,
      templates: [[`GET ${path} HTTP/1.1\r\nHost: s\r\n\r\n`]],
    });
    const load: TurnsLoad = { sides: [sideOf("/a"), sideOf("/b")], connections: 2, turns: 2 };
    const { turns, failed } = await runLoad<TurnsLoad, TurnsOutcome>("turns-load", load);
    expect(failed).toBe(0);
    expect(turns.map(({ length }) => length)).toEqual([2, 2]);
    for (const { rate, cpuUs } of turns.flat()) {
      expect(rate).toBeGreaterThan(10);
      expect(cpuUs).toBeGreaterThan(1);
    }
    // A request that was under way when the turn ended may be answered once more after the other side began.
    expect(order.join("")).toMatch(/^\/a(\/b)?(\/a)?\/b(\/a)?(\/b)?(\/a)?$/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
