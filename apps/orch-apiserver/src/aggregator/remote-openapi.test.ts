import { describe, expect, test } from "vitest";
import { ApiServiceTable } from "./api-service-table.ts";
import type { ExtensionClient } from "./extension-client.ts";
import { ExtensionOpenApi } from "./remote-openapi.ts";

interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly etag?: string;
}

/** APIServices `v1.a…` and `v2.a…` of one server, `v1.b…` of another, and one that is not available. */
function table(): ApiServiceTable {
  const made = new ApiServiceTable();
  const add = (name: string, service: string, status: string) => {
    const [version, ...rest] = name.split(".");
    const spec = { group: rest.join("."), version, service: { namespace: "n", name: service, port: 443 } };
    const object = { metadata: { name }, spec, status: { conditions: [{ type: "Available", status }] } };
    events.onEvent({ type: "ADDED", name, object });
  };
  const events = { onEvent: (_event: object): void => undefined };
  const registry = {
    forDefinition: () => ({
      follow: (listener: typeof events) => {
        events.onEvent = listener.onEvent;
      },
    }),
  };
  void made.follow(registry as never, new AbortController().signal);
  add("v1.a.example.com", "a", "True");
  add("v2.a.example.com", "a", "True");
  add("v1.b.example.com", "b", "True");
  add("v1.c.example.com", "c", "False");
  return made;
}

function openApi(answers: (service: string, asked: number) => Answer | Error) {
  const asked: string[] = [];
  const clock = { ms: 0, nowMs: () => clock.ms };
  const client = {
    fetch: async (remote: { service: { name: string } }, { path, headers }: { path: string; headers: object }) => {
      asked.push(`${remote.service.name} ${path} ${JSON.stringify(headers)}`);
      const answer = answers(remote.service.name, asked.length);
      if (answer instanceof Error) throw answer;
      const { status = 200, body = "{}", etag } = answer;
      return { status, headers: { etag }, body: Buffer.from(body), url: "" };
    },
  } as unknown as ExtensionClient;
  const { signal } = new AbortController();
  return { asked, clock, documents: new ExtensionOpenApi({ table: table(), client, clock, signal }) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const index = (...paths: string[]): string =>
  JSON.stringify({
    paths: Object.fromEntries(paths.map((path) => [path, { serverRelativeURL: `/x?hash=H-${path}` }])),
  });

test("each available server is asked once a minute, and later askers get what is there", async () => {
  const { asked, clock, documents } = openApi((service, n) => ({ body: `"${service}${n}"`, etag: `"${n}"` }));
  const bodies = async () => (await documents.version2()).documents.map(({ body }) => String(body));
  expect(await bodies()).toEqual(['"a1"', '"b2"']);
  expect(await bodies()).toEqual(['"a1"', '"b2"']);
  expect(asked).toEqual(["a /openapi/v2 {}", "b /openapi/v2 {}"]);
  const { revision } = await documents.version2();
  clock.ms = 60_000;
  expect(await bodies()).toEqual(['"a1"', '"b2"']);
  await settled();
  expect(asked.slice(2)).toEqual([
    'a /openapi/v2 {"if-none-match":"\\"1\\""}',
    'b /openapi/v2 {"if-none-match":"\\"2\\""}',
  ]);
  expect(await bodies()).toEqual(['"a3"', '"b4"']);
  expect((await documents.version2()).revision).not.toBe(revision);
});

test("what did not change keeps its revision", async () => {
  const { clock, documents } = openApi((_, n) => (n <= 2 ? { etag: '"1"' } : { status: 304 }));
  const { revision } = await documents.version2();
  clock.ms = 60_000;
  await documents.version2();
  await settled();
  expect((await documents.version2()).revision).toBe(revision);
});

test("a server that fails is left out; one that fails later is shown as it was", async () => {
  const { clock, documents } = openApi((service, n) => (service === "a" || n > 2 ? new Error("down") : { body: "1" }));
  const groups = async () =>
    (await documents.version2()).documents.flatMap(({ groupVersions }) => groupVersions.map(({ group }) => group));
  expect(await groups()).toEqual(["b.example.com"]);
  clock.ms = 60_000;
  await documents.version2();
  await settled();
  expect(await groups()).toEqual(["b.example.com"]);
});

test("group versions of one server share its document", async () => {
  const { documents } = openApi(() => ({}));
  expect((await documents.version2()).documents.map(({ groupVersions }) => groupVersions.length)).toEqual([2, 1]);
});

describe("the index of version 3", () => {
  const [a1, a2, b1] = ["apis/a.example.com/v1", "apis/a.example.com/v2", "apis/b.example.com/v1"] as const;
  test.each<[string, string, readonly (readonly [string, string])[]]>([
    [
      "hashes of the group versions that are the server's",
      index(a1, a2, b1, "apis/apps/v1"),
      [a1, a2, b1].map((p) => [p, `H-${p}`]),
    ],
    [
      "no hash",
      JSON.stringify({ paths: { [a1]: {}, [b1]: null } }),
      [
        [a1, ""],
        [b1, ""],
      ],
    ],
    ["no index", "[]", []],
    ["no JSON", "<html>", []],
  ])("%s", async (_, body, want) => {
    const { documents } = openApi(() => ({ body }));
    expect([...(await documents.version3())]).toEqual(want);
  });
});
