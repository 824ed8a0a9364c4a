import { describe, expect, test } from "vitest";
import type { ApiResponse, Requests } from "./api-access.ts";
import { checkHistory } from "./check-history.ts";
import { newestRevision } from "./history.ts";
import { settle } from "./settle.ts";

interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data: { readonly id: string };
}

/** A server that stores every write, from revision 11 on, but answers the first ones with an error. */
function server(errors: number) {
  const stored: Stored[] = [];
  const access: Requests = {
    path: "/api/v1/namespaces/round/configmaps",
    async send(method, _, body): Promise<ApiResponse> {
      if (method === "GET") return { code: 200, body: { metadata: { resourceVersion: newest() }, items: stored } };
      const { metadata, data } = body as Stored;
      const object = { metadata: { name: metadata.name, resourceVersion: String(11 + stored.length) }, data };
      stored.push(object);
      return stored.length <= errors ? { code: 500, body: {} } : { code: 201, body: object };
    },
  };
  const newest = (): string => String(10 + stored.length);
  /** The events of a watch from revision 10 on. */
  const session = () => ({
    client: 1,
    after: 10,
    records: stored.map(({ metadata: { name, resourceVersion }, data: { id } }) => ({
      type: "ADDED" as const,
      seen: { key: name, revision: Number(resourceVersion), id },
    })),
  });
  return { access, stored, session };
}

describe("the end of a round", () => {
  test.each([
    { name: "a write at once", errors: 0, position: 11, want: ["create ok", "list listed"], failure: undefined },
    {
      name: "a write in the end",
      errors: 2,
      position: 13,
      want: ["create unknown", "create unknown", "create ok", "list listed"],
      failure: undefined,
    },
    {
      name: "a watch that stands still",
      errors: 1,
      position: 11,
      want: ["create unknown", "create ok", "list listed"],
      failure: "waited 0.2 s for every watch to reach 12",
    },
  ])("$name", async ({ errors, position, want, failure }) => {
    const { access, session } = server(errors);
    const watches = [{ position: Number.POSITIVE_INFINITY }, { position }];
    const settled = await settle({ access, client: 4, watches, timeoutMs: failure === undefined ? 60_000 : 200 });
    expect(settled.failure).toBe(failure);
    expect(settled.operations.map(({ request, outcome }) => `${request.type} ${outcome.type}`)).toEqual(want);
    expect(checkHistory({ operations: settled.operations, sessions: [session()] })).toEqual([]);
  });

  test("writes that are executed without a response are recorded", async () => {
    const { access, stored, session } = server(Number.POSITIVE_INFINITY);
    const { operations, failure } = await settle({ access, client: 4, watches: [], timeoutMs: 200 });
    expect(failure).toBe("waited 0.2 s for a write to work");
    expect(operations).toHaveLength(stored.length + 1);
    const history = { operations, sessions: [session()] };
    expect(checkHistory(history)).toEqual([]);
    // Without them, the watch would have delivered versions that no client wrote.
    expect(checkHistory({ ...history, operations: [] })).not.toEqual([]);
  });
});

test.each([
  ["nothing", [], [], 0],
  ["a list", [{ type: "listed", revision: 7, items: [] }], [], 7],
  ["a read or write", [{ type: "unknown" }, { type: "ok", seen: { key: "a", revision: 8, id: "i" } }], [], 8],
  ["a list that a watch began with", [{ type: "notFound" }], [{ client: 1, after: 9, records: [] }], 9],
  [
    "an event or a bookmark",
    [{ type: "listed", revision: 7, items: [] }],
    [
      { client: 1, after: 1, records: [{ type: "ADDED", seen: { key: "a", revision: 5, id: "i" } }] },
      { client: 2, after: 1, records: [{ type: "BOOKMARK", revision: 12 }] },
    ],
    12,
  ],
] as const)("the newest revision of a history with %s", (_, outcomes, sessions, want) => {
  const operations = outcomes.map((outcome) => ({
    client: 0,
    request: { type: "list" } as const,
    outcome,
    startMs: 0,
    endMs: 1,
  }));
  expect(newestRevision({ operations, sessions })).toBe(want);
});
