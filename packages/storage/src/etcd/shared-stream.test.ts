import { silentLogger } from "@orchernetes/kernel";
import { EventType, type IKeyValue } from "etcd3/lib/rpc.js";
import { expect, onTestFinished, test } from "vitest";
import { StoreError } from "../errors.ts";
import { asRevision } from "../revision.ts";
import type { WatchBatch } from "../store.ts";
import { KeySpace } from "./key-space.ts";
import { SharedStream } from "./shared-stream.ts";
import type { WatchResponse, WatchSink } from "./transport.ts";

/** A response of etcd with one new key, whose number is its revision. */
const response = (revision: number): WatchResponse =>
  ({
    events: [
      {
        type: EventType.Put,
        kv: {
          key: Buffer.from(`/a/${revision}`),
          value: Buffer.from("{}"),
          create_revision: String(revision),
          mod_revision: String(revision),
        } as IKeyValue,
      },
    ],
    fragment: false,
    canceled: false,
  }) as unknown as WatchResponse;

/** A stream of an etcd that is this test, with one subscriber that has joined it. */
async function follow() {
  const sinks: WatchSink[] = [];
  const startRevisions: unknown[] = [];
  const stream = new SharedStream({
    transport: {
      watch(request, sink) {
        startRevisions.push(request.start_revision);
        sinks.push(sink);
        return { cancel: () => undefined };
      },
      failed: () => undefined,
    },
    keys: new KeySpace("", ""),
    after: asRevision(1),
    latest: async () => asRevision(1),
    logger: silentLogger,
  });
  onTestFinished(() => stream.close());
  const batches: WatchBatch[] = [];
  stream.subscribe("/a/", asRevision(1), { onBatch: (batch) => void batches.push(batch), onEnd: () => undefined });
  await new Promise((joined) => setImmediate(joined));
  return {
    stream,
    startRevisions,
    receive: (...revisions: readonly number[]) => {
      for (const revision of revisions) sinks.at(-1)?.onResponse(response(revision));
    },
    breakStream: () => sinks.at(-1)?.onEnd(new StoreError("Unavailable", "on purpose")),
    /** Revisions of each batch, after the one that the batch is complete to. */
    seen: () => batches.map(({ changes, revision }) => [revision, changes.map((change) => change.revision)]),
  };
}

test("revisions that arrive in one read are one batch, delivered before promises that this read resolves", async () => {
  const { stream, receive, seen } = await follow();
  const order: unknown[] = [];
  const commit = Promise.withResolvers<void>();
  const committed = commit.promise.then(() => order.push(stream.position));
  await new Promise<void>((read) =>
    setImmediate(() => {
      // As a read from the socket: a response to a commit between those of the watch.
      receive(2);
      commit.resolve();
      receive(3, 4);
      expect([stream.position, seen()]).toEqual([1, []]);
      read();
    }),
  );
  await committed;
  expect([order, seen()]).toEqual([[4], [[4, [2, 3, 4]]]]);
  receive(5);
  await new Promise((next) => setImmediate(next));
  expect(seen()).toEqual([
    [4, [2, 3, 4]],
    [5, [5]],
  ]);
});

test("what was received before the stream broke is delivered, and the next stream starts after it", async () => {
  const { receive, breakStream, seen, startRevisions } = await follow();
  receive(2, 3);
  breakStream();
  expect(seen()).toEqual([[3, [2, 3]]]);
  await expect.poll(() => startRevisions).toEqual([2, 4]);
});

test("a stream that is closed delivers nothing that it has received", async () => {
  const { stream, receive, seen } = await follow();
  receive(2);
  stream.close();
  await new Promise((next) => setImmediate(next));
  expect(seen()).toEqual([]);
});
