import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { type ApiServer, createApiServer } from "@orchernetes/apiserver";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { openEmbeddedStore, openEtcdStore, type Store } from "@orchernetes/storage";
import { poll, startEtcd } from "@orchernetes/testkit";
import { type ConversionWebhooks, customResourceDefinitions, startCustomResources } from "../src/index.ts";

/** An answer with its body, parsed if it is JSON. */
export interface Answer {
  readonly status: number;
  readonly warnings: string;
  readonly text: string;
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface TestServer {
  readonly server: ApiServer;
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Creates a definition and waits until it is established. */
  define(definition: object): Promise<Answer>;
  /** A server over the same store, this one stopped. */
  restart(): Promise<TestServer>;
  /** A second server over the same store; stopping it leaves the store open. */
  beside(): Promise<TestServer>;
  stop(): Promise<void>;
}

export const definitionsPath = "/apis/apiextensions.o8s.io/v1/customresourcedefinitions";
export const mergePatch = { "content-type": "application/merge-patch+json" };
export const applyPatch = { "content-type": "application/apply-patch+yaml" };

/** A store to test over, with what closes it. */
export interface TestStore {
  readonly store: Store;
  close(): Promise<void>;
}

export async function embeddedStore(): Promise<TestStore> {
  const directory = await mkdtemp(join(tmpdir(), "apiextensions-test-"));
  const store = await openEmbeddedStore({ path: directory });
  const close = async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { store, close };
}

export async function etcdStore(): Promise<TestStore> {
  const etcd = await startEtcd({ unsafeNoFsync: true });
  const store = await openEtcdStore({ servers: [etcd.url], prefix: "" });
  const close = async () => {
    await store.close();
    await etcd.stop();
  };
  return { store, close };
}

/** No webhook answers. */
const noWebhooks: ConversionWebhooks = {
  client: () => ({ post: () => Promise.reject(new Error("connection refused")), close: () => undefined }),
};

/** A server of nothing but custom resources. */
export async function startServer(
  open: () => Promise<TestStore> = embeddedStore,
  webhooks: ConversionWebhooks = noWebhooks,
): Promise<TestServer> {
  const opened = await open();
  return serve(opened, webhooks);
}

async function serve(opened: TestStore, webhooks: ConversionWebhooks, establishDelayMs = 0): Promise<TestServer> {
  const controller = new AbortController();
  const server = createApiServer({
    definitions: [customResourceDefinitions as unknown as ResourceDefinition],
    store: opened.store,
    authenticators: [],
    authorizers: [{ authorize: () => ({ type: "Allow" }) }],
    featureEnabled: (gate) => gate === "CustomResourceValidationExpressions",
    logger: silentLogger,
    signal: controller.signal,
  });
  await server.start();
  const { registry } = server;
  const { signal } = controller;
  const logger = silentLogger;
  await startCustomResources({ registry, clock: systemClock, logger, webhooks, establishDelayMs, signal }).synced;
  const call: TestServer["call"] = async (method, path, body, headers = {}) => {
    const answer = await server.request({
      method,
      path,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = answer.body.toString();
    const parsed = text.startsWith("{") && !path.includes("watch=1") ? JSON.parse(text) : undefined;
    return { status: answer.status, warnings: String(answer.headers.warning ?? ""), text, body: parsed };
  };
  return {
    server,
    call,
    define: async (definition) => {
      const answer = await call("POST", definitionsPath, definition);
      if (answer.status === 201) await established(call, answer.body.metadata.name);
      return answer;
    },
    restart: async () => {
      controller.abort();
      return serve(opened, webhooks);
    },
    beside: () => serve({ store: opened.store, close: async () => {} }, webhooks, 20),
    stop: async () => {
      controller.abort();
      await opened.close();
    },
  };
}

async function established(call: TestServer["call"], name: string): Promise<void> {
  await poll({ what: `${name} to be established`, timeoutMs: 20_000, intervalMs: 10 }, async () => {
    const { body } = await call("GET", `${definitionsPath}/${name}`);
    return conditionsOf(body).Established === "True" ? true : undefined;
  });
}

/** Status by type. */
export function conditionsOf(body: Answer["body"]): Readonly<Record<string, string>> {
  const conditions: readonly { type: string; status: string }[] = body.status?.conditions ?? [];
  return Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
}

/** What a definition may differ in from the plain one. */
export interface DefinitionOptions {
  readonly group?: string;
  readonly plural?: string;
  readonly kind?: string;
  readonly names?: object;
  readonly scope?: string;
  readonly versions?: readonly object[];
  readonly schema?: object;
  readonly version?: object;
  readonly spec?: object;
  readonly annotations?: object;
}

/** A definition of widgets in version v1, with a schema that keeps everything unless another is given. */
export function definition(options: DefinitionOptions = {}): ReturnType<typeof JSON.parse> {
  const { group = "example.com", plural = "widgets", kind = "Widget" } = options;
  const openAPIV3Schema = options.schema ?? { type: "object", "x-orchernetes-preserve-unknown-fields": true };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, ...options.version };
  return {
    apiVersion: "apiextensions.o8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    },
    spec: {
      group,
      scope: options.scope ?? "Namespaced",
      names: { plural, kind, ...options.names },
      versions: options.versions ?? [version],
      ...options.spec,
    },
  };
}

/** A version of a definition with a schema of its own. */
export function versionOf(name: string, schema: object, more: object = {}): object {
  return { name, served: true, storage: false, schema: { openAPIV3Schema: schema }, ...more };
}

/** A widget. */
export function widget(name: string, members: object = {}, version = "v1"): object {
  return { apiVersion: `example.com/${version}`, kind: "Widget", metadata: { name }, ...members };
}
