import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "@orchernetes/component";
import { imagePolicyWebhookConfigurationSchema } from "@orchernetes/config";
import { startWebhookServer, type WebhookBehaviour, type WebhookServer } from "@orchernetes/testkit";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PluginSettings } from "../shared/plugin.ts";
import { idleParts, runPlugin, type Write } from "../testing/plugins.ts";
import { imagePolicyWebhook } from "./image-policy-webhook.ts";

const dir = mkdtempSync(join(tmpdir(), "image-policy-"));
const clients = await createCertificateAuthority({ commonName: "clients" });
const own = await issueClientCertificate(clients, { commonName: "orch-apiserver" });
const apiVersion = "imagepolicy.o8s.io/v1alpha1";
const pods = ["", "pods"] as const;
let service: WebhookServer;
let annotations: Record<string, string>;

const deciding = (status: object): WebhookBehaviour => ({
  type: "answer",
  body: () => ({ apiVersion, kind: "ImageReview", status }),
});

/** A client configuration file with the service of `url` and an authority. */
function clientFile(url: string, ca: string): string {
  const path = join(dir, `${Math.random().toString(36).slice(2)}.yaml`);
  const data = (text: string) => Buffer.from(text).toString("base64");
  writeFileSync(
    path,
    JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "images", user: "api-server" } }],
      clusters: [{ name: "images", cluster: { server: url, "certificate-authority-data": data(ca) } }],
      users: [
        {
          name: "api-server",
          user: { "client-certificate-data": data(own.certPem), "client-key-data": data(own.keyPem) },
        },
      ],
    }),
  );
  return path;
}

function settingsOf(imagePolicy: object = {}): PluginSettings {
  const orchConfigFile = clientFile(`${service.url}/policy`, service.caPem);
  const given = { imagePolicy: { orchConfigFile, retryBackoff: 1, ...imagePolicy } };
  return {
    ...idleParts,
    flags: { "default-not-ready-toleration-seconds": 30, "default-unreachable-toleration-seconds": 40 },
    featureEnabled: () => false,
    configuration: { ImagePolicyWebhook: imagePolicyWebhookConfigurationSchema.parse(given) },
    rights: { authorizers: [], ruleSources: [] },
    metrics: createMetrics(),
  } as unknown as PluginSettings;
}

/** A pod, each with images of its own unless they are named: decisions are remembered by images. */
let count = 0;
const pod = (image = `image-${++count}`, more: object = {}) => ({
  metadata: { name: "o", annotations: { "a.image-policy.o8s.io/ticket": "1", "b.example.com/c": "2" } },
  spec: { containers: [{ name: "c", image }], initContainers: [{ name: "i", image: `${image}-init` }], ...more },
});

/** One plugin with its memory. */
function plugin(imagePolicy: object = {}) {
  const settings = settingsOf(imagePolicy);
  const descriptor = imagePolicyWebhook.create(settings);
  return (write: Partial<Write>) =>
    runPlugin({ name: descriptor.name, descriptor }, settings, {
      resource: pods,
      object: pod(),
      annotate: (key, value) => {
        annotations[key] = value;
      },
      ...write,
    });
}

beforeAll(async () => {
  service = await startWebhookServer({ behaviour: deciding({ allowed: true }), clientCaPem: clients.certPem });
});
afterAll(async () => {
  await service.stop();
  rmSync(dir, { recursive: true });
});
beforeEach(() => {
  annotations = {};
  service.behave(deciding({ allowed: true }));
});

describe("a service that answers", () => {
  test("gets images, namespace and the annotations that are for it", async () => {
    await plugin()({ object: pod("web") });
    expect(service.requests.at(-1)).toMatchObject({ method: "POST", path: "/policy", clientName: "orch-apiserver" });
    expect(service.requests.at(-1)?.body).toEqual({
      kind: "ImageReview",
      apiVersion,
      metadata: { creationTimestamp: null },
      spec: {
        containers: [{ image: "web" }, { image: "web-init" }],
        annotations: { "a.image-policy.o8s.io/ticket": "1" },
        namespace: "ns",
      },
      status: { allowed: false },
    });
  });

  test("is asked about ephemeral containers when those are added, and about nothing else", async () => {
    const write = plugin();
    const object = pod("web", { ephemeralContainers: [{ name: "e", image: "debug" }] });
    await write({ operation: "UPDATE", subresource: "ephemeralcontainers", object });
    expect(service.requests.at(-1)?.body).toMatchObject({ spec: { containers: [{ image: "debug" }] } });
    const before = service.requests.length;
    await write({ subresource: "status" });
    await write({ resource: ["apps", "deployments"] });
    await write({ operation: "DELETE" });
    expect(service.requests.length).toBe(before);
  });

  test.each([
    [{ allowed: false }, 'pods "o" is forbidden: one or more images rejected by webhook backend'],
    [
      { allowed: false, reason: "no signature" },
      'pods "o" is forbidden: image policy webhook backend denied one or more images: no signature',
    ],
  ])("%j forbids the pod", async (status, message) => {
    service.behave(deciding(status));
    await expect(plugin()({})).rejects.toMatchObject({ code: 403, message });
  });

  test("hands annotations on to the audit event, under the plugin's own prefix", async () => {
    service.behave(deciding({ allowed: true, auditAnnotations: { checked: "yes", "not/a/key": "no" } }));
    await plugin()({});
    expect(annotations).toEqual({ "imagepolicywebhook.image-policy.o8s.io/checked": "yes" });
  });

  test.each([
    [{ allowed: true }, {}, 1],
    [{ allowed: false }, {}, 1],
    [{ allowed: true }, { allowTTL: -1 }, 3],
    [{ allowed: false }, { denyTTL: -1 }, 3],
  ])("with %j and %j is asked about the same images %#: %i times", async (status, times, asked) => {
    service.behave(deciding(status));
    const write = plugin(times);
    const before = service.requests.length;
    for (let i = 0; i < 3; i++) await write({ object: pod("same") }).catch(() => undefined);
    expect(service.requests.length - before).toBe(asked);
  });
});

describe("a service without a decision", () => {
  const rows: readonly (readonly [string, WebhookBehaviour, string, number])[] = [
    ["is overloaded", { type: "answer", status: 500, body: () => "" }, "an error on the server", 5],
    [
      "rejects reviews",
      { type: "answer", status: 400, body: () => "" },
      "the server rejected our request for an unknown reason",
      1,
    ],
    ["talks nonsense", { type: "answer", body: () => "<html>" }, "instead of JSON", 1],
    ["answers null", { type: "answer", body: () => null }, "the answer is no object", 1],
    [
      "answers another kind",
      { type: "answer", body: () => ({ kind: "Pod", apiVersion: "v1" }) },
      'the answer has kind "Pod"',
      1,
    ],
    ["decides with a text", deciding({ allowed: "yes" }), "status.allowed is no boolean", 1],
    ["gives a number as its reason", deciding({ reason: 1 }), "status.reason is no string", 1],
    ["annotates with numbers", deciding({ allowed: true, auditAnnotations: { a: 1 } }), "is no string", 1],
    ["hangs up", { type: "hangUp" }, "socket hang up", 5],
    ["pours", { type: "enormous", bytes: 50_000_000 }, "longer than", 1],
  ];

  test.each(rows)(
    "because it %s: the pod is forbidden, or admitted by default",
    async (_, behaviour, message, asked) => {
      service.behave(behaviour);
      const before = service.requests.length;
      await expect(plugin()({})).rejects.toMatchObject({
        code: 403,
        message: expect.stringMatching(new RegExp(`^pods "o" is forbidden: .*${message}`)),
      });
      expect(service.requests.length - before).toBe(asked);
      await plugin({ defaultAllow: true })({});
      expect(annotations).toEqual({ "imagepolicywebhook.image-policy.o8s.io/failed-open": "true" });
    },
  );

  test("because it cannot be trusted, or is gone", async () => {
    const other = await startWebhookServer({ behaviour: deciding({ allowed: true }) });
    const untrusted = plugin({ orchConfigFile: clientFile(other.url, service.caPem) });
    await expect(untrusted({})).rejects.toThrow("certificate");
    expect(other.requests).toEqual([]);
    await other.stop();
    await expect(plugin({ orchConfigFile: clientFile(other.url, other.caPem) })({})).rejects.toThrow("ECONNREFUSED");
  });

  test("is asked again for the next pod", async () => {
    const write = plugin();
    service.behave({ type: "answer", status: 400, body: () => "" });
    await expect(write({ object: pod("again") })).rejects.toThrow("is forbidden");
    service.behave(deciding({ allowed: true }));
    await write({ object: pod("again") });
  });
});

test("a plugin without a configuration allows nothing", async () => {
  const settings = { ...settingsOf(), configuration: {} };
  const write = { resource: pods, object: pod() };
  await expect(
    runPlugin({ name: imagePolicyWebhook.name, descriptor: imagePolicyWebhook }, settings, write),
  ).rejects.toThrow("has no configuration");
});
