import {
  poll,
  startApiServer,
  startWebhookServer,
  type TestApiServer,
  type WebhookBehaviour,
  type WebhookServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call, type Json } from "./support.ts";

const group = "stable.example.com";
const definitions = "/apis/apiextensions.o8s.io/v1/customresourcedefinitions";
const at = (version: string, rest = "") => `/apis/${group}/${version}/namespaces/default/crs${rest}`;
const merge = { "content-type": "application/merge-patch+json" };

let server: TestApiServer;
let webhook: WebhookServer;

/** As the certifying suite's webhook: `hostPort` of v1 is `host` and `port` of v2. */
function converted(object: Json, apiVersion: string): object {
  const { hostPort, host, port, ...rest } = object as Record<string, unknown>;
  if (apiVersion === `${group}/v1`) return { ...rest, apiVersion, hostPort: `${host}:${port}` };
  const [first, second] = String(hostPort).split(":");
  return { ...rest, apiVersion, host: first, port: second };
}

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Json[] };
}

const honest: WebhookBehaviour = {
  type: "answer",
  body({ body }) {
    const { request } = body as Review;
    const convertedObjects = request.objects.map((object) => converted(object, request.desiredAPIVersion));
    return { ...(body as object), response: { uid: request.uid, convertedObjects, result: { status: "Success" } } };
  },
};

const schemas = {
  v1: { hostPort: { type: "string" } },
  v2: { host: { type: "string" }, port: { type: "string" } },
};
const versions = (stored: "v1" | "v2") =>
  (["v1", "v2"] as const).map((name) => ({
    name,
    served: true,
    storage: name === stored,
    schema: { openAPIV3Schema: { type: "object", properties: schemas[name] } },
  }));

const cr = (name: string, version: "v1" | "v2" = "v1") => ({
  apiVersion: `${group}/${version}`,
  kind: "Cr",
  metadata: { name },
  ...(version === "v1" ? { hostPort: "localhost:8080" } : { host: "localhost", port: "8080" }),
});

const patchDefinition = (spec: object) =>
  call(server, "PATCH", `${definitions}/crs.${group}`, { body: { spec }, headers: merge });

/** Points the definition at a webhook and waits until reads of v2 tell what is expected. */
async function converting(clientConfig: object, says: string): Promise<void> {
  await patchDefinition({
    conversion: { webhook: { clientConfig: { url: null, service: null, caBundle: null, ...clientConfig } } },
  });
  await poll({ what: `conversion to answer ${says}`, timeoutMs: 20_000, intervalMs: 20 }, async () => {
    const { text } = await call(server, "GET", at("v2", "/cr-instance-1"));
    return text.includes(says) ? true : undefined;
  });
}

const caBundle = (pem: string): string => Buffer.from(pem).toString("base64");
const direct = () => ({ url: `${webhook.url}/crdconvert`, caBundle: caBundle(webhook.caPem) });

beforeAll(async () => {
  webhook = await startWebhookServer({ behaviour: honest, hosts: ["127.0.0.1", "hook.default.svc"] });
  server = await startApiServer();
  const created = await call(server, "POST", definitions, {
    body: {
      apiVersion: "apiextensions.o8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `crs.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "crs", kind: "Cr" },
        versions: versions("v1"),
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig: direct(), conversionReviewVersions: ["v1", "v1beta1"] },
        },
      },
    },
  });
  expect(created.status).toBe(201);
  await poll({ what: "the resource", timeoutMs: 20_000, intervalMs: 20 }, async () => {
    const { status } = await call(server, "POST", at("v1"), { body: cr("cr-instance-1") });
    return status === 201 || status === 409 ? true : undefined;
  });
}, 60_000);
afterAll(async () => {
  await server?.stop();
  await webhook?.stop();
});
beforeEach(() => webhook.behave(honest));

describe("as the certifying suite expects", () => {
  test("an object of v1 is converted to v2", async () => {
    const { json } = await call(server, "GET", at("v2", "/cr-instance-1"));
    expect(json).toMatchObject({ apiVersion: `${group}/v2`, host: "localhost", port: "8080" });
    expect(json.hostPort).toBeUndefined();
    expect(webhook.requests.at(-1)).toMatchObject({ method: "POST", path: "/crdconvert?timeout=30s" });
  });

  test("a list of objects stored in two versions is converted to each", async () => {
    await patchDefinition({ versions: versions("v2") });
    await poll({ what: "an object stored in v2", timeoutMs: 20_000, intervalMs: 20 }, async () => {
      await call(server, "DELETE", at("v1", "/cr-instance-2"));
      const made = await call(server, "POST", at("v1"), { body: cr("cr-instance-2") });
      const before = webhook.requests.length;
      const read = await call(server, "GET", at("v2", "/cr-instance-2"));
      return made.status === 201 && read.status === 200 && webhook.requests.length === before ? true : undefined;
    });
    for (const version of ["v1", "v2"] as const) {
      const { json } = await call(server, "GET", at(version));
      const items = json.items as unknown as readonly object[];
      expect(items).toHaveLength(2);
      for (const item of items) expect(item).toMatchObject({ ...cr("x", version), metadata: expect.anything() });
    }
  });

  test("connections to the webhook are reused", async () => {
    await call(server, "GET", at("v1", "/cr-instance-2"));
    const before = webhook.accepted;
    for (let i = 0; i < 10; i++) await call(server, "GET", at("v1", "/cr-instance-2"));
    expect(webhook.accepted).toBe(before);
  });

  test("a webhook behind a service is called at the service's address, by the name of the service", async () => {
    const service = { namespace: "default", name: "hook", port: webhook.port, path: "/crdconvert" };
    await converting({ service, caBundle: caBundle(webhook.caPem) }, 'failed: services \\"hook\\" not found');
    const spec = { type: "ExternalName", externalName: "localhost" };
    await call(server, "POST", "/api/v1/namespaces/default/services", { body: { metadata: { name: "hook" }, spec } });
    const { json } = await call(server, "GET", at("v1", "/cr-instance-2"));
    expect(json.hostPort).toBe("localhost:8080");
    expect(webhook.requests.at(-1)?.headers.host).toBe(`hook.default.svc:${webhook.port}`);
    await converting(direct(), '"host":"localhost"');
  });

  test("a webhook behind a service whose name no URL can hold is not called, and reads without a conversion go on", async () => {
    // An object is stored in this version: there is a request that needs the webhook, and one that does not.
    const stored = async () => (await call(server, "GET", at("v2", "/cr-instance-2"))).status;
    await patchDefinition({
      conversion: {
        webhook: { clientConfig: { url: null, caBundle: null, service: { namespace: "default", name: "a b" } } },
      },
    });
    await poll({ what: "the conversion to fail", timeoutMs: 20_000, intervalMs: 20 }, async () => {
      const { status, text } = await call(server, "GET", at("v1", "/cr-instance-2"));
      return status === 500 && text.includes("failed: Invalid URL") ? true : undefined;
    });
    expect(await stored()).toBe(200);
    await patchDefinition({ conversion: { webhook: { clientConfig: { service: null, ...direct() } } } });
    await poll({ what: "the conversion", timeoutMs: 20_000, intervalMs: 20 }, async () =>
      (await call(server, "GET", at("v1", "/cr-instance-2"))).status === 200 ? true : undefined,
    );
  });
});

describe("a webhook", () => {
  const failure = (text: string) => `conversion webhook for ${group}/v2, Kind=Cr ${text}`;
  const read = () => call(server, "GET", at("v1", "/cr-instance-2"));
  const rows: readonly (readonly [string, WebhookBehaviour, string])[] = [
    ["that is not JSON", { type: "answer", body: () => "<html>" }, failure("failed: Post ")],
    ["that is enormous", { type: "enormous", bytes: 50_000_000 }, failure("failed: Post ")],
    ["that hangs up", { type: "hangUp" }, failure("failed: Post ")],
    [
      "with status 400",
      { type: "answer", status: 400, body: () => "no" },
      failure("failed: the server rejected our request for an unknown reason"),
    ],
    [
      "with status 503",
      { type: "answer", status: 503, body: () => "no" },
      failure("failed: the server is currently unable to handle the request"),
    ],
    [
      "of nonsense",
      { type: "answer", body: () => ({ a: 1 }) },
      failure("failed: expected webhook response of apiextensions.o8s.io/v1"),
    ],
    ["with fewer objects", lying((objects) => objects.slice(1)), failure("returned 0 objects, expected 1")],
    [
      "with another uid",
      lying((objects) => objects.map((one) => ({ ...one, metadata: { ...one.metadata, uid: "42" } }))),
      failure("returned invalid object: must have the same UID: "),
    ],
  ];

  function lying(change: (objects: readonly Json[]) => readonly object[]): WebhookBehaviour {
    return {
      type: "answer",
      body({ body }) {
        const { request } = body as Review;
        const objects = request.objects.map((object) => converted(object, request.desiredAPIVersion) as Json);
        const response = { uid: request.uid, convertedObjects: change(objects), result: { status: "Success" } };
        return { ...(body as object), response };
      },
    };
  }

  test.each(rows)("with an answer %s fails the request with 500", async (_, behaviour, message) => {
    webhook.behave(behaviour);
    const { status, json } = await read();
    expect([status, json.message]).toEqual([500, expect.stringContaining(message)]);
  });

  test("with the objects of a list in another order fails the list", async () => {
    await call(server, "POST", at("v2"), { body: cr("cr-instance-3", "v2") });
    webhook.behave(lying((objects) => [...objects].reverse()));
    const { status, json } = await call(server, "GET", at("v1"));
    expect(status).toBe(500);
    expect(json.message).toContain("returned invalid converted object at index 0: must have the same name");
  });

  test("with a certificate of another authority, or at no port, is told in the error", async () => {
    const other = await startWebhookServer({ behaviour: honest });
    await converting({ url: webhook.url, caBundle: caBundle(other.caPem) }, "certificate");
    await other.stop();
    await converting({ url: other.url, caBundle: caBundle(other.caPem) }, "ECONNREFUSED");
    await converting(direct(), '"host":"localhost"');
  });

  test("that is slow holds its own requests only; other resources, versions and watches are served meanwhile", async () => {
    // From now on all are stored in v2.
    await call(server, "PATCH", at("v2", "/cr-instance-1"), { body: { port: "1" }, headers: merge });
    webhook.behave({ type: "silent" });
    const waiting = Array.from({ length: 20 }, () => read().catch(() => undefined));
    const watch = call(server, "GET", at("v2", "?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=cr-instance-4"));
    const beganMs = performance.now();
    expect((await call(server, "POST", at("v2"), { body: cr("cr-instance-4", "v2") })).status).toBe(201);
    expect((await call(server, "GET", at("v2"))).status).toBe(200);
    expect((await call(server, "GET", "/api/v1/namespaces/default")).status).toBe(200);
    expect((await call(server, "DELETE", at("v2", "/cr-instance-4"))).status).toBe(200);
    expect(performance.now() - beganMs).toBeLessThan(3000);
    expect((await watch).text).toContain('"type":"DELETED"');
    webhook.behave(honest);
    webhook.cut();
    for (const answer of await Promise.all(waiting)) expect([200, 500]).toContain(answer?.status);
  });

  test("is counted by definition, versions and success", async () => {
    await read();
    const { text } = await call(server, "GET", "/metrics");
    const name = "apiserver_crd_webhook_conversion_duration_seconds_count";
    for (const succeeded of ["true", "false"])
      expect(text).toMatch(
        new RegExp(
          `${name}\\{crd_name="crs.${group}",from_version="v2",to_version="v1",succeeded="${succeeded}"\\} [1-9]`,
        ),
      );
  });
});

test("a definition is removed with its objects", async () => {
  expect((await call(server, "DELETE", `${definitions}/crs.${group}`)).status).toBe(200);
  await poll({ what: "the definition to be gone", timeoutMs: 20_000, intervalMs: 50 }, async () =>
    (await call(server, "GET", `${definitions}/crs.${group}`)).status === 404 ? true : undefined,
  );
});
