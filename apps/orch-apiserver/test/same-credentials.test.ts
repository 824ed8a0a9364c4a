import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createHealth,
  createMetrics,
  delegatedAuthFlags,
  parseFlags,
  type SecureServing,
  servingFlags,
} from "@orchernetes/component";
import { createDaemonServer } from "@orchernetes/daemon-server";
import { silentLogger } from "@orchernetes/kernel";
import { freePort, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import {
  type CertificatePair,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@orchernetes/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "./support.ts";

/*
 * The same credentials lead to the same user at the API server and at a daemon that asks it for reviews. Both run as they do in a
 * cluster; each row is sent to both.
 */

const [ca, proxyCa, otherCa] = await Promise.all(
  ["ca", "proxy-ca", "ca"].map((commonName) => createCertificateAuthority({ commonName })),
);
if (!ca || !proxyCa || !otherCa) throw new Error("no authorities");
const pairs = {
  alice: await issueClientCertificate(ca, { commonName: "alice", organizations: ["ops"] }),
  expired: await issueClientCertificate(ca, { commonName: "alice", organizations: ["ops"], validityMs: -1 }),
  stranger: await issueClientCertificate(otherCa, { commonName: "alice", organizations: ["ops"] }),
  server: await issueServerCertificate(ca, { commonName: "alice", hosts: ["alice"] }),
  nameless: await issueClientCertificate(ca, { commonName: "", organizations: ["ops"] }),
  anonymous: await issueClientCertificate(ca, { commonName: "system:anonymous", organizations: ["ops"] }),
  unauthenticated: await issueClientCertificate(ca, { commonName: "bob", organizations: ["system:unauthenticated"] }),
  front: await issueClientCertificate(proxyCa, { commonName: "front" }),
  back: await issueClientCertificate(proxyCa, { commonName: "back" }),
} satisfies Record<string, CertificatePair>;

/** Each of these groups may get the path of its name. */
const groups = ["system:authenticated", "system:unauthenticated", "ops", "dev"] as const;

let api: TestApiServer;
let daemon: SecureServing | undefined;
let serviceAccount = { valid: "", otherAudience: "", revoked: "" };
const end = new AbortController();

async function startDaemon(clientCaFile: string, proxyCaFile: string): Promise<SecureServing | undefined> {
  const program = { name: "daemon", description: "d", version: { text: "v", raw: "v" } };
  const table = { ...servingFlags({ port: 10259, minPort: 0, certDir: "" }), ...delegatedAuthFlags(true) };
  const parsed = parseFlags(program, table, [
    "--bind-address=127.0.0.1",
    `--secure-port=${await freePort()}`,
    `--client-ca-file=${clientCaFile}`,
    `--requestheader-client-ca-file=${proxyCaFile}`,
    "--requestheader-allowed-names=front",
  ]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  const review = (path: string, body: object, signal: AbortSignal) =>
    api.client().request({ method: "POST", path, body, signal });
  return createDaemonServer({
    flags: parsed.flags,
    name: "daemon",
    health: createHealth({ logger: silentLogger }),
    metrics: createMetrics(),
    tokenReview: review,
    accessReview: review,
    logger: silentLogger,
    signal: end.signal,
  });
}

async function grantPaths(): Promise<void> {
  const rbac = "/apis/rbac.authorization.o8s.io/v1";
  for (const group of groups) {
    const name = `path-${group.replace(":", "-")}`;
    const rules = [{ verbs: ["get"], nonResourceURLs: [`/of/${group}`] }];
    const roleRef = { apiGroup: "rbac.authorization.o8s.io", kind: "ClusterRole", name };
    const subjects = [{ apiGroup: "rbac.authorization.o8s.io", kind: "Group", name: group }];
    await create(`${rbac}/clusterroles`, { metadata: { name }, rules });
    await create(`${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects });
  }
}

async function create(path: string, body: object) {
  const answer = await call(api, "POST", path, { body });
  expect(answer.status).toBe(201);
  return answer.json;
}

async function tokenOf(account: string, audiences?: readonly string[]): Promise<string> {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await create(accounts, { metadata: { name: account } });
  const { status } = await create(`${accounts}/${account}/token`, { spec: { ...(audiences && { audiences }) } });
  return String(status?.token);
}

const directory = mkdtempSync(join(tmpdir(), "same-credentials-"));
beforeAll(async () => {
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text, { mode: 0o600 });
    return join(directory, name);
  };
  const clientCaFile = write("client-ca.pem", ca.certPem);
  const proxyCaFile = write("proxy-ca.pem", proxyCa.certPem);
  const tokens = write("tokens.csv", `admin-token-of-tests,admin,1,"system:masters"\nstatic,carol,2,"dev"\n`);
  api = await startApiServer({
    authorizationMode: "RBAC",
    flags: [
      `--token-auth-file=${tokens}`,
      `--client-ca-file=${clientCaFile}`,
      `--requestheader-client-ca-file=${proxyCaFile}`,
      "--requestheader-allowed-names=front",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
    ],
  });
  await grantPaths();
  serviceAccount = {
    valid: await tokenOf("valid"),
    otherAudience: await tokenOf("other", ["vault"]),
    revoked: await tokenOf("revoked"),
  };
  await call(api, "DELETE", "/api/v1/namespaces/default/serviceaccounts/revoked");
  daemon = await startDaemon(clientCaFile, proxyCaFile);
}, 90_000);
afterAll(async () => {
  end.abort();
  await daemon?.close();
  await api?.stop();
  rmSync(directory, { recursive: true, force: true });
});

type Fields = readonly (readonly [name: string, value: string])[];

/** Sends a request with these credentials; returns the status and the message of the answer. */
async function get(port: number, path: string, fields: Fields, pair: CertificatePair | undefined) {
  const outgoing = request({
    host: "127.0.0.1",
    port,
    path,
    agent: false,
    rejectUnauthorized: false,
    ...(pair && { cert: pair.certPem, key: pair.keyPem }),
  });
  for (const name of new Set(fields.map(([name]) => name)))
    outgoing.setHeader(
      name,
      fields.filter(([other]) => other === name).map(([, value]) => value),
    );
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, text };
}

/** Who a server takes the sender of these credentials for: "401", or the user with those of the groups that are looked at. */
async function whoIs(port: number, fields: Fields, pair: CertificatePair | undefined): Promise<string> {
  const refused = await get(port, "/nothing", fields, pair);
  if (refused.status !== 403) return String(refused.status);
  const [, name = ""] =
    /^forbidden: User "(.*)" cannot get path "\/nothing"$/.exec(JSON.parse(refused.text).message) ?? [];
  const members: string[] = [];
  for (const group of groups) {
    const { status } = await get(port, `/of/${group}`, fields, pair);
    if (status === 404) members.push(group);
    else expect(status).toBe(403);
  }
  return [name, ...members].join(" ");
}

interface Row {
  readonly name: string;
  readonly pair?: keyof typeof pairs;
  readonly fields?: Fields | (() => Fields);
  readonly want: string;
}
const bearer = (token: string): Fields => [["authorization", `Bearer ${token}`]];
const named = (...names: readonly string[]): Fields => [
  ["x-remote-user", "dave"],
  ...names.map((name): readonly [string, string] => ["x-remote-group", name]),
];
const webSocket = (...protocols: readonly string[]): Fields => [
  ["connection", "Upgrade"],
  ["upgrade", "websocket"],
  ["sec-websocket-version", "13"],
  ["sec-websocket-key", Buffer.alloc(16).toString("base64")],
  ["sec-websocket-protocol", protocols.join(", ")],
];
const protocolOf = (token: string) =>
  `base64url.bearer.authorization.o8s.io.${Buffer.from(token).toString("base64url")}`;
const anonymous = "system:anonymous system:unauthenticated";
const alice = "alice system:authenticated ops";
const carol = "carol system:authenticated dev";

const rows: readonly Row[] = [
  { name: "no credentials", want: anonymous },
  { name: "a certificate", pair: "alice", want: alice },
  { name: "an expired certificate", pair: "expired", want: "401" },
  { name: "a certificate of another authority of the same name", pair: "stranger", want: "401" },
  { name: "a certificate for servers", pair: "server", want: "401" },
  { name: "a certificate without a name", pair: "nameless", want: "401" },
  { name: "a certificate in the name of the anonymous user", pair: "anonymous", want: "system:anonymous ops" },
  { name: "a certificate of the unauthenticated", pair: "unauthenticated", want: "bob system:unauthenticated" },
  { name: "a front proxy", pair: "front", fields: named("dev", "ops"), want: "dave system:authenticated ops dev" },
  {
    name: "a front proxy, one group with a comma",
    pair: "front",
    fields: named("dev, ops"),
    want: "dave system:authenticated",
  },
  { name: "a front proxy that names nobody", pair: "front", want: "401" },
  { name: "a front proxy whose name is not allowed", pair: "back", fields: named("dev"), want: "401" },
  { name: "headers of a front proxy from a client", pair: "alice", fields: named("dev"), want: alice },
  { name: "headers of a front proxy from anybody", fields: named("dev"), want: anonymous },
  { name: "a token", fields: bearer("static"), want: carol },
  { name: "a token, another case of the scheme", fields: [["authorization", "bEARER static"]], want: carol },
  { name: "a token behind two spaces", fields: [["authorization", "Bearer  static"]], want: anonymous },
  { name: "words after a token", fields: [["authorization", "Bearer static x"]], want: carol },
  { name: "words after a wrong token", fields: [["authorization", "Bearer wrong static"]], want: "401" },
  { name: "another scheme", fields: [["authorization", "Basic static"]], want: anonymous },
  { name: "a wrong token", fields: bearer("wrong"), want: "401" },
  { name: "a wrong token beside a certificate", pair: "alice", fields: bearer("wrong"), want: alice },
  { name: "a token beside an expired certificate", pair: "expired", fields: bearer("static"), want: carol },
  { name: "a token of a WebSocket", fields: webSocket(protocolOf("static"), "v4.channel.o8s.io"), want: carol },
  { name: "a wrong token of a WebSocket", fields: webSocket(protocolOf("wrong"), "v4.channel.o8s.io"), want: "401" },
  { name: "a token of a WebSocket, alone", fields: webSocket(protocolOf("static")), want: "401" },
  {
    name: "a token in a subprotocol without a WebSocket",
    fields: [["sec-websocket-protocol", `${protocolOf("static")}, x`]],
    want: anonymous,
  },
  {
    name: "a service account",
    fields: () => bearer(serviceAccount.valid),
    want: "system:serviceaccount:default:valid system:authenticated",
  },
  { name: "a service account's token for others", fields: () => bearer(serviceAccount.otherAudience), want: "401" },
  { name: "a token of a deleted service account", fields: () => bearer(serviceAccount.revoked), want: "401" },
];

describe.each([
  ["the API server", () => api.port],
  ["a daemon", () => daemon?.port ?? 0],
])("%s", (_name, port) => {
  test.each(rows)("$name: $want", async ({ pair, fields = [], want }) => {
    const sent = typeof fields === "function" ? fields() : fields;
    expect(await whoIs(port(), sent, pair && pairs[pair])).toBe(want);
  });
});
