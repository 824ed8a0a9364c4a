import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { Agent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createHealth,
  createMetrics,
  delegatedAuthFlags,
  parseFlags,
  pingCheck,
  respond,
  type SecureServing,
  servingFlags,
} from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import { type CertificatePair, createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDaemonServer, type DaemonServerOptions } from "./daemon-server.ts";

const program = { name: "x", description: "x", version: { text: "v", raw: "v" } };
const table = { ...servingFlags({ port: 10259, minPort: 0, certDir: "" }), ...delegatedAuthFlags(true) };
const ca = await createCertificateAuthority({ commonName: "ca" });
const admin = await issueClientCertificate(ca, { commonName: "admin", organizations: ["system:masters"] });
const user = await issueClientCertificate(ca, { commonName: "user" });

let directory = "";
let serving: SecureServing | undefined;
const end = new AbortController();

const start = (...argv: readonly string[]) => startWith(undefined, argv);

async function startWith(serve: DaemonServerOptions["serve"], argv: readonly string[]) {
  const parsed = parseFlags(program, table, argv);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  const metrics = createMetrics();
  metrics.gauge({ name: "up", help: "Up." }).set(1);
  return createDaemonServer({
    flags: parsed.flags,
    name: "x",
    health: createHealth({ logger: silentLogger, healthz: [pingCheck] }),
    metrics,
    profiling: { contention: false },
    serve,
    paths: { "/configz": (request, response) => respond(request, response, 200, {}, "{}") },
    logger: silentLogger,
    signal: end.signal,
  });
}
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "daemon-"));
  const caFile = join(directory, "ca.pem");
  await writeFile(caFile, ca.certPem);
  // Port 0 would switch the server off, so a free port is looked for.
  const probe = await freePort();
  serving = await start("--bind-address=127.0.0.1", `--secure-port=${probe}`, `--client-ca-file=${caFile}`);
});
afterAll(async () => {
  end.abort();
  await serving?.close();
  await rm(directory, { recursive: true });
});

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

function get(
  path: string,
  pair?: { readonly certPem: string; readonly keyPem: string },
  port = serving?.port,
): Promise<readonly [number, string]> {
  return new Promise((resolve, reject) => {
    const tls = pair === undefined ? {} : { cert: pair.certPem, key: pair.keyPem };
    const options = { port, host: "127.0.0.1", path, rejectUnauthorized: false, agent: false, ...tls };
    httpsRequest(options, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve([response.statusCode ?? 0, text]);
    })
      .on("error", reject)
      .end();
  });
}

test.each([
  ["/healthz", undefined, 200, "ok"],
  ["/healthz?verbose", undefined, 200, "[+]ping ok\n"],
  ["/metrics", undefined, 403, 'User \\"system:anonymous\\" cannot get path \\"/metrics\\"'],
  ["/metrics", user, 403, 'User \\"user\\" cannot get path'],
  ["/metrics", admin, 200, "up 1\n"],
  ["/configz", admin, 200, "{}"],
  ["/debug/pprof/", user, 403, "cannot get path"],
  ["/debug/pprof/", admin, 200, "goroutine"],
  ["/debug/pprof/block", admin, 404, "--contention-profiling"],
  ["/nothing", admin, 404, "404 page not found\n"],
])("%s", async (path, pair, status, body) => {
  const [code, text] = await get(path, pair);
  expect(code).toBe(status);
  expect(text).toContain(body);
});

test.each([
  ["/healthz,/open/*,/version*", true],
  ["/open/*/more", false],
  ["/open/**", false],
])("--authorization-always-allow-paths=%s is accepted: %s", (paths, accepted) => {
  const parsed = parseFlags(program, table, [`--authorization-always-allow-paths=${paths}`]);
  expect(parsed.type === "run").toBe(accepted);
});

test("port 0 switches the server off", async () => {
  expect(await start("--secure-port=0")).toBeUndefined();
});

test.each(["http/1.1", "h2"])(
  "a removed authority ends the %s connections of its clients, and only those",
  async (protocol) => {
    const [kept, removed] = await Promise.all(
      ["kept", "removed"].map((commonName) => createCertificateAuthority({ commonName })),
    );
    if (!kept || !removed) throw new Error("no authorities");
    const caFile = join(directory, `reloaded-${protocol.replace("/", "")}.pem`);
    await writeFile(caFile, kept.certPem + removed.certPem);
    const server = await start(
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      `--client-ca-file=${caFile}`,
    );
    try {
      const [stays, leaves] = await Promise.all(
        [kept, removed].map(async (authority) => {
          const pair = await issueClientCertificate(authority, { commonName: "a", organizations: ["system:masters"] });
          return openConnection(server?.port ?? 0, protocol, pair);
        }),
      );
      expect([await stays?.get("/configz"), await leaves?.get("/configz")]).toEqual([200, 200]);
      await writeFile(caFile, kept.certPem);
      await leaves?.closed;
      expect(await stays?.get("/configz")).toBe(200);
      stays?.close();
    } finally {
      await server?.close();
    }
  },
);

interface OpenConnection {
  get(path: string): Promise<number>;
  /** Settles when the server has closed it. */
  readonly closed: Promise<unknown>;
  close(): void;
}

/** One connection that is kept between requests. */
async function openConnection(port: number, protocol: string, pair: CertificatePair): Promise<OpenConnection> {
  const tls = { cert: pair.certPem, key: pair.keyPem, rejectUnauthorized: false };
  if (protocol === "h2") {
    const session = connect(`https://127.0.0.1:${port}`, tls);
    session.on("error", () => undefined);
    return {
      async get(path) {
        const stream = session.request({ ":path": path });
        const [headers] = await once(stream.resume(), "response");
        return headers[":status"];
      },
      closed: new Promise((resolve) => session.once("close", resolve)),
      close: () => session.destroy(),
    };
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets: Socket[] = [];
  const closed = Promise.withResolvers<void>();
  return {
    get: (path) =>
      new Promise((resolve, reject) => {
        httpsRequest({ port, host: "127.0.0.1", path, agent, ...tls }, (response) => {
          if (!sockets.includes(response.socket)) sockets.push(response.socket);
          if (sockets.length > 1) reject(new Error("the connection was not kept"));
          response.resume().on("end", () => resolve(response.statusCode ?? 0));
          response.socket.once("close", () => closed.resolve());
        })
          .on("error", reject)
          .end();
      }),
    closed: closed.promise,
    close: () => agent.destroy(),
  };
}

test("a daemon with an API of its own is told who may send what, and gets the other paths as a responder", async () => {
  const flags = ["--bind-address=127.0.0.1", `--secure-port=${await freePort()}`];
  const own = await startWith(
    ({ authenticators, authorizers }, routes) =>
      async (request, response) => {
        if (await routes(request, response)) return;
        const users = await Promise.all(authenticators.map((one) => one.authenticate(request)));
        const names = users.flatMap((found) => (found.type === "authenticated" ? [found.user.name] : []));
        respond(request, response, 200, {}, `${names} ${authorizers.length} ${request.url}`);
      },
    [...flags, `--client-ca-file=${join(directory, "ca.pem")}`],
  );
  try {
    expect(await get("/api", user, own?.port)).toEqual([200, "user 2 /api"]);
    expect(await get("/api", undefined, own?.port)).toEqual([200, " 2 /api"]);
    // Whether a path may be read is up to the API: nothing is in front of it.
    expect(await get("/configz", undefined, own?.port)).toEqual([200, "{}"]);
  } finally {
    await own?.close();
  }
});
