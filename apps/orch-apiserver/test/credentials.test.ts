import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectHttp2, type OutgoingHttpHeaders } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import {
  type CertificateAuthority,
  type CertificatePair,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@orchernetes/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const patience = { timeout: 15_000 };
const dir = mkdtempSync(join(tmpdir(), "credentials-"));
const clientCaFile = join(dir, "client-ca.pem");
const proxyCaFile = join(dir, "proxy-ca.pem");
const authority = (commonName: string) => createCertificateAuthority({ commonName });
const [kept, removed, keptProxy, removedProxy, stranger] = await Promise.all([
  authority("kept"),
  authority("removed"),
  authority("kept-proxy"),
  authority("removed-proxy"),
  authority("kept"),
]);
const admins = { commonName: "alice", organizations: ["system:masters"] };
const of = (ca: CertificateAuthority) => issueClientCertificate(ca, admins);
const proxyOf = (ca: CertificateAuthority) => issueClientCertificate(ca, { commonName: "front" });

let server: TestApiServer;
let tokenFile = "";
const tokens = (...lines: readonly string[]) => writeFileSync(tokenFile, `${lines.join("\n")}\n`, { mode: 0o600 });
beforeAll(async () => {
  writeFileSync(clientCaFile, kept.certPem + removed.certPem);
  writeFileSync(proxyCaFile, keptProxy.certPem + removedProxy.certPem);
  server = await startApiServer({
    authorizationMode: "RBAC",
    flags: [
      `--client-ca-file=${clientCaFile}`,
      `--requestheader-client-ca-file=${proxyCaFile}`,
      "--requestheader-allowed-names=front",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    ],
  });
  tokenFile = join(server.dir, "tokens.csv");
}, 60_000);
afterAll(async () => {
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

type Fields = readonly (readonly [name: string, value: string])[];

/** A connection that is kept, over which requests are made one after the other. */
interface Connection {
  /** The status, the headers' names and the message of the Status that answers. */
  ask(path: string, fields?: Fields): Promise<{ readonly status: number; readonly text: string }>;
  /** Begins a watch. */
  watch(fields?: Fields): Promise<void>;
  readonly isClosed: () => boolean;
  close(): void;
}

const tlsOf = (pair?: CertificatePair) => ({
  ca: readFileSync(server.caFile),
  ...(pair && { cert: pair.certPem, key: pair.keyPem }),
});

async function overHttp1(pair?: CertificatePair, handshake: Fields = []): Promise<Connection> {
  const socket: TLSSocket = connectTls({ host: "127.0.0.1", port: server.port, ...tlsOf(pair) });
  let closed = false;
  socket
    .on("error", () => undefined)
    .once("close", () => {
      closed = true;
    });
  await once(socket, "secureConnect");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const send = async (path: string, fields: Fields, complete: RegExp) => {
    text = "";
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${lines}\r\n`);
    await expect.poll(() => complete.test(text), patience).toBe(true);
    return { status: Number(text.slice(9, 12)), text };
  };
  return {
    ask: (path, fields = []) => send(path, fields, /\r\n\r\n[\s\S]+/),
    async watch(fields = []) {
      const { status } = await send("/api/v1/namespaces?watch=1", [...fields, ...handshake], /\r\n\r\n/);
      expect(status).toBe(handshake.length === 0 ? 200 : 101);
    },
    isClosed: () => closed,
    close: () => socket.destroy(),
  };
}

async function overHttp2(pair?: CertificatePair): Promise<Connection> {
  const session = connectHttp2(server.url, tlsOf(pair));
  session.on("error", () => undefined);
  await once(session, "connect");
  const open = async (path: string, fields: Fields) => {
    const headers: OutgoingHttpHeaders = { ":path": path };
    for (const [name, value] of fields)
      headers[name.toLowerCase()] = [...((headers[name.toLowerCase()] as string[] | undefined) ?? []), value];
    const stream = session.request(headers);
    stream.on("error", () => undefined);
    const [received] = await once(stream, "response");
    return { stream, received };
  };
  return {
    async ask(path, fields = []) {
      const { stream, received } = await open(path, fields);
      let text = JSON.stringify(received);
      for await (const chunk of stream.setEncoding("utf8")) text += chunk;
      return { status: received[":status"], text };
    },
    async watch(fields = []) {
      (await open("/api/v1/namespaces?watch=1", fields)).stream.resume();
    },
    isClosed: () => session.destroyed,
    close: () => session.destroy(),
  };
}

const protocols = [
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
] as const;
/** Watches are WebSockets. */
const overWebSocket = (pair?: CertificatePair) =>
  overHttp1(pair, [
    ["connection", "Upgrade"],
    ["upgrade", "websocket"],
    ["sec-websocket-version", "13"],
    ["sec-websocket-key", Buffer.alloc(16).toString("base64")],
  ]);
const bearer = (token: string): Fields => [["authorization", `Bearer ${token}`]];

describe.each(protocols)("over %s", (_name, connect) => {
  const once = async (pair: CertificatePair | undefined, fields: Fields = []) => {
    const connection = await connect(pair);
    try {
      return await connection.ask("/api/v1/nodes", fields);
    } finally {
      connection.close();
    }
  };

  test("a certificate that does not verify is a failed login, unless other credentials hold", async () => {
    const wrong = [await of(stranger), await issueServerCertificate(kept, { commonName: "s", hosts: ["s"] })];
    for (const pair of wrong) {
      const refused = await once(pair);
      expect(refused.status).toBe(401);
      expect(refused.text).toContain('"reason":"Unauthorized"');
      expect(refused.text.toLowerCase()).toMatch(/"?www-authenticate"?: ?"?bearer realm=\\?"orchernetes\\?"/);
      expect((await once(pair, bearer(server.token))).status).toBe(200);
    }
    const anonymous = await once(undefined);
    expect([anonymous.status, anonymous.text]).toEqual([403, expect.stringContaining("system:anonymous")]);
    expect((await once(await of(kept))).status).toBe(200);
  });

  test("the certificate of a front proxy without a user is a failed login", async () => {
    expect((await once(await proxyOf(keptProxy))).status).toBe(401);
  });

  test.each<[string, Fields, number]>([
    ["one group with a comma", [["X-Remote-Group", "team-a, system:masters"]], 403],
    [
      "two groups",
      [
        ["X-Remote-Group", "team-a"],
        ["X-Remote-Group", "system:masters"],
      ],
      200,
    ],
  ])("a front proxy names %s", async (_title, fields, want) => {
    const answer = await once(await proxyOf(keptProxy), [["X-Remote-User", "bob"], ...fields]);
    expect(answer.status).toBe(want);
    if (want === 403) expect(answer.text).toContain('User \\"bob\\"');
    expect((await once(await of(kept), [["X-Remote-User", "bob"], ...fields])).status).toBe(200);
  });

  test("impersonating one group with a comma is not impersonating two", async () => {
    const as: Fields = [
      ["Impersonate-User", "bob"],
      ["Impersonate-Group", "team-a, system:masters"],
    ];
    expect((await once(undefined, [...bearer(server.token), ...as])).status).toBe(403);
  });
});

const api = "https://orchernetes.default.svc";
test.each([
  [undefined, { authenticated: true, audiences: [api] }],
  [["vault", api], { authenticated: true, audiences: [api] }],
  [["vault"], { user: {} }],
])("a static token, reviewed for audiences %j", async (audiences, want) => {
  const spec = { token: server.token, ...(audiences && { audiences }) };
  const body = { apiVersion: "authentication.o8s.io/v1", kind: "TokenReview", spec };
  const path = "/apis/authentication.o8s.io/v1/tokenreviews";
  const { status } = (await server.client().request({ method: "POST", path, body })) as { status: object };
  expect(status).toMatchObject(want);
  if (!("authenticated" in want)) expect(status).not.toHaveProperty("authenticated", true);
});

describe("what is taken out of a file", () => {
  const admin = () => `${server.token},admin,admin-uid,"system:masters"`;
  const namedBob: Fields = [
    ["X-Remote-User", "bob"],
    ["X-Remote-Group", "system:masters"],
  ];
  const cases: readonly {
    readonly name: string;
    readonly before: () => void;
    readonly after: () => void;
    readonly kept: () => Promise<readonly [CertificatePair | undefined, Fields]>;
    readonly removed: () => Promise<readonly [CertificatePair | undefined, Fields]>;
  }[] = [
    {
      name: "a client authority",
      before: () => undefined,
      after: () => writeFileSync(clientCaFile, kept.certPem),
      kept: async () => [await of(kept), []],
      removed: async () => [await of(removed), []],
    },
    {
      name: "an authority of front proxies",
      before: () => undefined,
      after: () => writeFileSync(proxyCaFile, keptProxy.certPem),
      kept: async () => [await proxyOf(keptProxy), namedBob],
      removed: async () => [await proxyOf(removedProxy), namedBob],
    },
    {
      name: "a static token",
      before: () => tokens(admin(), 'leaves,bob,bob-uid,"system:masters"'),
      after: () => tokens(admin()),
      kept: async () => [undefined, bearer(server.token)],
      removed: async () => [undefined, bearer("leaves")],
    },
    {
      name: "a group of a static token",
      before: () => tokens(admin(), 'weakens,bob,bob-uid,"system:masters"'),
      after: () => tokens(admin(), "weakens,bob,bob-uid"),
      kept: async () => [undefined, bearer(server.token)],
      removed: async () => [undefined, bearer("weakens")],
    },
  ];

  test.each(cases)(
    "$name counts no more, and the connections that rest on it end",
    async ({ before, after, ...who }) => {
      before();
      const [stays, leaves] = await Promise.all([who.kept(), who.removed()]);
      const status = async ([pair, fields]: readonly [CertificatePair | undefined, Fields]) => {
        const connection = await overHttp1(pair);
        const answer = await connection.ask("/api/v1/nodes", fields);
        connection.close();
        return answer.status;
      };
      await expect.poll(() => status(leaves), patience).toBe(200);
      const open = async ([pair, fields]: readonly [CertificatePair | undefined, Fields]) => {
        const connections: Connection[] = [];
        for (const connect of [overHttp1, overHttp2, overWebSocket])
          for (const watching of [false, true]) {
            const connection = await connect(pair);
            expect((await connection.ask("/api/v1/nodes", fields)).status).toBe(200);
            if (watching) await connection.watch(fields);
            connections.push(connection);
          }
        return connections;
      };
      const [staying, leaving] = [await open(stays), await open(leaves)];
      after();
      await expect
        .poll(() => leaving.map((connection) => connection.isClosed()), patience)
        .toEqual(leaving.map(() => true));
      expect(staying.map((connection) => connection.isClosed())).toEqual(staying.map(() => false));
      expect(await status(leaves)).not.toBe(200);
      expect(await status(stays)).toBe(200);
      for (const connection of staying) connection.close();
    },
    30_000,
  );

  test("an authority that is put into a file counts", async () => {
    const added = await authority("added");
    writeFileSync(clientCaFile, kept.certPem + added.certPem);
    const pair = await of(added);
    const status = async () => {
      const connection = await overHttp1(pair);
      const answer = await connection.ask("/api/v1/nodes");
      connection.close();
      return answer.status;
    };
    await expect.poll(status, patience).toBe(200);
  });
});
