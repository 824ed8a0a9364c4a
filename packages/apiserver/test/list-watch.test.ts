import {
  type ApiObject,
  decodeProtobuf,
  listSchemaOf,
  type MessageSchema,
  yamlLibrary,
} from "@orchernetes/apimachinery";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { ToySchema } from "./toy.ts";

let server: TestServer;
const toys = "/apis/toys.example.com/v1/namespaces/ns/toys";
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const names = (body: { items: { metadata: { name: string } }[] }) => body.items.map(({ metadata }) => metadata.name);

interface WatchLine {
  readonly type: string;
  /** Parsed JSON of any shape. */
  readonly object: ReturnType<typeof JSON.parse>;
}

/** Reads a stream until `count` lines came or it ended. */
async function watch(path: string, count: number, headers: Record<string, string> = {}): Promise<WatchLine[]> {
  const controller = new AbortController();
  const response = await fetch(server.url + path, {
    headers: { authorization: "Bearer admin", ...headers },
    signal: controller.signal,
  });
  const lines: WatchLine[] = [];
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const parts = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) lines.push(JSON.parse(part));
    if (lines.length >= count) break;
  }
  controller.abort();
  return lines;
}

describe.each([
  ["from the watch cache", true],
  ["from the store", false],
])("%s", (_, cached) => {
  beforeAll(async () => {
    server = await startServer({ watchCache: () => cached });
    for (const [i, name] of ["a", "b", "c", "d", "e"].entries()) {
      const labels = i % 2 === 0 ? { even: "yes" } : {};
      await server.call("POST", toys, { metadata: { name, labels }, spec: { color: i < 2 ? "blue" : "red" } });
    }
  });
  afterAll(() => server.stop());

  describe("list", () => {
    test.each([
      ["", ["a", "b", "c", "d", "e"]],
      ["labelSelector=even", ["a", "c", "e"]],
      ["fieldSelector=spec.color%3Dblue", ["a", "b"]],
      ["fieldSelector=spec.color!%3Dblue", ["c", "d", "e"]],
      ["fieldSelector=metadata.name%3Db", ["b"]],
      ["labelSelector=even&fieldSelector=spec.color%3Dblue", ["a"]],
      ["resourceVersion=0", ["a", "b", "c", "d", "e"]],
    ])("?%s", async (query, want) => {
      const { body } = await server.call("GET", `${toys}?${query}`);
      expect(body.kind).toBe("ToyList");
      expect(names(body)).toEqual(want);
      expect(body.items[0]).not.toHaveProperty("kind");
    });

    test("all pages are of one revision", async () => {
      const first = await server.call("GET", `${toys}?limit=2`);
      expect(names(first.body)).toEqual(["a", "b"]);
      expect(first.body.metadata.remainingItemCount).toBe(3);
      await server.call("POST", toys, { metadata: { name: "bb" } });
      const second = await server.call("GET", `${toys}?limit=2&continue=${first.body.metadata.continue}`);
      expect(names(second.body)).toEqual(["c", "d"]);
      expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
      const third = await server.call("GET", `${toys}?limit=2&continue=${second.body.metadata.continue}`);
      expect(names(third.body)).toEqual(["e"]);
      expect(third.body.metadata.continue).toBeUndefined();
      await server.call("DELETE", `${toys}/bb`);
    });

    test("Exact reads a past revision", async () => {
      const { body: before } = await server.call("GET", toys);
      await server.call("POST", toys, { metadata: { name: "later" } });
      const version = before.metadata.resourceVersion;
      const { body } = await server.call("GET", `${toys}?resourceVersion=${version}&resourceVersionMatch=Exact`);
      expect(names(body)).toEqual(names(before));
      await server.call("DELETE", `${toys}/later`);
    });

    test.each([
      ["fieldSelector=spec.size%3D1", 400, "field label not supported: spec.size"],
      ["labelSelector=a%20b", 400, /^unable to parse requirement/],
      ["limit=x", 400, /^the query parameter limit/],
      ["resourceVersionMatch=Exact", 422, /resourceVersionMatch is forbidden unless resourceVersion is provided/],
      ["resourceVersionMatch=Exact&resourceVersion=0", 422, /is forbidden for resourceVersion "0"/],
      ["resourceVersion=x", 422, /resourceVersion: Invalid value/],
      ["continue=x", 400, /^continue key is not valid/],
      ["continue=e30", 400, /^continue key is not valid/],
    ])("refuses ?%s", async (query, code, message) => {
      const { body } = await server.call("GET", `${toys}?${query}`);
      expect(body.code).toBe(code);
      expect(body.message).toMatch(message);
    });

    test("a revision in the future gives 504 with the cause", async () => {
      const { status, body, headers } = await server.call("GET", `${toys}?resourceVersion=999999999`);
      expect(status).toBe(504);
      expect(body.message).toMatch(/^Timeout: Too large resource version: 999999999, current: \d+$/);
      expect(headers.get("retry-after")).toBe("1");
    });

    test("a Table has the requested group", async () => {
      const { body } = await server.call("GET", `${toys}?labelSelector=even`, undefined, table);
      expect(body).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
      expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(["Name", "Color"]);
      expect(body.rows.map(({ cells }: { cells: unknown[] }) => cells)).toEqual([
        ["a", "blue"],
        ["c", "red"],
        ["e", "red"],
      ]);
      expect(body.rows[0].object).toMatchObject({
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "a" },
      });
      const none = await server.call("GET", `${toys}?includeObject=None`, undefined, table);
      expect(none.body.rows[0].object).toBeNull();
    });

    test("partial metadata can be requested, and YAML", async () => {
      const partial = await server.call("GET", toys, undefined, {
        accept: "application/json;as=PartialObjectMetadataList;g=meta.o8s.io;v=v1",
      });
      expect(partial.body.items[0]).not.toHaveProperty("spec");
      const yaml = await server.call("GET", `${toys}?labelSelector=none`, undefined, { accept: "application/yaml" });
      expect(yaml.text).toMatch(/^apiVersion: toys.example.com\/v1\nitems: \[\]\nkind: ToyList\n/);
    });

    test("a list has the same content in every encoding", async () => {
      const plain = await server.call("GET", toys);
      const pretty = await server.call("GET", `${toys}?pretty=true`);
      expect(pretty.text).toBe(JSON.stringify(plain.body, undefined, 2));
      const yaml = await server.call("GET", toys, undefined, { accept: "application/yaml" });
      expect(yamlLibrary().parse(yaml.text)).toEqual(plain.body);
      const rows = await server.call("GET", `${toys}?includeObject=None`, undefined, table);
      const prettyRows = await server.call("GET", `${toys}?includeObject=None&pretty=true`, undefined, table);
      expect(prettyRows.text).toBe(JSON.stringify(rows.body, undefined, 2));
      const headers = { authorization: "Bearer admin", accept: "application/vnd.orchernetes.protobuf" };
      const answer = await fetch(server.url + toys, { headers });
      const schema = listSchemaOf(ToySchema as unknown as MessageSchema<ApiObject>, "ToyList");
      expect(decodeProtobuf(schema, Buffer.from(await answer.arrayBuffer()))).toEqual(plain.body);
    });

    test("a list in protobuf can be decoded", async () => {
      const read = await fetch(`${server.url}${toys}/a`, {
        headers: { authorization: "Bearer admin", accept: "application/vnd.orchernetes.protobuf" },
      });
      const bytes = Buffer.from(await read.arrayBuffer());
      expect(bytes.subarray(0, 4).toString("latin1")).toBe("o8s\0");
      const written = await fetch(`${server.url}${toys}/a`, {
        method: "PUT",
        headers: { authorization: "Bearer admin", "content-type": "application/vnd.orchernetes.protobuf" },
        body: bytes,
      });
      expect(written.status).toBe(200);
    });
  });

  describe("watch", () => {
    test("a watch replays changes after a version; with a selector, objects are added and deleted as they start and stop matching", async () => {
      const { body: start } = await server.call("GET", toys);
      const merge = { "content-type": "application/merge-patch+json" };
      await server.call("POST", toys, { metadata: { name: "w", labels: { mood: "red" } } });
      await server.call("PATCH", `${toys}/w`, { metadata: { labels: { mood: "blue" } } }, merge);
      await server.call("PATCH", `${toys}/w`, { metadata: { labels: { mood: "red" } } }, merge);
      await server.call("PATCH", `${toys}/w`, { spec: { size: 3 } }, merge);
      await server.call("DELETE", `${toys}/w`);
      const version = start.metadata.resourceVersion;
      const lines = await watch(`${toys}?watch=1&labelSelector=mood%3Dred&resourceVersion=${version}`, 5);
      expect(lines.map(({ type }) => type)).toEqual(["ADDED", "DELETED", "ADDED", "MODIFIED", "DELETED"]);
      expect(lines[1]?.object.metadata.labels.mood).toBe("red");
      expect(lines[4]?.object.kind).toBe("Toy");
      const byName = await watch(`/apis/toys.example.com/v1/watch/namespaces/ns/toys/w?resourceVersion=${version}`, 5);
      expect(byName.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "MODIFIED", "MODIFIED", "DELETED"]);
    });

    test("a watch starts with the existing objects, and a bookmark ends the initial events", async () => {
      const lines = await watch(`${toys}?watch=true`, 5);
      expect(lines.map(({ object }) => object.metadata.name)).toEqual(["a", "b", "c", "d", "e"]);
      const query = "watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
      const initial = await watch(`${toys}?${query}`, 6);
      expect(initial[5]).toMatchObject({
        type: "BOOKMARK",
        object: { kind: "Toy", metadata: { annotations: { "o8s.io/initial-events-end": "true" } } },
      });
    });

    test("as Table: only the first Table of a stream has columns", async () => {
      const lines = await watch(`${toys}?watch=1`, 2, table);
      expect(lines[0]?.object.columnDefinitions).toHaveLength(2);
      expect(lines[1]?.object.columnDefinitions).toBeNull();
      expect(lines[1]?.object.rows[0].cells).toEqual(["b", "blue"]);
    });

    test("timeoutSeconds ends a watch, with a last bookmark", async () => {
      const { body } = await server.call("GET", toys);
      const version = body.metadata.resourceVersion;
      const lines = await watch(
        `${toys}?watch=1&resourceVersion=${version}&timeoutSeconds=1&allowWatchBookmarks=true`,
        99,
      );
      expect(lines.map(({ type }) => type)).toEqual(["BOOKMARK"]);
    });

    test("a watch in YAML is rejected", async () => {
      expect((await server.call("GET", `${toys}?watch=1`, undefined, { accept: "application/yaml" })).status).toBe(406);
    });
  });
});
