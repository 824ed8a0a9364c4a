import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, type Json } from "./support.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-gates-"));
const keyFile = join(dir, "key.pem");
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
const keyFlags = [`--service-account-signing-key-file=${keyFile}`, `--service-account-key-file=${keyFile}`];

const off = [
  "APIListChunking=false,APIPriorityAndFairness=false,APIServerIdentity=false,ComponentSLIs=false,OpenAPIEnums=false",
  "LegacyServiceAccountTokenTracking=false,WatchList=false,StorageVersionHash=false,StorageVersionAPI=true",
  "AggregatedDiscoveryEndpoint=false,CustomResourceValidationExpressions=false",
].join();

let on: TestApiServer;
let without: TestApiServer;
beforeAll(async () => {
  [on, without] = await Promise.all([
    startApiServer({ flags: keyFlags }),
    startApiServer({ flags: [...keyFlags, `--feature-gates=${off}`] }),
  ]);
}, 180_000);
afterAll(async () => {
  await Promise.all([on.stop(), without.stop()]);
  rmSync(dir, { recursive: true, force: true });
});

const maps = "/api/v1/namespaces/orch-system/configmaps";
const tracking = `${maps}/orch-apiserver-legacy-service-account-token-tracking`;
const leases =
  "/apis/coordination.o8s.io/v1/namespaces/orch-system/leases?labelSelector=apiserver.orchernetes.io/identity";
const today = () => new Date().toISOString().slice(0, 10);
const schemas = (json: Json): Json => json.definitions ?? (json.components?.schemas as Json);
const policyOf = (json: Json): Json =>
  Object.entries(schemas(json)).find(([name]) => name.endsWith("batch.v1.CronJobSpec"))?.[1].properties
    ?.concurrencyPolicy as Json;

const answers = async (path: string, expected: (server: TestApiServer) => Promise<boolean>, server: TestApiServer) =>
  poll({ what: path, timeoutMs: 60_000 }, () => expected(server));

describe.each(["on", "off"])("gates that are %s", (state) => {
  const isOn = state === "on";
  const server = (): TestApiServer => (isOn ? on : without);
  const get = (path: string, headers?: Record<string, string>) =>
    call(server(), "GET", path, headers === undefined ? {} : { headers });

  test.each([
    ["v2", "/openapi/v2"],
    ["v3", "/openapi/v3/apis/batch/v1"],
  ])("OpenAPIEnums in %s", async (_, path) => {
    const { json } = await get(path);
    expect(policyOf(json)).toMatchObject({ type: "string" });
    expect(policyOf(json).enum).toEqual(isOn ? ["Allow", "Forbid", "Replace"] : undefined);
  });

  test("APIListChunking", async () => {
    const { json } = await get("/api/v1/namespaces?limit=1");
    expect(json.items).toHaveLength(isOn ? 1 : 4);
  });

  test("StorageVersionHash", async () => {
    expect((await get("/api/v1")).text.includes("storageVersionHash")).toBe(isOn);
  });

  test("AggregatedDiscoveryEndpoint", async () => {
    const accept = "application/json;g=apidiscovery.o8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
    expect((await get("/apis", { accept })).json.kind).toBe(isOn ? "APIGroupDiscoveryList" : "APIGroupList");
  });

  test("CustomResourceValidationExpressions", async () => {
    const rules = [{ rule: "self.size > 2" }];
    const schema = { type: "object", properties: { size: { type: "integer" } }, "x-orchernetes-validations": rules };
    const definition = {
      metadata: { name: "boxes.gates.example.com" },
      spec: {
        group: "gates.example.com",
        scope: "Cluster",
        names: { plural: "boxes", kind: "Box" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    };
    const path = "/apis/apiextensions.o8s.io/v1/customresourcedefinitions";
    const { status, json } = await call(server(), "POST", path, { body: definition });
    expect(status).toBe(201);
    const stored: Json | undefined = json.spec?.versions?.[0]?.schema?.openAPIV3Schema;
    expect(stored?.["x-orchernetes-validations"]).toEqual(isOn ? rules : undefined);
    const box = { apiVersion: "gates.example.com/v1", kind: "Box", metadata: { name: "b" }, size: 1 };
    const boxes = "/apis/gates.example.com/v1/boxes";
    await poll({ what: "the boxes" }, async () => (await get(boxes)).status === 200);
    expect((await call(server(), "POST", boxes, { body: box })).status).toBe(isOn ? 422 : 201);
  });

  test("APIPriorityAndFairness", async () => {
    const { headers } = await get("/api/v1/namespaces");
    expect("x-orchernetes-pf-flowschema-uid" in headers).toBe(isOn);
  });

  test("ComponentSLIs", async () => {
    const { status, text } = await get("/metrics/slis");
    expect(status).toBe(isOn ? 200 : 404);
    expect((await get("/")).text.includes("/metrics/slis")).toBe(isOn);
    if (!isOn) return;
    const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(samples).toContain('orchernetes_healthcheck{name="ping",type="readyz"} 1');
    expect(samples.filter((line) => !line.startsWith("orchernetes_healthcheck"))).toEqual([]);
  });

  test("WatchList", async () => {
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
    const { status, json } = await get(`/api/v1/namespaces?${query}`);
    expect(status).toBe(isOn ? 200 : 422);
    if (!isOn)
      expect(json.message).toBe(
        'ListOptions.meta.o8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      );
  });

  test("APIServerIdentity", async () => {
    if (isOn) await answers("the lease", async () => (await get(leases)).text.includes('"holderIdentity"'), on);
    const { items } = (await get(leases)).json as unknown as { items: readonly Json[] };
    expect(items).toHaveLength(isOn ? 1 : 0);
    const [lease] = items;
    if (lease === undefined) return;
    expect(lease.metadata).toMatchObject({
      name: expect.stringMatching(/^apiserver-[a-z2-7]{26}$/),
      labels: { "apiserver.orchernetes.io/identity": "orch-apiserver" },
    });
    expect(lease.spec).toMatchObject({
      holderIdentity: expect.stringMatching(/^apiserver-[a-z2-7]{26}_[0-9a-f-]{36}$/),
      leaseDurationSeconds: 3600,
      renewTime: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    });
    if (isOn)
      await answers(
        "the renewed lease",
        async () => (await get(leases)).json.items?.[0]?.spec?.renewTime !== lease.spec?.renewTime,
        on,
      );
  }, 60_000);

  test("a gate without effect warns when it is switched", () => {
    expect(server().log(500).includes("feature gate StorageVersionAPI=true has no effect")).toBe(!isOn);
  });

  test("LegacyServiceAccountTokenTracking: the day since when", async () => {
    if (!isOn) {
      expect((await get(tracking)).status).toBe(404);
      return;
    }
    const isToday = async () => (await get(tracking)).json.data?.since === (today() as unknown);
    await answers("the ConfigMap", isToday, on);
    const headers = { "content-type": "application/merge-patch+json" };
    await call(on, "PATCH", tracking, { body: { data: { since: "lately" } }, headers });
    await answers("the repaired ConfigMap", isToday, on);
  });

  test("tokens kept in secrets", async () => {
    const api = server();
    const base = "/api/v1/namespaces/default";
    const made = await call(api, "POST", `${base}/serviceaccounts`, {
      body: { metadata: { name: "robot" }, secrets: [{ name: "robot-token" }] },
    });
    expect(made.status).toBe(201);
    const token = legacyToken("default", "robot", String(made.json.metadata?.uid), "robot-token");
    const unknown = await call(api, "GET", "/api/v1/namespaces", { token });
    expect(unknown.status).toBe(401);
    const secret = {
      metadata: { name: "robot-token", annotations: { "orchernetes.io/service-account.name": "robot" } },
      type: "orchernetes.io/service-account-token",
      stringData: { token },
    };
    expect((await call(api, "POST", `${base}/secrets`, { body: secret })).status).toBe(201);
    const { status, headers, json } = await call(api, "GET", "/api/v1/namespaces", { token });
    expect([status, json.kind]).toEqual([200, "NamespaceList"]);
    const text =
      "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated";
    expect(String(headers.warning ?? "").includes(text)).toBe(isOn);
    const { metadata } = (await call(api, "GET", `${base}/secrets/robot-token`)).json;
    expect(metadata?.labels).toEqual(isOn ? { "orchernetes.io/legacy-token-last-used": today() } : undefined);
    expect((await call(api, "GET", "/metrics")).text).toMatch(/^serviceaccount_legacy_tokens_total [1-9]/m);
    await call(api, "DELETE", `${base}/secrets/robot-token`);
    await poll({ what: "the refusal of the token", timeoutMs: 60_000 }, async () => {
      return (await call(api, "GET", "/api/v1/namespaces", { token })).status === 401;
    });
  }, 90_000);
});

test("switched off on the same data, the tracking's ConfigMap goes", async () => {
  const first = await startApiServer({ flags: ["--feature-gates=APIServerIdentity=false"] });
  try {
    const present = async () => (await call(first, "GET", tracking)).status;
    await poll({ what: "the ConfigMap", timeoutMs: 60_000 }, async () => (await present()) === 200);
    await first.kill9();
    const second = await startApiServer({
      flags: [
        `--embedded-store-path=${join(first.dir, "store")}`,
        "--feature-gates=LegacyServiceAccountTokenTracking=false,ServiceNodePortStaticSubrange=true",
        "--service-node-port-range=30000-30016",
      ],
    });
    try {
      const gone = async () => (await call(second, "GET", tracking)).status === 404;
      await poll({ what: "the end of the ConfigMap", timeoutMs: 60_000 }, gone);
      const service = { metadata: { name: "s" }, spec: { type: "NodePort", ports: [{ port: 80 }] } };
      const { json } = await call(second, "POST", "/api/v1/namespaces/default/services", { body: service });
      // Sixteen ports of the seventeen are left to those who choose theirs.
      expect(json.spec?.ports).toMatchObject([{ nodePort: 30016 }]);
    } finally {
      await second.stop();
    }
  } finally {
    await first.stop();
  }
}, 180_000);

/** A token as a cluster of long ago put it into a secret. */
function legacyToken(namespace: string, account: string, uid: string, secret: string): string {
  const prefix = "orchernetes.io/serviceaccount";
  const claims = {
    iss: "orchernetes/serviceaccount",
    sub: `system:serviceaccount:${namespace}:${account}`,
    [`${prefix}/namespace`]: namespace,
    [`${prefix}/secret.name`]: secret,
    [`${prefix}/service-account.name`]: account,
    [`${prefix}/service-account.uid`]: uid,
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "ES256" })}.${part(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}
