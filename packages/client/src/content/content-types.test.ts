import { createScheme } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { givenContentTypes } from "./content-types.ts";

const protobuf = "application/vnd.orchernetes.protobuf";
const json = "application/json";
const scheme = createScheme([]);

/** Settings of which these fields are given. */
const settings = (given: Readonly<Record<string, string>>) => ({
  isGiven: (field: string) => Object.hasOwn(given, field),
  // A document has values for fields that nobody set.
  text: (field: string) => given[field] ?? (field.endsWith("contentType") ? protobuf : ""),
});

let loads = 0;
const load = async () => ({
  loadScheme: async () => {
    loads++;
    return scheme;
  },
});

test.each([
  ["nothing", {}],
  ["JSON", { contentType: json }],
  ["an empty contentType", { contentType: "" }],
  ["acceptContentTypes with JSON alone", { acceptContentTypes: json }],
])("%s is JSON, and loads no scheme", async (_, given) => {
  loads = 0;
  expect(await givenContentTypes(settings(given), "", load)).toBeUndefined();
  expect(loads).toBe(0);
});

// shows: contentType
test.each([
  ["contentType", { contentType: protobuf }, protobuf, `${protobuf},${json}`],
  ["both", { contentType: protobuf, acceptContentTypes: json }, protobuf, json],
  ["acceptContentTypes", { acceptContentTypes: protobuf }, json, protobuf],
  ["a weight", { acceptContentTypes: `${protobuf};q=0.5,*/*` }, json, `${protobuf};q=0.5,*/*`],
])("%s in the settings counts", async (_, given, contentType, accept) => {
  expect(await givenContentTypes(settings(given), "", load)).toEqual({ contentType, accept, scheme });
  const inSection = Object.fromEntries(Object.entries(given).map(([name, value]) => [`a.b.${name}`, value]));
  expect(await givenContentTypes(settings(inSection), "a.b", load)).toEqual({ contentType, accept, scheme });
  expect(await givenContentTypes(settings(given), "a.b", load)).toBeUndefined();
});
