import { expect, test } from "vitest";
import { ListSplitter } from "./list-splitter.ts";

/** The items of a list that arrives in these pieces, and the rest of it. */
function split(chunks: readonly (string | Buffer)[]): { readonly items: readonly string[]; readonly rest: string } {
  const items: string[] = [];
  const splitter = new ListSplitter((json) => items.push(json));
  for (const chunk of chunks) splitter.write(Buffer.from(chunk));
  return { items, rest: splitter.end() };
}

const tricky = {
  kind: "List",
  metadata: { items: [{ a: 1 }], continue: "x", note: '{"items":[{}]}, \\"items":[' },
  items: [
    { a: 'quote " and \\ and } ] {', b: [[], [{ items: [{ c: 1 }] }]] },
    {},
    { "ä€😀": "ä€😀", "\\": '\\"', '"': "]}" },
  ],
  apiVersion: "v1",
};

test.each<[string, string, readonly string[], string]>([
  ["no items", '{"items":[]}', [], '{"items":[]}'],
  ["no array", '{"metadata":{},"items":null}', [], '{"metadata":{},"items":null}'],
  ["some", '{"items":[{"a":1},{"b":[2]}],"z":1}\n', ['{"a":1}', '{"b":[2]}'], '{"items":[],"z":1}\n'],
  [
    "indented ones",
    '{\n  "items": [\n    {\n      "a": 1\n    },\n    {}\n  ]\n}',
    ['{\n      "a": 1\n    }', "{}"],
    '{\n  "items": []\n}',
  ],
  ["items of another object", '{"metadata":{"items":[{}]}}', [], '{"metadata":{"items":[{}]}}'],
  ["a key that ends like it", '{"x,\\"items":[{}]}', [], '{"x,\\"items":[{}]}'],
  ["another array", '{"others":[{}],"items":[{}]}', ["{}"], '{"others":[{}],"items":[]}'],
])("a list with %s", (_, text, items, rest) => {
  expect(split([text])).toEqual({ items, rest });
});

test("wherever a list is cut, its items are the same", () => {
  const bytes = Buffer.from(JSON.stringify(tricky));
  const { items, ...rest } = tricky;
  for (let first = 0; first <= bytes.length; first++) {
    const second = Math.min(bytes.length, first + 3);
    const found = split([bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]);
    expect(found.items.map((item) => JSON.parse(item))).toEqual(items);
    expect(JSON.parse(found.rest)).toEqual({ ...rest, items: [] });
  }
});

test.each([
  ["an item that is no object", '{"items":[{},1]}'],
  ["an item that is text", '{"items":["{}"]}'],
  ["an item that is a list", '{"items":[[{}]]}'],
  ["an end within an item", '{"items":[{"a":'],
  ["an end within the items", '{"items":[{}'],
  ["an end behind the items", '{"items":[{}]'],
  ["nothing", ""],
])("%s is an error", (_, text) => {
  expect(() => split([text])).toThrow(SyntaxError);
});

test("a list without an end of its metadata does not fill the memory", () => {
  const splitter = new ListSplitter(() => undefined);
  splitter.write(Buffer.from('{"metadata":"'));
  const megabyte = Buffer.alloc(1024 * 1024, "x");
  expect(() => splitter.write(megabyte)).toThrow(RangeError);
});

test("an item without an end does not fill the memory", () => {
  const splitter = new ListSplitter(() => undefined);
  splitter.write(Buffer.from('{"items":[{"a":"'));
  const part = Buffer.alloc(16 * 1024 * 1024, "x");
  expect(() => {
    for (let count = 0; count < 5; count++) splitter.write(part);
  }).toThrow(RangeError);
});
