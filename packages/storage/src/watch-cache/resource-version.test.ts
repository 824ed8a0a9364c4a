import { describe, expect, test } from "vitest";
import { asRevision } from "../revision.ts";
import { withResourceVersion } from "./resource-version.ts";

const set = (json: string) => withResourceVersion(Buffer.from(json), asRevision(42)).toString();

describe("withResourceVersion", () => {
  test.each([
    [
      "replaces it",
      '{"kind":"Pod","metadata":{"name":"a","uid":"u","resourceVersion":"7","generation":1},"spec":{}}',
      '{"kind":"Pod","metadata":{"name":"a","uid":"u","resourceVersion":"42","generation":1},"spec":{}}',
    ],
    [
      "inserts it after uid",
      '{"metadata":{"name":"a","namespace":"n","uid":"u","labels":{"resourceVersion":"7"}}}',
      '{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"42","labels":{"resourceVersion":"7"}}}',
    ],
    ["inserts it into empty metadata", '{"metadata":{},"spec":1}', '{"metadata":{"resourceVersion":"42"},"spec":1}'],
    ["inserts it before others", '{"metadata":{"labels":{}}}', '{"metadata":{"resourceVersion":"42","labels":{}}}'],
    ["adds metadata", '{"a":1}', '{"metadata":{"resourceVersion":"42"},"a":1}'],
    ["adds metadata to nothing", "{}", '{"metadata":{"resourceVersion":"42"}}'],
    [
      "is not led astray by strings, escapes and depth",
      '{"a":"}\\"{\\\\","b":[{"metadata":{"resourceVersion":"1"}},"]"],"metadata":{"x":"\\"resourceVersion\\":\\"5\\"","resourceVersion":"6"}}',
      '{"a":"}\\"{\\\\","b":[{"metadata":{"resourceVersion":"1"}},"]"],"metadata":{"x":"\\"resourceVersion\\":\\"5\\"","resourceVersion":"42"}}',
    ],
    [
      "finds it after any key order and white space",
      '{ "spec" : {"metadata":1, "n": -1.5e3} ,\n"metadata" : { "finalizers":["a"], "resourceVersion" : null , "z":true} }',
      '{ "spec" : {"metadata":1, "n": -1.5e3} ,\n"metadata" : { "finalizers":["a"], "resourceVersion" : "42" , "z":true} }',
    ],
    [
      "keeps other bytes",
      '{"metadata":{"name":"ü€😀"},"d":"ü"}',
      '{"metadata":{"name":"ü€😀","resourceVersion":"42"},"d":"ü"}',
    ],
  ])("%s", (_, given, want) => {
    expect(set(given)).toBe(want);
    JSON.parse(set(given));
  });

  test.each(["", "[]", '"x"', '{"metadata":[]}', '{"metadata":"x"}', '{"metadata"', '{"a":1', '{"a" 1}', '{"a":"b'])(
    "refuses %j",
    (given) => {
      expect(() => set(given)).toThrow(TypeError);
    },
  );
});
