import { core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, Registry } from "@orchernetes/apiserver";
import { systemClock } from "@orchernetes/kernel";
import { beforeEach, describe, expect, test } from "vitest";
import { type CallParts, callWebhook } from "./call-webhook.ts";
import type { Webhook } from "./webhook.ts";
import { targetOf } from "./webhook-target.ts";

const NOW = 1_700_000_000_000;
const kind = { group: "", version: "v1", kind: "ConfigMap" };
const resource = { group: "", version: "v1", resource: "configmaps" };
const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } } as ApiObject;
const attributes: AdmissionAttributes = {
  operation: "CREATE",
  user: { name: "jane", groups: [], extra: {} },
  resource,
  kind,
  subresource: "",
  namespace: "default",
  name: "c",
  object,
  oldObject: undefined,
  definition: core.configMaps,
  options: {},
  dryRun: false,
};
const webhook: Webhook = {
  uid: "w/w.example.com/0",
  configuration: "w",
  name: "w.example.com",
  criteria: { namespaceSelector: {}, objectSelector: {} },
  matchConditions: [],
  target: targetOf({ url: "https://w.example.com/hook" }),
  reviewVersion: "v1",
  ignoresFailures: false,
  timeoutMs: 10_000,
  allowsDryRun: false,
  reinvocable: false,
};

let times: number[];
beforeEach(() => {
  times = [];
});
const context = (deadlineMs?: number): AdmissionContext => ({
  registry: {} as Registry,
  now: new Date(NOW),
  signal: new AbortController().signal,
  deadlineMs,
  warn() {},
  annotate() {},
});
const asked = (dryRun: boolean, hook: Partial<Webhook> = {}, deadlineMs?: number) => {
  const clients: CallParts["clients"] = {
    post: async (_target, body, { timeoutMs }) => {
      times.push(timeoutMs);
      const { request } = body as { readonly request: { readonly uid: string } };
      return { ...body, response: { uid: request.uid, allowed: true } };
    },
  };
  const write = { attributes: { ...attributes, dryRun }, kind, resource, object, oldObject: undefined };
  const clock = { ...systemClock, nowMs: () => NOW };
  return callWebhook({ ...webhook, ...hook }, write, { clients, context: context(deadlineMs), clock, mutating: true });
};

test("a webhook with side effects is not asked about a trial, which fails", async () => {
  await expect(asked(true)).rejects.toMatchObject({
    message: 'admission webhook "w.example.com" does not support dry run',
    status: { code: 400, reason: "BadRequest" },
  });
  expect(times).toEqual([]);
  await asked(true, { allowsDryRun: true });
  await asked(false);
  expect(times).toHaveLength(2);
});

describe("a call has", () => {
  test("the time of the webhook, if that of the write is longer or has no end", async () => {
    await asked(false);
    await asked(false, {}, NOW + 20_000);
    await asked(false, { timeoutMs: undefined });
    expect(times).toEqual([10_000, 10_000, 30_000]);
  });

  test("what is left of the time of the write", async () => {
    await asked(false, {}, NOW + 1);
    await asked(false, { timeoutMs: undefined }, NOW + 4321);
    expect(times).toEqual([1, 4321]);
  });

  test("no time if that of the write is over", async () => {
    for (const deadlineMs of [NOW, NOW - 1])
      await expect(asked(false, {}, deadlineMs)).rejects.toMatchObject({
        message: 'failed calling webhook "w.example.com": failed to call webhook: context deadline exceeded',
        code: 400,
      });
    expect(times).toEqual([]);
  });
});
