import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, get, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { silentLogger } from "@orchernetes/kernel";
import { createCertificateAuthority, issueClientCertificate, issueServerCertificate } from "@orchernetes/tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDestinationResolver } from "../dial/destination-resolver.ts";
import { followNodeClient } from "./node-client.ts";
import { createNodeConnection, type NodeConnection } from "./node-connection.ts";

const patience = { timeout: 10_000 };
const [former, latter, clients] = await Promise.all([
  createCertificateAuthority({ commonName: "former" }),
  createCertificateAuthority({ commonName: "latter" }),
  createCertificateAuthority({ commonName: "clients" }),
]);
let dir = "";
let end: AbortController;
let agents: readonly [Server, Server];
let nodes: NodeConnection;
const file = (name: string) => join(dir, name);

async function agentOf(authority: typeof former): Promise<Server> {
  const { certPem, keyPem } = await issueServerCertificate(authority, { commonName: "n", hosts: ["127.0.0.1"] });
  const tls = { cert: certPem, key: keyPem, ca: clients.certPem, requestCert: true, rejectUnauthorized: false };
  const server = createServer(tls, ({ socket, url }, response) => {
    const { CN } = (socket as TLSSocket).getPeerCertificate().subject;
    // A log that is followed does not end.
    if (url === "/log") response.write(String(CN));
    else response.end(String(CN));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function writePair(commonName: string): Promise<void> {
  const { certPem, keyPem } = await issueClientCertificate(clients, { commonName });
  writeFileSync(file("client.key"), keyPem);
  writeFileSync(file("client.crt"), certPem);
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "node-client-"));
  end = new AbortController();
  agents = await Promise.all([agentOf(former), agentOf(latter)]);
  await writePair("first");
  writeFileSync(file("ca.crt"), former.certPem);
  const flags = {
    "orchlet-certificate-authority": file("ca.crt"),
    "orchlet-client-certificate": file("client.crt"),
    "orchlet-client-key": file("client.key"),
  };
  nodes = createNodeConnection({
    client: await followNodeClient(flags, { logger: silentLogger, signal: end.signal, intervalMs: 10 }),
    preferredAddressTypes: ["InternalIP"],
    timeoutMs: 5000,
    destinations: createDestinationResolver({ isOwnListener: () => false }),
  });
});
afterEach(() => {
  end.abort();
  nodes.agent.destroy();
  for (const server of agents) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(dir, { recursive: true });
});

const addressOf = (index: 0 | 1) => ({
  host: "127.0.0.1",
  name: "127.0.0.1",
  port: (agents[index].address() as AddressInfo).port,
});

/** The beginning of an agent's answer. */
async function ask(index: 0 | 1, path = "/"): Promise<{ readonly text: string; readonly answer: IncomingMessage }> {
  const request = get({ ...addressOf(index), path, agent: nodes.agent });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const [chunk] = await once(
    answer.on("error", () => undefined),
    "data",
  );
  return { text: String(chunk), answer };
}

/** Who the agent says asks; why there is no answer. */
const outcome = (index: 0 | 1) =>
  ask(index).then(
    ({ text }) => text,
    ({ code }: NodeJS.ErrnoException) => String(code),
  );

test("a new client certificate is presented, and requests in flight continue", async () => {
  const log = await ask(0, "/log");
  const stream = await nodes.connect(addressOf(0));
  expect(await outcome(0)).toBe("first");
  await writePair("second");
  await expect.poll(() => outcome(0), patience).toBe("second");
  expect([log.answer.destroyed, stream.destroyed]).toEqual([false, false]);
  stream.destroy();
}, 30_000);

test("connections to agents of an authority that is taken out end, and none are made", async () => {
  const log = await ask(0, "/log");
  const stream = await nodes.connect(addressOf(0));
  stream.on("error", () => undefined);
  expect([log.text, await outcome(1)]).toEqual(["first", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"]);
  writeFileSync(file("ca.crt"), former.certPem + latter.certPem);
  await expect.poll(() => outcome(1), patience).toBe("first");
  expect([log.answer.destroyed, stream.destroyed]).toEqual([false, false]);
  writeFileSync(file("ca.crt"), latter.certPem);
  await expect.poll(() => [log.answer.destroyed, stream.destroyed], patience).toEqual([true, true]);
  expect([await outcome(0), await outcome(1)]).toEqual(["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "first"]);
  await expect(nodes.connect(addressOf(0))).rejects.toThrow("certificate");
}, 30_000);

test("files that do not fit together leave the former ones in force", async () => {
  writeFileSync(file("client.key"), former.keyPem);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await outcome(0)).toBe("first");
});
