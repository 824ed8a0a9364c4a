import { expect, test } from "vitest";
import { ChangeHub } from "./change-hub.ts";
import type { StoreError } from "./errors.ts";
import { asRevision } from "./revision.ts";
import type { Change, ChangeSink } from "./store.ts";

const change = (revision: number): Change => ({
  type: "delete",
  key: `/a/${revision}`,
  revision: asRevision(revision),
});

/** A sink that records what it receives, and throws at the revisions in `failsAt`. */
function recordingSink(failsAt: readonly number[] = []) {
  const seen: number[] = [];
  const ends: (StoreError | undefined)[] = [];
  const sink: ChangeSink = {
    onBatch({ changes, revision }) {
      seen.push(...changes.map((one) => one.revision));
      if (failsAt.includes(revision)) throw new Error("on purpose");
    },
    onEnd: (error) => void ends.push(error),
  };
  return { sink, seen, ends };
}

test("a sink that throws ends and must list again; the others receive each batch once", () => {
  const hub = new ChangeHub(asRevision(1));
  const [before, failing, after] = [recordingSink(), recordingSink([2]), recordingSink()];
  for (const { sink } of [before, failing, after]) hub.attach("/a/", sink);
  const reached: string[] = [];
  hub.whenReached(asRevision(2), () => reached.push("2"));
  const publish = (revision: number) => hub.publish([change(revision)], asRevision(revision));
  publish(2);
  // As a stream that broke is opened again: it repeats what the hub has not taken.
  for (const revision of [2, 3]) publish(revision);
  expect([before.seen, failing.seen, after.seen]).toEqual([[2, 3], [2], [2, 3]]);
  expect([before.ends, after.ends]).toEqual([[], []]);
  expect(failing.ends).toMatchObject([
    { reason: "Compacted", message: expect.stringContaining("up to revision 2: on purpose") },
  ]);
  expect([hub.position, reached]).toEqual([3, ["2"]]);
});

test("a hub whose only sink has failed has no listener", () => {
  const hub = new ChangeHub(asRevision(1));
  const detach = hub.attach("/a/", recordingSink([2]).sink);
  hub.publish([change(2)], asRevision(2));
  expect(hub.listening).toBe(false);
  expect(detach).not.toThrow();
});
