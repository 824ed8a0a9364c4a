import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type OutgoingHttpHeaders } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as tlsConnect } from "node:tls";
import { PeerCertificates, requestHeaderAuthenticator } from "@orchernetes/auth";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import {
  type CertificatePair,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@orchernetes/tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSecureServing, type SecureServing } from "./secure-serving.ts";

const ca = await createCertificateAuthority({ commonName: "proxy-ca" });
const otherCa = await createCertificateAuthority({ commonName: "proxy-ca" });
const proxy = await issueClientCertificate(ca, { commonName: "front" });
const unlisted = await issueClientCertificate(ca, { commonName: "back" });
const forged = await issueClientCertificate(otherCa, { commonName: "front" });
const server = await issueServerCertificate(ca, { commonName: "front", hosts: ["front"] });

let directory = "";
let serving: SecureServing;
const end = new AbortController();
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "front-proxy-"));
  const caFile = join(directory, "ca.pem");
  await writeFile(caFile, ca.certPem);
  const roots = [ca.certificate];
  const authenticator = requestHeaderAuthenticator({
    peers: new PeerCertificates(() => roots, systemClock),
    allowedNames: ["front"],
    usernameHeaders: ["X-Remote-User", "X-Other-User"],
    groupHeaders: ["X-Remote-Group"],
    extraHeaderPrefixes: ["X-Remote-Extra-"],
  });
  serving = await createSecureServing(
    {
      bindAddress: "127.0.0.1",
      port: 0,
      logger: silentLogger,
      signal: end.signal,
      tls: { pairName: "test", selfSignedHosts: ["localhost"], clientCaFiles: [caFile] },
    },
    (request, response) => {
      response.end(JSON.stringify(authenticator.authenticate(request)));
    },
  );
});
afterAll(async () => {
  end.abort();
  await serving.close();
  await rm(directory, { recursive: true });
});

type Fields = readonly (readonly [name: string, value: string])[];

/** Writes the request by hand: clients of the runtime join or check header values themselves. */
async function overHttp1(fields: Fields, pair?: CertificatePair): Promise<unknown> {
  const socket = tlsConnect({
    port: serving.port,
    host: "127.0.0.1",
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
    ...(pair && { cert: pair.certPem, key: pair.keyPem }),
  });
  await once(socket, "secureConnect");
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(Buffer.from(`GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${lines}\r\n`, "utf8"));
  let text = "";
  for await (const chunk of socket) text += chunk;
  return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
}

async function overHttp2(fields: Fields, pair?: CertificatePair): Promise<unknown> {
  const session = connect(`https://127.0.0.1:${serving.port}`, {
    rejectUnauthorized: false,
    ...(pair && { cert: pair.certPem, key: pair.keyPem }),
  });
  try {
    const headers: OutgoingHttpHeaders = { ":path": "/" };
    for (const [name, value] of fields) {
      const lower = name.toLowerCase();
      const bytes = Buffer.from(value, "utf8").toString("latin1");
      headers[lower] = [...((headers[lower] as string[] | undefined) ?? []), bytes];
    }
    const stream = session.request(headers);
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += chunk;
    return JSON.parse(text);
  } finally {
    session.close();
  }
}

const user = (name: string, groups: readonly string[] = [], extra = {}) => ({
  type: "authenticated",
  user: { name, groups, extra },
});
const nobody = { type: "noOpinion" };
const notProxy = { type: "rejected", reason: expect.stringContaining("not signed by an authority of front proxies") };

test.each<[string, Fields, CertificatePair | undefined, unknown]>([
  [
    "one group whose name has a comma stays one group",
    [
      ["X-Remote-User", "alice"],
      ["X-Remote-Group", "team-a, system:masters"],
    ],
    proxy,
    user("alice", ["team-a, system:masters"]),
  ],
  [
    "each group has a header of its own",
    [
      ["X-Remote-User", "alice"],
      ["X-Remote-Group", "team-a"],
      ["x-remote-group", "team-b"],
    ],
    proxy,
    user("alice", ["team-a", "team-b"]),
  ],
  ["a name with a comma is one name", [["X-Remote-User", "a, b"]], proxy, user("a, b")],
  [
    "the first name counts",
    [
      ["X-Remote-User", "alice"],
      ["X-Remote-User", "bob"],
    ],
    proxy,
    user("alice"),
  ],
  ["the next header name is used if the first is absent", [["X-Other-User", "alice"]], proxy, user("alice")],
  [
    "extra values are one each, under decoded keys in lower case",
    [
      ["X-Remote-User", "alice"],
      ["X-Remote-Extra-Acme.Com%2fScope", "read, write"],
      ["X-Remote-Extra-acme.com%2Fscope", "admin"],
    ],
    proxy,
    user("alice", [], { "acme.com/scope": ["read, write", "admin"] }),
  ],
  ["names are UTF-8", [["X-Remote-User", "zoë"]], proxy, user("zoë")],
  ["a proxy that names no user", [["X-Remote-Group", "ops"]], proxy, nobody],
  ["no certificate", [["X-Remote-User", "alice"]], undefined, nobody],
  ["a certificate for servers", [["X-Remote-User", "alice"]], server, notProxy],
  ["another authority of the same name", [["X-Remote-User", "alice"]], forged, notProxy],
  [
    "a name that is not allowed",
    [["X-Remote-User", "alice"]],
    unlisted,
    { type: "rejected", reason: "x509: subject with cn=back is not in the allowed list" },
  ],
])("%s", async (_name, fields, pair, want) => {
  expect(await overHttp1(fields, pair)).toEqual(want);
  expect(await overHttp2(fields, pair)).toEqual(want);
});

test("more header fields than the default limit of the runtime are read, not dropped", async () => {
  const many: Fields = Array.from({ length: 2500 }, () => ["a", "b"] as const);
  expect(await overHttp1([...many, ["X-Remote-User", "alice"]], proxy)).toEqual(user("alice"));
});
