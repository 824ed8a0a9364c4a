import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  accessReviewAuthorizer,
  allowedPaths,
  cachedTokenAuthenticator,
  PeerCertificates,
  type ReviewClient,
  requestAuthenticators,
  tokenReviewAuthenticator,
} from "@orchernetes/auth";
import { systemClock as clock, silentLogger } from "@orchernetes/kernel";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { guard } from "./guard.ts";
import { respond } from "./http.ts";
import { createSecureServing, type SecureServing } from "./secure-serving.ts";

const [ca, proxyCa, otherCa] = await Promise.all(
  ["ca", "proxy-ca", "other-ca"].map((commonName) => createCertificateAuthority({ commonName })),
);
if (!ca || !proxyCa || !otherCa) throw new Error("no authorities");
const user = await issueClientCertificate(ca, { commonName: "alice", organizations: ["ops"] });
const proxy = await issueClientCertificate(proxyCa, { commonName: "front" });
const stranger = await issueClientCertificate(otherCa, { commonName: "alice" });

const asked: string[] = [];
const review: ReviewClient = async (path, body) => {
  const { spec } = body as { spec: { token?: string; user?: string; nonResourceAttributes?: { path: string } } };
  asked.push(path);
  if (path.endsWith("tokenreviews")) {
    if (spec.token === "boom") throw new Error("API server is away");
    return {
      status: {
        authenticated: spec.token === "good",
        user: { username: "bob", uid: "u1", groups: ["dev"], extra: { k: ["v"] } },
      },
    };
  }
  if (spec.user === "mallory") throw new Error("API server is away");
  return { status: { allowed: spec.user === "alice" || spec.user === "bob", reason: "" } };
};

let directory = "";
let serving: SecureServing;
const end = new AbortController();
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "authn-"));
  await writeFile(join(directory, "ca.pem"), ca.certPem);
  await writeFile(join(directory, "proxy.pem"), proxyCa.certPem);
  const roots = [ca.certificate];
  const proxyRoots = [proxyCa.certificate];
  serving = await createSecureServing(
    {
      bindAddress: "127.0.0.1",
      port: 0,
      logger: silentLogger,
      signal: end.signal,
      tls: {
        certDir: directory,
        pairName: "t",
        clientCaFiles: [join(directory, "ca.pem"), join(directory, "proxy.pem")],
      },
    },
    guard(
      {
        logger: silentLogger,
        authenticators: requestAuthenticators({
          frontProxies: {
            peers: new PeerCertificates(() => proxyRoots, clock),
            allowedNames: ["front"],
            usernameHeaders: ["x-remote-user"],
            groupHeaders: ["x-remote-group"],
            extraHeaderPrefixes: ["x-remote-extra-"],
          },
          clients: new PeerCertificates(() => roots, clock),
          tokens: cachedTokenAuthenticator(tokenReviewAuthenticator({ review }), {
            ttlMs: 60_000,
            maxEntries: 99,
            clock,
          }),
          clock,
        }),
        authorizers: [
          allowedPaths(["/healthz", "/open/*"]),
          accessReviewAuthorizer({ review, allowTtlMs: 60_000, denyTtlMs: 60_000, clock }),
        ],
      },
      (request, response) => respond(request, response, 200, {}, "inside"),
    ),
  );
});
afterAll(async () => {
  end.abort();
  await serving.close();
  await rm(directory, { recursive: true });
});

interface Row {
  readonly name: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly pair?: { readonly certPem: string; readonly keyPem: string };
  readonly want: readonly [number, string];
}
const rows: readonly Row[] = [
  { name: "an open path", path: "/healthz", want: [200, "inside"] },
  { name: "a path below an open one", path: "/open/a/b", want: [200, "inside"] },
  {
    name: "a path that only begins like an open one",
    path: "/healthz2",
    want: [403, 'forbidden: User "system:anonymous" cannot get path "/healthz2"'],
  },
  { name: "nobody", path: "/metrics", want: [403, 'forbidden: User "system:anonymous" cannot get path "/metrics"'] },
  { name: "a certificate", pair: user, want: [200, "inside"] },
  { name: "a certificate of a stranger", pair: stranger, want: [401, "Unauthorized"] },
  { name: "a token", headers: { authorization: "Bearer good" }, want: [200, "inside"] },
  { name: "a wrong token", headers: { authorization: "Bearer bad" }, want: [401, "Unauthorized"] },
  {
    name: "a token when the API server is away",
    headers: { authorization: "Bearer boom" },
    want: [401, "Unauthorized"],
  },
  {
    name: "a wrong token on an open path",
    path: "/healthz",
    headers: { authorization: "Bearer bad" },
    want: [401, "Unauthorized"],
  },
  { name: "headers of a front proxy", pair: proxy, headers: { "x-remote-user": "bob" }, want: [200, "inside"] },
  {
    name: "headers of a front proxy for one without rights",
    pair: proxy,
    headers: { "x-remote-user": "eve" },
    want: [403, 'forbidden: User "eve" cannot get path "/metrics"'],
  },
  {
    name: "headers of a front proxy for a user who cannot be authorized",
    pair: proxy,
    headers: { "x-remote-user": "mallory" },
    want: [500, "Internal error occurred: API server is away"],
  },
  {
    name: "a token behind two spaces is no token",
    headers: { authorization: "Bearer  good" },
    want: [403, 'forbidden: User "system:anonymous" cannot get path "/metrics"'],
  },
  {
    name: "words after a wrong token do not make it anonymous",
    headers: { authorization: "Bearer bad good" },
    want: [401, "Unauthorized"],
  },
  {
    name: "headers without a user",
    headers: { "x-remote-user": "bob" },
    want: [403, 'forbidden: User "system:anonymous" cannot get path "/metrics"'],
  },
  {
    name: "headers of a user: the certificate counts",
    pair: user,
    headers: { "x-remote-user": "eve" },
    want: [200, "inside"],
  },
];

function overHttp1({ path = "/metrics", headers = {}, pair }: Row): Promise<readonly [number, string]> {
  return new Promise((resolve, reject) => {
    const tls = pair === undefined ? {} : { cert: pair.certPem, key: pair.keyPem };
    const options = {
      port: serving.port,
      host: "127.0.0.1",
      path,
      headers,
      rejectUnauthorized: false,
      agent: false,
      ...tls,
    };
    httpsRequest(options, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve([response.statusCode ?? 0, text]);
    })
      .on("error", reject)
      .end();
  });
}

async function overHttp2({ path = "/metrics", headers = {}, pair }: Row): Promise<readonly [number, string]> {
  const tls = pair === undefined ? {} : { cert: pair.certPem, key: pair.keyPem };
  const session = connect(`https://127.0.0.1:${serving.port}`, { rejectUnauthorized: false, ...tls });
  try {
    const stream = session.request({ ":path": path, ...headers });
    let status = 0;
    stream.on("response", (received) => {
      status = Number(received[":status"]);
    });
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += chunk;
    return [status, text];
  } finally {
    session.close();
  }
}

test.each(rows)("$name", async (row) => {
  for (const call of [overHttp1, overHttp2]) {
    const [status, body] = await call(row);
    const message = status === 200 ? body : JSON.parse(body).message;
    expect([status, message]).toEqual(row.want);
  }
});

test("answers are cached: one review for many requests with one token", async () => {
  asked.length = 0;
  const row: Row = { name: "x", headers: { authorization: "Bearer good" }, path: "/fresh", want: [200, ""] };
  await Promise.all([overHttp1(row), overHttp1(row), overHttp2(row)]);
  expect(asked).toEqual(["/apis/authorization.o8s.io/v1/subjectaccessreviews"]);
});
