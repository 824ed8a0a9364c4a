import { systemEventLoop } from "@orchernetes/kernel";
import { asRevision, CacheEntry } from "@orchernetes/storage";
import { expect, test } from "vitest";
import { ListBody } from "./list-body.ts";

const prefix = '{"kind":"ConfigMap","apiVersion":"v1",';
const head = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[';

function entryOf(json: string, n: number): CacheEntry {
  const name = `c${n}`;
  const revision = asRevision(n + 1);
  return new CacheEntry({
    key: `/registry/configmaps/a/${name}`,
    namespace: "a",
    name,
    revision,
    createRevision: revision,
    json: Buffer.from(json),
    labels: undefined,
    fields: {},
  });
}

const objects = [
  `${prefix}"metadata":{"name":"c0"}}`,
  `${prefix}"metadata":{"name":"c1"},"data":{"long":"${"x".repeat(300)}"}}`,
  '{"metadata":{"name":"c2"}}',
  `${prefix}"metadata":{"name":"ü"}}`,
];
const items = objects.map((json) => (json.startsWith(prefix) ? `{${json.slice(prefix.length)}` : json));

test.each([
  { count: 0, chunk: 1000 },
  { count: 1, chunk: 1000 },
  { count: 4, chunk: 1000 },
  { count: 4, chunk: 64 },
  { count: 4, chunk: 7 },
])("a list of $count objects in chunks of $chunk bytes", async ({ count, chunk }) => {
  const body = await ListBody.of(
    systemEventLoop,
    Buffer.from(head),
    objects.slice(0, count).map(entryOf),
    Buffer.from(prefix),
  );
  const buffer = Buffer.alloc(chunk);
  const pieces: string[] = [];
  for (let used = body.fill(buffer); used > 0; used = body.fill(buffer))
    pieces.push(buffer.toString("latin1", 0, used));
  const text = Buffer.from(pieces.join(""), "latin1").toString();
  expect(text).toBe(`${head}${items.slice(0, count).join(",")}]}\n`);
  expect(body.length).toBe(Buffer.byteLength(text));
  expect(pieces.length).toBeGreaterThanOrEqual(Math.ceil(body.length / chunk));
});
