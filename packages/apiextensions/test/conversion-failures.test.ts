import { poll } from "@orchernetes/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import {
  answering,
  conversion,
  conversionTest,
  convert,
  group,
  type Json,
  pair,
  path,
  type Review,
  success,
} from "./conversion-harness.ts";
import { applyPatch, mergePatch } from "./harness.ts";

const webhook = conversionTest();
const { call, changeSpec } = webhook;

describe("a webhook that does not convert", () => {
  const only =
    (change: (review: Review, honest: Json) => Json) =>
    (review: Review): Json =>
      change(review, answering(convert)(review));
  const withObject = (change: (object: Json) => Json) =>
    only((review, honest) => success(review, honest.response.convertedObjects.map(change)));
  const of = `conversion webhook for ${group}/v1, Kind=Pair`;
  const rows: readonly (readonly [string, (review: Review) => Json | Promise<Json>, string])[] = [
    ["is not there", () => Promise.reject(new Error("connection refused")), `${of} failed: connection refused`],
    [
      "answers nothing",
      () => ({}),
      `${of} failed: expected webhook response of apiextensions.o8s.io/v1, Kind=ConversionReview, got /, Kind=`,
    ],
    ["answers null", () => null, `${of} failed: expected webhook response`],
    [
      "answers without a response",
      ({ apiVersion, kind }) => ({ apiVersion, kind }),
      `${of} failed: no response provided`,
    ],
    [
      "answers another review",
      only((_, honest) => ({ ...honest, response: { ...honest.response, uid: "x" } })),
      `${of} failed: expected response.uid=`,
    ],
    [
      "reports a failure",
      only((_, honest) => ({
        ...honest,
        response: { ...honest.response, result: { status: "Failure", message: "no such port" } },
      })),
      `${of} failed: no such port`,
    ],
    [
      "reports nothing",
      only((_, honest) => ({ ...honest, response: { ...honest.response, result: {} } })),
      `${of} failed: response.result.status was '', not 'Success'`,
    ],
    ["returns fewer objects", only((review) => success(review, [])), `${of} returned 0 objects, expected 1`],
    [
      "returns more objects",
      only((review) => success(review, [pair("x"), pair("x")])),
      `${of} returned 2 objects, expected 1`,
    ],
    [
      "returns null",
      withObject(() => null),
      `${of} returned invalid object at index 0: Object 'Kind' is missing in 'null'`,
    ],
    [
      "does not change the version",
      withObject((object) => ({ ...object, apiVersion: `${group}/v1` })),
      `${of} returned invalid object at index 0: invalid groupVersion (expected ${group}/v2, received ${group}/v1)`,
    ],
    [
      "changes the kind",
      withObject((object) => ({ ...object, kind: "Other" })),
      `${of} returned invalid object at index 0: invalid kind (expected Pair, received Other)`,
    ],
    [
      "changes the uid",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, uid: "42" } })),
      `${of} returned invalid object: must have the same UID: `,
    ],
    [
      "changes the name",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, name: "x" } })),
      `${of} returned invalid object: must have the same name: broken != x`,
    ],
    [
      "changes the namespace",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, namespace: "x" } })),
      `${of} returned invalid object: must have the same namespace: ns != x`,
    ],
    [
      "makes labels that are none",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 1 } } })),
      `${of} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
    ],
    [
      "makes invalid labels",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, labels: { a: "?" } } })),
      `${of} returned invalid metadata: metadata.labels: Invalid value: "?"`,
    ],
  ];

  beforeAll(async () => {
    await call("POST", path("v1"), pair("broken", "v1", { spec: { replicas: 1 } }));
  });

  test.each(rows)("because it %s fails requests for that version with 500", async (_, how, message) => {
    webhook.answer = how;
    const read = await call("GET", path("v2", "/broken"));
    expect(read.body).toMatchObject({ kind: "Status", code: 500, message: expect.stringContaining(message) });
    expect(read.body.reason).toBeUndefined();
    expect((await call("GET", path("v1", "/broken"))).status).toBe(200);
  });

  test("fails every verb of that version, and none of the stored one", async () => {
    webhook.answer = rows[0]?.[1] ?? webhook.answer;
    const change = { metadata: { annotations: { patch: "true" } } };
    const { body } = await call("GET", path("v1", "/broken"));
    const broken = { ...pair("broken", "v2"), metadata: body.metadata };
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "broken" }, spec: { replicas: 42 } };
    const calls: readonly (readonly [string, string, unknown?, Readonly<Record<string, string>>?])[] = [
      ["GET", "/broken"],
      ["GET", ""],
      ["GET", "?watch=1&timeoutSeconds=1"],
      ["POST", "", pair("new", "v2")],
      ["PUT", "/broken", broken],
      ["PATCH", "/broken", change, mergePatch],
      ["PATCH", "/broken?fieldManager=a", pair("broken", "v2"), applyPatch],
      ["DELETE", "/broken"],
      ["DELETE", ""],
      ["GET", "/broken/status"],
      ["PUT", "/broken/status", broken],
      ["PATCH", "/broken/status", change, mergePatch],
      ["GET", "/broken/scale"],
      ["PUT", "/broken/scale", scale],
      ["PATCH", "/broken/scale", change, mergePatch],
    ];
    for (const [method, rest, sent, headers] of calls) {
      const failed = await call(method, path("v2", rest), sent, headers);
      expect([method, rest, failed.status], failed.text).toEqual([method, rest, 500]);
      expect(failed.text).toContain("failed: connection refused");
    }
    expect((await call("GET", path("v1"))).status).toBe(200);
    expect((await call("PATCH", path("v1", "/broken"), change, mergePatch)).status).toBe(200);
  });

  test("in one of several objects is named with its place", async () => {
    await call("POST", path("v1"), pair("broken-2"));
    webhook.answer = only((review, honest) => success(review, [...honest.response.convertedObjects].reverse()));
    const { body } = await call("GET", path("v2"));
    expect(body.message).toContain(`${of} returned invalid converted object at index 0: must have the same name`);
  });

  test("that speaks the older version of reviews need not repeat their uid", async () => {
    await changeSpec({ conversion: conversion(["v1beta1", "v1"]) });
    webhook.answer = (review) => ({ response: { ...answering(convert)(review).response, uid: undefined } });
    await poll({ what: "the older version", timeoutMs: 10_000, intervalMs: 10 }, async () => {
      webhook.reviews = [];
      const { status } = await call("GET", path("v2", "/broken"));
      return status === 200 && webhook.reviews[0]?.apiVersion === "apiextensions.o8s.io/v1beta1" ? true : undefined;
    });
  });
});
