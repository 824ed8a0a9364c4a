import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logTail, poll, startGuarded } from "@orchernetes/testkit";
import type { DnsLoad, DnsRate } from "../load/dns-load.ts";
import { runLoad } from "../load/run-load.ts";
import type { Row } from "../row.ts";
import { dnsServerFile, dnsServices } from "../servers/dns-server.ts";

/** Questions under way at once: about what a node with a hundred busy pods has. */
const CONCURRENCY = 64;

/** The cluster DNS: names of 1,000 services over UDP. */
export const dns: Row = {
  id: "dns",
  measures: [
    { id: "dns", work: `DNS, A of 1,000 services over UDP, ${CONCURRENCY} at once`, unit: "/s" },
    { id: "dns-p99", work: "… p99", unit: "ms" },
  ],
  async run({ quick, defer, note }) {
    const dir = mkdtempSync(join(tmpdir(), "o8s-dns-"));
    defer(() => rmSync(dir, { recursive: true, force: true }));
    const logFile = join(dir, "log");
    const server = await startGuarded({ command: [process.execPath, dnsServerFile], logFile });
    defer(async () => void (await server.end("SIGKILL")));
    const port = await poll(
      { what: "the DNS server's port", timeoutMs: 10_000 },
      () => Number(logTail(logFile)) || undefined,
    );
    const names = dnsServices.map((name) => `${name}.bench.svc.cluster.local`);
    const ask = (seconds: number) =>
      runLoad<DnsLoad, DnsRate>("dns-load", { port, names, concurrency: CONCURRENCY, seconds });
    await ask(1);
    const { perSecond, p99Ms, lost } = await ask(quick ? 2 : 5);
    note(`load by Node, ${lost} lost`);
    return { dns: perSecond, "dns-p99": p99Ms };
  },
};
