import { afterAll, describe, expect, test } from "vitest";
import type { Negotiated } from "../http/negotiate.ts";
import { YamlThread } from "../yaml/yaml-thread.ts";
import { listText } from "./list-text.ts";
import { encodeText } from "./send-object.ts";

const negotiated = (encoding: "json" | "yaml"): Negotiated => ({
  encoding,
  contentType: "application/json",
  asApiVersion: "",
});

const values: readonly { readonly name: string; readonly items: readonly unknown[] }[] = [
  { name: "one object", items: [{ metadata: { name: "a" }, spec: { ports: [{ port: 80 }], none: [], empty: {} } }] },
  { name: "several", items: [{ b: 1, a: [1, [2, { c: null }]] }, { metadata: {} }, {}] },
  {
    name: "blocks of text",
    items: [{ data: { script: "line\n\n  more\n \nend\n", tail: "x\n\n", lead: "  a\nb", spaces: "a \n b\n" } }],
  },
  {
    name: "texts to quote",
    items: [{ a: "yes", b: "- x", c: ": ", d: '"', e: "\u2028 x\u2029\r\n", f: "ä€😀", g: "\t" }],
  },
  { name: "values that are no objects", items: ["text", 1, null, [1, 2]] },
];

const { signal } = new AbortController();
const thread = new YamlThread({ inlineBytes: 0 });
afterAll(() => thread.close());

describe.each([
  ["json", undefined],
  ["yaml", undefined],
  ["yaml", thread],
] as const)("%s, thread: %s", (encoding, yaml) => {
  test.each(values)("$name: the pieces equal the text of the whole list", async ({ items }) => {
    const list = { kind: "ThingList", apiVersion: "v1", metadata: { resourceVersion: "1", continue: "items: []" } };
    const text = listText(
      { yaml, signal, user: { name: "a", groups: [], extra: {} }, impersonatedBy: undefined },
      negotiated(encoding),
      list,
      "items",
    );
    const pieces = await Promise.all(items.map((item, index) => text.item(item, index)));
    const whole = encodeText(negotiated(encoding), { ...list, items }, true);
    expect(text.head + pieces.join("") + text.tail).toBe(whole);
  });
});
