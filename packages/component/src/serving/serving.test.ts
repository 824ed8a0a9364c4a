import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request as http1Request } from "node:http";
import { connect as http2Connect } from "node:http2";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TLSSocket, type ConnectionOptions as TlsClientOptions, connect as tlsConnect } from "node:tls";
import { type HttpHandler, silentLogger } from "@orchernetes/kernel";
import { createCertificateAuthority, issueClientCertificate, issueServerCertificate } from "@orchernetes/tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlainServing } from "./plain-serving.ts";
import { BodyTooLargeError, readBody } from "./read-body.ts";
import { createSecureServing, type SecureServing, type SecureServingOptions } from "./secure-serving.ts";
import { matchSni } from "./sni.ts";

let directory = "";
let end = new AbortController();
const open: SecureServing[] = [];
beforeEach(async () => {
  end = new AbortController();
  directory = await mkdtemp(join(tmpdir(), "serving-"));
});
afterEach(async () => {
  end.abort();
  for (const serving of open.splice(0)) await serving.close();
  await rm(directory, { recursive: true });
});

async function serve(handler: HttpHandler, options: Partial<SecureServingOptions> = {}) {
  const serving = await createSecureServing(
    {
      bindAddress: "127.0.0.1",
      port: 0,
      logger: silentLogger,
      signal: end.signal,
      reloadIntervalMs: 10,
      tls: { certDir: directory, pairName: "test" },
      ...options,
    },
    handler,
  );
  open.push(serving);
  return serving;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function overHttp1(port: number, path: string, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        port,
        host: "127.0.0.1",
        path,
        method: body === undefined ? "GET" : "POST",
        rejectUnauthorized: false,
        agent: false,
      },
      async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      },
    );
    request.on("error", reject).end(body);
  });
}

async function overHttp2(port: number, path: string, body?: string): Promise<Answer> {
  const session = http2Connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on("error", () => {});
  try {
    const stream = session.request({ ":path": path, ":method": body === undefined ? "GET" : "POST" });
    const headers = once(stream, "response");
    headers.catch(() => {});
    stream.end(body);
    let text = "";
    stream.setEncoding("utf8");
    for await (const chunk of stream) text += chunk;
    const [received] = await headers;
    return { status: received[":status"], headers: received, body: text };
  } finally {
    session.close();
  }
}

const protocols = [
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
] as const;

test.each(protocols)("a handler that throws is answered with 500 over %s", async (_name, call) => {
  const { port } = await serve(() => Promise.reject(new Error("on purpose")));
  expect(await call(port, "/")).toMatchObject({ status: 500, body: "internal server error\n" });
});

test.each(protocols)("bodies over the limit are refused over %s", async (_name, call) => {
  const { port } = await serve(async (request, response) => {
    const error = await readBody(request, 10).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    response.end(error instanceof BodyTooLargeError ? "too large" : "fits");
  });
  expect((await call(port, "/", "x".repeat(11))).body).toBe("too large");
  expect((await call(port, "/", "x".repeat(10))).body).toBe("fits");
});

const ok: HttpHandler = (_request, response) => void response.end("ok");

test("client certificates are asked for and verified, and a client without one is served", async () => {
  const ca = await createCertificateAuthority({ commonName: "ca" });
  const client = await issueClientCertificate(ca, { commonName: "me" });
  const caFile = join(directory, "ca.pem");
  await writeFile(caFile, ca.certPem);
  const seen: (boolean | undefined)[] = [];
  const { port } = await serve(
    (request, response) => {
      seen.push((request.socket as TLSSocket).authorized);
      return ok(request, response);
    },
    { tls: { certDir: directory, pairName: "test", clientCaFiles: [caFile] } },
  );
  const get = (pair: object) =>
    new Promise((resolve, reject) => {
      const options = { port, host: "127.0.0.1", rejectUnauthorized: false, agent: false, ...pair };
      httpsRequest(options, (response) => response.resume().on("end", resolve))
        .on("error", reject)
        .end();
    });
  await get({ cert: client.certPem, key: client.keyPem });
  await get({});
  expect(seen).toEqual([true, false]);
});

test.each(["TLSv1.2", "TLSv1.3"] as const)(
  "a client that comes again over %s shows its certificates again",
  async (version) => {
    const ca = await createCertificateAuthority({ commonName: "ca" });
    const client = await issueClientCertificate(ca, { commonName: "me" });
    const caFile = join(directory, "ca.pem");
    await writeFile(caFile, ca.certPem);
    const { port } = await serve(ok, { tls: { certDir: directory, pairName: "test", clientCaFiles: [caFile] } });
    const connectWith = async (session?: Buffer) => {
      const tls = { cert: client.certPem, key: client.keyPem, minVersion: version, maxVersion: version };
      const socket = tlsConnect({
        port,
        host: "127.0.0.1",
        rejectUnauthorized: false,
        ...tls,
        ...(session && { session }),
      });
      let offered: Buffer | undefined;
      socket.on("session", (data: Buffer) => {
        offered = data;
      });
      await once(socket, "secureConnect");
      const reused = socket.isSessionReused();
      socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
      await once(socket.resume(), "close");
      return { reused, offered };
    };
    const { offered } = await connectWith();
    expect((await connectWith(offered)).reused).toBe(false);
  },
);

test("a client cannot renegotiate", async () => {
  const { port } = await serve(ok);
  const socket = tlsConnect({ port, host: "127.0.0.1", rejectUnauthorized: false, maxVersion: "TLSv1.2" });
  await once(socket, "secureConnect");
  const refused = await new Promise((resolve) => {
    socket.on("error", resolve);
    socket.renegotiate({ rejectUnauthorized: false }, resolve);
  });
  expect(refused).toBeInstanceOf(Error);
  socket.destroy();
});

test("changed certificate files are served without a restart, and SNI picks the pair", async () => {
  const ca = await createCertificateAuthority({ commonName: "ca" });
  const write = async (name: string, host: string) => {
    const pair = await issueServerCertificate(ca, { commonName: host, hosts: [host] });
    await writeFile(join(directory, `${name}.crt`), pair.certPem);
    await writeFile(join(directory, `${name}.key`), pair.keyPem);
    return { certFile: join(directory, `${name}.crt`), keyFile: join(directory, `${name}.key`) };
  };
  const main = await write("main", "one.example");
  const other = await write("other", "other.example");
  const { port } = await serve(ok, {
    tls: { ...main, pairName: "test", sniCertKeys: [`${other.certFile},${other.keyFile}`] },
  });
  const subject = async (servername: string) => {
    const socket = tlsConnect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const name = socket.getPeerX509Certificate()?.subject;
    socket.destroy();
    return name;
  };
  expect(await subject("one.example")).toBe("CN=one.example");
  expect(await subject("other.example")).toBe("CN=other.example");
  await write("main", "two.example");
  await expect.poll(() => subject("one.example")).toBe("CN=two.example");
});

test("a further certificate for a server name follows its files, too", async () => {
  const ca = await createCertificateAuthority({ commonName: "ca" });
  const [certFile, keyFile] = [join(directory, "sni.crt"), join(directory, "sni.key")];
  const write = async (commonName: string) => {
    const pair = await issueServerCertificate(ca, { commonName, hosts: ["sni.example"] });
    await writeFile(certFile, pair.certPem);
    await writeFile(keyFile, pair.keyPem);
  };
  await write("first");
  const { port } = await serve(ok, {
    tls: { certDir: directory, pairName: "test", sniCertKeys: [`${certFile},${keyFile}`] },
  });
  const subject = async () => {
    const socket = tlsConnect({ port, host: "127.0.0.1", servername: "sni.example", rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const name = socket.getPeerX509Certificate()?.subject;
    socket.destroy();
    return name;
  };
  expect(await subject()).toBe("CN=first");
  await write("second");
  await expect.poll(subject, { timeout: 10_000 }).toBe("CN=second");
});

const cbcSuite = "ECDHE-ECDSA-AES128-SHA";
// shows: tlsCipherSuites
test.each<[string, readonly string[], TlsClientOptions, string]>([
  ["a suite with CBC is off by default", [], { maxVersion: "TLSv1.2", ciphers: cbcSuite }, "refused"],
  ["RSA key exchange is off by default", [], { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" }, "refused"],
  ["a suite with GCM is on by default", [], { maxVersion: "TLSv1.2" }, "ECDHE-ECDSA-AES128-GCM-SHA256"],
  [
    "a suite with CBC can be named",
    ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"],
    { maxVersion: "TLSv1.2", ciphers: cbcSuite },
    cbcSuite,
  ],
  [
    "naming suites of TLS 1.2 leaves TLS 1.3 on",
    ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"],
    { minVersion: "TLSv1.3" },
    "TLS_AES_",
  ],
])("%s", async (_name, cipherSuites, client, want) => {
  const { port } = await serve(ok, { tls: { certDir: directory, pairName: "test", cipherSuites } });
  const socket = tlsConnect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...client });
  const cipher = await once(socket, "secureConnect").then(
    () => socket.getCipher().name,
    () => "refused",
  );
  socket.destroy();
  expect(cipher).toContain(want);
});

test.each(protocols)(
  "draining lets a running request finish over %s and refuses new connections",
  async (_name, call) => {
    let finish = () => {};
    const arrived = new Promise<void>((started) => {
      void serve((_request, response) => {
        finish = () => void response.end("late");
        started();
      }).then(({ port }) => ports.push(port));
    });
    const ports: number[] = [];
    await expect.poll(() => ports.length).toBe(1);
    const port = ports[0] ?? 0;
    const answer = call(port, "/");
    await arrived;
    const drained = open[0]?.drain(5000);
    await expect(call(port, "/")).rejects.toThrow();
    finish();
    expect((await answer).body).toBe("late");
    await drained;
  },
);

test("draining closes what exceeds the grace period", async () => {
  const serving = await serve(() => {});
  const answer = overHttp1(serving.port, "/").catch((error: unknown) => (error as Error).message);
  await new Promise((resolve) => serving.server.once("request", resolve));
  await serving.drain(20);
  expect(await answer).toBe("socket hang up");
});

test("a port in use is reported with the flags that help", async () => {
  const { port } = await serve(ok);
  await expect(serve(ok, { port })).rejects.toThrow(
    new RegExp(`cannot listen on 127.0.0.1:${port}: .*EADDRINUSE.*want a free --secure-port`),
  );
});

test("half of a certificate pair is rejected", async () => {
  await expect(serve(ok, { tls: { certFile: "a.crt", pairName: "x" } })).rejects.toThrow(
    '--tls-private-key-file: not given, but --tls-cert-file is "a.crt"; want both or neither',
  );
});

test("a self-signed pair is created in the directory", async () => {
  await serve(ok);
  expect(await readFile(join(directory, "test.crt"), "utf8")).toContain("BEGIN CERTIFICATE");
});

test("without a directory the self-signed pair stays in memory", async () => {
  const { port } = await serve(ok, { tls: { pairName: "test", selfSignedHosts: ["localhost"] } });
  expect((await overHttp1(port, "/")).body).toBe("ok");
});

test("plain serving", async () => {
  const serving = await createPlainServing({ bindAddress: "127.0.0.1", port: 0, logger: silentLogger }, ok);
  const [response] = await once(
    http1Request({ port: serving.port, host: "127.0.0.1", agent: false }).end(),
    "response",
  );
  expect(response.statusCode).toBe(200);
  response.resume();
  await serving.close();
});

test.each([
  ["a.example", "exact explicit"],
  ["b.example", "exact from certificate"],
  ["x.example", "wildcard explicit"],
  ["A.EXAMPLE.", "exact explicit"],
  ["deep.x.example", undefined],
  ["", undefined],
])("server name %j picks %s", (name, want) => {
  const entries = [
    { names: ["*.example"], explicit: false, value: "wildcard from certificate" },
    { names: ["*.example"], explicit: true, value: "wildcard explicit" },
    { names: ["a.example", "b.example"], explicit: false, value: "exact from certificate" },
    { names: ["a.example"], explicit: true, value: "exact explicit" },
  ];
  expect(matchSni(entries, name)).toBe(want);
});
