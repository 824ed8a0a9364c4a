import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import type { authentication, core } from "@orchernetes/api";
import { isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { poll, type TestApiServer } from "@orchernetes/testkit";
import { generatePrivateKey, privateKeyToPem } from "@orchernetes/tls";
import { beforeAll, expect, test } from "vitest";
import { configMaps, secrets as secretsRef, serviceAccounts } from "../src/shared/refs.ts";
import { testCluster } from "./test-cluster.ts";

const cluster = testCluster("tokens");
let server: TestApiServer;
let admin: Client;

beforeAll(async () => {
  const keyFile = cluster.file("sa.key", privateKeyToPem(await generatePrivateKey("ecdsa-p256")));
  server = await cluster.startServer({
    authorizationMode: "RBAC",
    flags: [`--service-account-key-file=${keyFile}`, `--service-account-signing-key-file=${keyFile}`],
  });
  admin = server.client();
  await cluster.startManager(
    server,
    "--use-service-account-credentials",
    "--controllers=serviceaccount-token,bootstrapsigner,tokencleaner,serviceaccount",
    `--service-account-private-key-file=${keyFile}`,
  );
}, 90_000);

const secrets = (namespace = "default") => admin.resource(secretsRef).namespace(namespace);
const accounts = () => admin.resource(serviceAccounts).namespace("default");
const text = (secret: Stored<core.Secret> | undefined, key: string): string =>
  Buffer.from(secret?.data?.[key] ?? "", "base64").toString();

/** Waits until a secret is as wanted; undefined: it is gone. */
async function secretOf(name: string, is: (secret: Stored<core.Secret> | undefined) => boolean, namespace?: string) {
  let found: Stored<core.Secret> | undefined;
  await poll({ what: `secret ${name}`, timeoutMs: 20_000, intervalMs: 20 }, async () => {
    found = await secrets(namespace)
      .get(name)
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    return is(found);
  });
  return found;
}

const createTokenSecret = (name: string, account: string) =>
  secrets().create({
    metadata: { name, annotations: { "orchernetes.io/service-account.name": account } },
    type: "orchernetes.io/service-account-token",
  });
const hasToken = (secret: Stored<core.Secret> | undefined): boolean => text(secret, "token") !== "";

/** Who a token is to the server; undefined if it is rejected. */
async function whoIs(token: string): Promise<string | undefined> {
  const answer = await admin.request({
    method: "POST",
    path: "/apis/authentication.o8s.io/v1/tokenreviews",
    body: { apiVersion: "authentication.o8s.io/v1", kind: "TokenReview", spec: { token } },
  });
  return (answer as authentication.TokenReview).status?.user?.username;
}

test("a secret for a service account is filled in, its token works, and no other secret is created", async () => {
  const account = await accounts().create({ metadata: { name: "robot" } });
  await createTokenSecret("robot-token", "robot");
  const secret = await secretOf("robot-token", hasToken);
  expect(text(secret, "namespace")).toBe("default");
  expect(text(secret, "ca.crt")).toBe(readFileSync(server.caFile, "utf8"));
  expect(secret?.metadata.annotations?.["orchernetes.io/service-account.uid"]).toBe(account.metadata.uid);
  expect(await whoIs(text(secret, "token"))).toBe("system:serviceaccount:default:robot");
  // The use is recorded in the secret.
  const used = await secretOf("robot-token", (one) => one?.metadata.labels !== undefined);
  expect(used?.metadata.labels?.["orchernetes.io/legacy-token-last-used"]).toMatch(/^\d{4}-\d\d-\d\d$/);
  const { items } = await secrets().listAll();
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["robot-token"]);
});

test("what somebody removes from a secret is restored", async () => {
  const before = await secretOf("robot-token", hasToken);
  await secrets().patch("robot-token", { data: { token: null, "ca.crt": Buffer.from("x").toString("base64") } });
  const after = await secretOf("robot-token", (secret) => hasToken(secret) && text(secret, "ca.crt") !== "x");
  expect(text(after, "ca.crt")).toBe(text(before, "ca.crt"));
  expect(await whoIs(text(after, "token"))).toBe("system:serviceaccount:default:robot");
});

test("a deleted secret is no longer listed by its account", async () => {
  await accounts().patch("robot", { secrets: [{ name: "other" }, { name: "extra" }] });
  await createTokenSecret("extra", "robot");
  await secretOf("extra", hasToken);
  await secrets().delete("extra");
  await poll({ what: "the list of secrets", timeoutMs: 20_000, intervalMs: 20 }, async () => {
    const { secrets: listed } = await accounts().get("robot");
    return listed?.length === 1 && listed[0]?.name === "other";
  });
});

test("when an account is deleted, so are its secrets, and its tokens become invalid", async () => {
  const token = text(await secretOf("robot-token", hasToken), "token");
  await accounts().delete("robot");
  await secretOf("robot-token", (secret) => secret === undefined);
  // The server remembers for seconds who a token is.
  const isForgotten = async () => (await whoIs(token)) === undefined;
  await poll({ what: "the end of the token", timeoutMs: 30_000 }, isForgotten);
});

test("a secret for an account that does not exist is deleted", async () => {
  await createTokenSecret("lost", "nobody");
  await secretOf("lost", (secret) => secret === undefined);
});

const bootstrapToken = (id: string, data: Readonly<Record<string, string>>) =>
  secrets("orch-system").create({
    metadata: { name: `bootstrap-token-${id}` },
    type: "bootstrap.orchernetes.io/token",
    stringData: { "token-id": id, "token-secret": "0123456789abcdef", ...data },
  } as never);

test("the information about the cluster is signed with each token for that, as long as the token lives", async () => {
  const infos = admin.resource(configMaps).namespace("orch-public");
  await infos.create({ metadata: { name: "cluster-info" }, data: { orchconfig: "config" } });
  const signatures = async (want: readonly string[]): Promise<Readonly<Record<string, string>>> => {
    let data: Readonly<Record<string, string>> = {};
    await poll({ what: `signatures ${want}`, timeoutMs: 20_000, intervalMs: 20 }, async () => {
      data = (await infos.get("cluster-info")).data ?? {};
      return JSON.stringify(Object.keys(data).sort()) === JSON.stringify([...want, "orchconfig"]);
    });
    return data;
  };
  await bootstrapToken("aaaaaa", { "usage-bootstrap-signing": "true" });
  await bootstrapToken("bbbbbb", { "usage-bootstrap-authentication": "true" });
  const data = await signatures(["jws-orchconfig-aaaaaa"]);
  const [header, , mac] = (data["jws-orchconfig-aaaaaa"] ?? "").split(".");
  const signed = `${header}.${Buffer.from("config").toString("base64url")}`;
  expect(mac).toBe(createHmac("sha256", "0123456789abcdef").update(signed).digest("base64url"));
  // Seconds, so that the token has expired soon.
  const expiration = `${new Date(Date.now() + 3000).toISOString().slice(0, 19)}Z`;
  await bootstrapToken("cccccc", { "usage-bootstrap-signing": "true", expiration });
  await signatures(["jws-orchconfig-aaaaaa", "jws-orchconfig-cccccc"]);
  await secretOf("bootstrap-token-cccccc", (secret) => secret === undefined, "orch-system");
  await signatures(["jws-orchconfig-aaaaaa"]);
  await secrets("orch-system").delete("bootstrap-token-aaaaaa");
  await signatures([]);
});
