import { readFileSync, writeFileSync } from "node:fs";
import https from "node:https";
import { join } from "node:path";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({ authorizationMode: "RBAC", flags: ["-v=10"] });
}, 120_000);
afterAll(() => server?.stop());

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** The status and the text of an answer. */
function call({ method = "GET", path, headers = {}, body }: Call): Promise<readonly [number, string]> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        host: "127.0.0.1",
        port: server.port,
        ca: readFileSync(server.caFile),
        agent: false,
        method,
        path,
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json", ...headers },
      },
      async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve([response.statusCode ?? 0, text]);
      },
    );
    request.on("error", reject).end(typeof body === "string" ? body : JSON.stringify(body));
  });
}

const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.alloc(16).toString("base64"),
};

test("no log line holds a credential or the data of a secret, however verbose the log is", async () => {
  const secret = "s3cret46513";
  const encoded = Buffer.from(secret).toString("base64");
  const asToken = Buffer.from(secret).toString("base64url");
  const calls: readonly Call[] = [
    { path: "/api/v1/nodes" },
    { path: "/api/v1/nodes", headers: { authorization: `Bearer ${secret}` } },
    { path: "/api/v1/nodes", headers: { authorization: `Basic ${encoded}` } },
    {
      path: "/api/v1/namespaces?watch=1",
      headers: {
        ...handshake,
        authorization: "",
        "sec-websocket-protocol": `base64url.bearer.authorization.o8s.io.${asToken}, a`,
      },
    },
    {
      method: "POST",
      path: "/apis/authentication.o8s.io/v1/tokenreviews",
      body: { apiVersion: "authentication.o8s.io/v1", kind: "TokenReview", spec: { token: secret } },
    },
    {
      method: "POST",
      path: "/api/v1/namespaces/default/secrets",
      body: { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, stringData: { password: secret } },
    },
    {
      method: "POST",
      path: "/api/v1/namespaces/default/secrets",
      body: { apiVersion: "v1", kind: "Secret", metadata: { name: "b" }, data: { password: `not base64 ${secret}` } },
    },
    { method: "POST", path: "/api/v1/namespaces/default/secrets", body: `{"kind":"Secret","data":{"a":"${secret}"` },
    { path: "/api/v1/nodes", headers: { cookie: `session=${secret}` } },
    { path: "/api/v1/nodes", headers: { "x-remote-extra-scopes": secret } },
    {
      method: "POST",
      path: "/api/v1/namespaces/default/serviceaccounts",
      body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "app" } },
    },
  ];
  for (const one of calls) await call(one);
  const [created, text] = await call({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/app/token",
    body: { apiVersion: "authentication.o8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  expect(created).toBe(201);
  const { token } = (JSON.parse(text) as { status: { token: string } }).status;
  const [, signature = "none"] = /\.([^.]+)$/.exec(token) ?? [];
  expect((await call({ path: "/api/v1/nodes", headers: { authorization: `Bearer ${token}` } }))[0]).toBe(403);
  expect((await call({ path: "/api/v1/nodes", headers: { authorization: `Bearer ${token}x` } }))[0]).toBe(401);

  // A line that cannot be read is reported, and not quoted.
  writeFileSync(join(server.dir, "tokens.csv"), `${server.token},admin,admin-uid,"system:masters"\n${secret},x\n`);
  await expect.poll(() => server.log(100_000), { timeout: 15_000 }).toContain("Changed token file cannot be used");

  const log = server.log(100_000);
  expect(log).toMatch(/HTTP.* URI="\/api\/v1\/nodes"/);
  for (const hidden of [secret, encoded, asToken, signature, server.token]) expect(log).not.toContain(hidden);
}, 60_000);
