import { poll } from "@orchernetes/testkit";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { ObservedConversion } from "../src/index.ts";
import {
  type Answer,
  definition,
  definitionsPath,
  embeddedStore,
  mergePatch,
  startServer,
  type TestServer,
  type TestStore,
  versionOf,
} from "./harness.ts";

/** A ConversionReview as a webhook receives it. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Json[] };
}

export type Json = ReturnType<typeof JSON.parse>;
type Convert = (object: Json, apiVersion: string) => Json;

export const group = "stable.example.com";
export const path = (version: string, rest = "") => `/apis/${group}/${version}/namespaces/ns/pairs${rest}`;

/** `hostPort` of v1 is `host` and `port` of v2. */
export const convert: Convert = (object, apiVersion) => {
  const { hostPort, host, port, ...rest } = object;
  if (apiVersion.endsWith("/v1")) return { ...rest, apiVersion, hostPort: `${host}:${port}` };
  const [first, second] = String(hostPort ?? ":").split(":");
  return { ...rest, apiVersion, host: first, port: second };
};

/** The answer of a webhook that has converted all objects. */
export const success = (review: Review, convertedObjects: readonly Json[]) => ({
  apiVersion: review.apiVersion,
  kind: review.kind,
  response: { uid: review.request.uid, convertedObjects, result: { status: "Success" } },
});

/** A webhook that converts each object by a function. */
export const answering =
  (how: Convert) =>
  (review: Review): Json =>
    success(
      review,
      review.request.objects.map((object) => how(object, review.request.desiredAPIVersion)),
    );

const any = { "x-orchernetes-preserve-unknown-fields": true };
const properties = {
  v1: { hostPort: { type: "string" }, list: { type: "array", items: { type: "string" } } },
  v2: { host: { type: "string" }, port: { type: "string" }, list: { type: "array", items: { type: "string" } } },
};
const more = {
  spec: { type: "object", ...any },
  status: { type: "object", ...any },
  defaults: { type: "object" },
};

const defaultsOf = (name: string) => ({
  type: "object",
  properties: { v1: { type: "boolean" }, v2: { type: "boolean" }, [name]: { type: "boolean", default: true } },
});

const subresources = {
  status: {},
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
};

/** The versions of the definition, of which one is stored. */
export const versions = (stored: "v1" | "v2") =>
  (["v1", "v2"] as const).map((name) =>
    versionOf(
      name,
      { type: "object", properties: { ...more, ...properties[name], defaults: defaultsOf(name) } },
      { storage: name === stored, subresources },
    ),
  );

/** The conversion of the definition, by a webhook that accepts these versions of ConversionReview. */
export const conversion = (conversionReviewVersions: readonly string[]) => ({
  strategy: "Webhook",
  webhook: { clientConfig: { url: "https://webhook.example.com/crdconvert" }, conversionReviewVersions },
});

const pairs = (stored: "v1" | "v2") =>
  definition({
    group,
    plural: "pairs",
    kind: "Pair",
    versions: versions(stored),
    spec: { conversion: conversion(["v1", "v1beta1"]) },
  });

/** A custom resource whose versions differ: v1 has `hostPort`, v2 has `host` and `port`. */
export const pair = (name: string, version: "v1" | "v2" = "v1", members: object = {}) => ({
  apiVersion: `${group}/${version}`,
  kind: "Pair",
  metadata: { name },
  ...(version === "v1" ? { hostPort: "localhost:8080" } : { host: "localhost", port: "8080" }),
  ...members,
});

/** A server whose definition of pairs names a webhook, which is a function here. */
export interface ConversionTest {
  /** What the webhook does with a review; before each test it converts by {@link convert}. */
  answer: (review: Review) => Json | Promise<Json>;
  /** The reviews since the test began. */
  reviews: Review[];
  readonly observed: readonly ObservedConversion[];
  readonly call: TestServer["call"];
  /** Patches the spec of the definition. */
  changeSpec(spec: object): Promise<Answer>;
  /** Changes the stored version and waits until the change is in effect. */
  storeAs(stored: "v1" | "v2"): Promise<void>;
  /** The object as it is in the store. */
  stored(name: string): Promise<Json>;
}

/** Starts a server for the tests of a file, and stops it after them. */
export function conversionTest(): ConversionTest {
  let store: TestStore;
  let api: TestServer;
  let observed: ObservedConversion[] = [];
  const started: ConversionTest = {
    answer: answering(convert),
    reviews: [],
    get observed() {
      return observed;
    },
    call: (...request) => api.call(...request),
    changeSpec: (spec) => api.call("PATCH", `${definitionsPath}/pairs.${group}`, { spec }, mergePatch),
    async storeAs(stored) {
      expect((await started.changeSpec({ versions: versions(stored) })).status).toBe(200);
      await poll({ what: `${stored} to be stored`, timeoutMs: 10_000, intervalMs: 10 }, async () => {
        started.reviews = [];
        const name = `probe-${Math.random().toString(36).slice(2)}`;
        const created = await api.call("POST", path(stored), pair(name, stored));
        if (created.status === 201) await api.call("DELETE", path(stored, `/${name}`));
        return created.status === 201 && started.reviews.length === 0 ? true : undefined;
      });
    },
    async stored(name) {
      const found = await store.store.get(`/registry/${group}/pairs/ns/${name}`, {});
      return JSON.parse(found?.value.toString() ?? "null");
    },
  };
  beforeAll(async () => {
    store = await embeddedStore();
    api = await startServer(async () => store, {
      client: () => ({
        async post(review, signal) {
          signal.throwIfAborted();
          const asked = JSON.parse(JSON.stringify(review)) as Review;
          started.reviews.push(asked);
          return started.answer(asked);
        },
        close: () => undefined,
      }),
      observe: (one) => observed.push(one),
    });
    const created = await api.define(pairs("v1"));
    expect([created.status, created.warnings]).toEqual([201, ""]);
  }, 60_000);
  afterAll(() => api.stop());
  beforeEach(() => {
    started.answer = answering(convert);
    started.reviews = [];
    observed = [];
  });
  return started;
}
