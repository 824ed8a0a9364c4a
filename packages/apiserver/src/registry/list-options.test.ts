import { ApiError, type ResourceDefinition } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { toys } from "../../test/toy.ts";
import { defaultServerFeatures } from "../interfaces/index.ts";
import { parseListOptions } from "./list-options.ts";

const definition = toys as unknown as ResourceDefinition;

/** The options of a query, or the code and message of its refusal. */
function parsed(query: string, watch: boolean, features = {}) {
  try {
    return parseListOptions(definition, new URLSearchParams(query), watch, { ...defaultServerFeatures, ...features });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.status.code, message: error.status.message };
  }
}

const invalid = (...errors: readonly string[]) => ({
  code: 422,
  message: `ListOptions.meta.o8s.io "" is invalid: ${errors.length > 1 ? `[${errors.join(", ")}]` : errors[0]}`,
});
const match = (text: string) => `resourceVersionMatch: Forbidden: ${text}`;
const needsVersion = match("resourceVersionMatch is forbidden unless resourceVersion is provided");
const withContinue = match("resourceVersionMatch is forbidden when continue is provided");
const needsInitial = match("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
const needsMatch = match("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
const gate =
  "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";

describe("invalid combinations", () => {
  test.each([
    ["list", "resourceVersionMatch=Exact", [needsVersion]],
    ["list", "resourceVersionMatch=NotOlderThan&continue=x", [needsVersion, withContinue]],
    ["list", "resourceVersionMatch=NotOlderThan&resourceVersion=5&continue=x", [withContinue]],
    [
      "list",
      "resourceVersionMatch=Foo&resourceVersion=5",
      ['resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""'],
    ],
    [
      "list",
      "resourceVersionMatch=Exact&resourceVersion=0",
      [match('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')],
    ],
    ["list", "sendInitialEvents=true", ["sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"]],
    ["list", "sendInitialEvents=", ["sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"]],
    ["watch", "resourceVersionMatch=NotOlderThan", [needsInitial]],
    [
      "watch",
      "resourceVersionMatch=Exact",
      [needsInitial, 'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"'],
    ],
    ["watch", "sendInitialEvents=false", [needsMatch]],
    ["watch", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x", [withContinue]],
  ])("%s %s", (verb, query, errors) => {
    expect(parsed(query, verb === "watch")).toEqual(invalid(...errors));
  });

  test.each([
    ["sendInitialEvents=true&resourceVersionMatch=NotOlderThan", [gate]],
    ["sendInitialEvents=false&resourceVersionMatch=NotOlderThan", [gate]],
    ["sendInitialEvents=true", [needsMatch, gate]],
  ])("without watch lists: watch %s", (query, errors) => {
    expect(parsed(query, true, { watchList: false })).toEqual(invalid(...errors));
  });

  test("a watch without sendInitialEvents does not need gate WatchList", () => {
    expect(parsed("resourceVersion=5", true, { watchList: false })).toMatchObject({ resourceVersion: 5 });
  });
});

describe("limit and continue", () => {
  test.each([
    ["limit=2&continue=x", { listChunking: true }, { limit: 2, continue: "x" }],
    ["limit=-1", { listChunking: true }, { limit: 0, continue: "" }],
    ["limit=2&continue=x&resourceVersion=7", { listChunking: true }, { code: 400 }],
    ["limit=x", { listChunking: true }, { code: 400 }],
    ["limit=2&continue=x", { listChunking: false }, { limit: 0, continue: "" }],
    ["limit=2&continue=x&resourceVersion=7", { listChunking: false }, { limit: 0, continue: "", resourceVersion: 7 }],
    ["limit=x", { listChunking: false }, { code: 400 }],
  ])("%s with %j", (query, features, wanted) => {
    expect(parsed(query, false, features)).toMatchObject(wanted);
  });
});
