import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { connect } from "node:tls";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { createCertificateAuthority, issueServerCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, expect, test } from "vitest";

const patience = { timeout: 15_000 };
const dir = mkdtempSync(join(tmpdir(), "exec-credentials-"));
const token = "leaves-46513";
const encoded = Buffer.from(token).toString("base64url");

/** What reached the node's agent. */
const seen: { readonly request: IncomingMessage; readonly socket: Duplex }[] = [];
let agent: Server;
let server: TestApiServer;
const tokens = (...lines: readonly string[]) =>
  writeFileSync(join(server.dir, "tokens.csv"), `${lines.join("\n")}\n`, { mode: 0o600 });
const admin = () => `${server.token},admin,admin-uid,"system:masters"`;

beforeAll(async () => {
  const ca = await createCertificateAuthority({ commonName: "orchlet-ca" });
  const pair = await issueServerCertificate(ca, { commonName: "system:node:n", hosts: ["127.0.0.1"] });
  writeFileSync(join(dir, "orchlet-ca.crt"), ca.certPem);
  agent = createServer({ cert: pair.certPem, key: pair.keyPem });
  agent.on("upgrade", (request, socket) => {
    seen.push({ request, socket });
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n");
  });
  agent.listen(0, "127.0.0.1");
  await once(agent, "listening");
  server = await startApiServer({
    flags: [
      `--orchlet-certificate-authority=${join(dir, "orchlet-ca.crt")}`,
      "--orchlet-preferred-address-types=InternalIP",
      "--disable-admission-plugins=ServiceAccount",
    ],
  });
  const client = server.client();
  await client.request({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "n" } } });
  const { port } = agent.address() as AddressInfo;
  await client.request({
    method: "PATCH",
    path: "/api/v1/nodes/n/status",
    contentType: "application/merge-patch+json",
    body: {
      status: {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { orchletEndpoint: { Port: port } },
      },
    },
  });
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  const body = { metadata: { name: "p" }, spec };
  await client.request({ method: "POST", path: "/api/v1/namespaces/default/pods", body });
}, 120_000);
afterAll(async () => {
  await server?.stop();
  agent?.closeAllConnections();
  agent?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Begins an exec with the given headers; answers its status line, and whether the connection has ended. */
async function exec(headers: readonly string[]) {
  const socket = connect({ host: "127.0.0.1", port: server.port, ca: readFileSync(server.caFile) });
  let text = "";
  let closed = false;
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  socket
    .on("error", () => undefined)
    .once("close", () => {
      closed = true;
    });
  await once(socket, "secureConnect");
  const head = [
    "GET /api/v1/namespaces/default/pods/p/exec?command=id&stdout=1 HTTP/1.1",
    "host: x",
    "connection: Upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    `sec-websocket-key: ${Buffer.alloc(16).toString("base64")}`,
    ...headers,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  await expect.poll(() => text, patience).toContain("\r\n");
  return { status: Number(text.slice(9, 12)), isClosed: () => closed };
}

test.each([
  ["its subprotocol", [`sec-websocket-protocol: base64url.bearer.authorization.o8s.io.${encoded}, v4.channel.o8s.io`]],
  [
    "a header, and another spelling of the subprotocol",
    [
      `authorization: Bearer ${token}`,
      `sec-websocket-protocol: v4.channel.o8s.io, base64url.bearer.authorization.k8s.io.${encoded}`,
    ],
  ],
])(
  "a token in %s ends at the server, and an exec ends with it",
  async (_, headers) => {
    tokens(admin(), `${token},bob,bob-uid,"system:masters"`);
    const others = ["x-remote-user: root", "x-remote-group: system:masters", "impersonate-user: eve", "x-mine: kept"];
    await expect
      .poll(async () => {
        const began = await exec([...headers, ...others]);
        return began.status;
      }, patience)
      .toBe(101);
    seen.splice(0);
    const running = await exec([...headers, ...others]);
    expect(running.status).toBe(101);
    const [stream] = seen;
    if (stream === undefined) throw new Error("nothing reached the agent");
    const passed = JSON.stringify([stream.request.url, stream.request.rawHeaders]);
    expect(passed).toContain("kept");
    expect(stream.request.headers["sec-websocket-protocol"]).toBe("v4.channel.o8s.io");
    for (const own of [token, encoded, "x-remote-", "impersonate-", "authorization"]) expect(passed).not.toContain(own);

    tokens(admin());
    await expect.poll(() => [running.isClosed(), stream.socket.destroyed], patience).toEqual([true, true]);
    expect((await exec(headers)).status).toBe(401);
  },
  60_000,
);
