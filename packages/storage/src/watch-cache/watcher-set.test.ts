import { FakeEventLoop } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { asRevision } from "../revision.ts";
import type { CacheEntry } from "./cache-entry.ts";
import type { CacheEvent } from "./entry.ts";
import { CacheWatcher } from "./watcher.ts";
import { WatcherSet } from "./watcher-set.ts";

/** Watchers of all objects, each of which takes `takesMs` for its events, on an event loop that the test steps. */
function crowd(size: number, takesMs: number) {
  const loop = new FakeEventLoop();
  const set = new WatcherSet([], loop);
  const got: string[] = [];
  const watchers = Array.from({ length: size }, (_, index) => {
    const watcher: CacheWatcher = new CacheWatcher(
      { bookmarks: true },
      { after: asRevision(0), initial: [], now: () => asRevision(9), left: () => set.remove(watcher) },
    );
    const tell = (what: string) => {
      loop.pass(takesMs);
      got.push(`${index}:${what}`);
    };
    watcher.onEvents((events) => tell(events.map((event) => nameOf(event)).join("+")));
    watcher.onEnd(tell);
    set.add(watcher);
    return watcher;
  });
  return {
    set,
    watchers,
    /** What the watchers received since the last call. */
    told: () => got.splice(0),
    offer: (revision: number) =>
      set.offer({
        revision: asRevision(revision),
        current: { namespace: "", name: String(revision), fields: {} } as unknown as CacheEntry,
        previous: undefined,
      }),
    /** Runs the next turn, if one was requested. */
    turn() {
      loop.turn();
      return got.splice(0);
    },
  };
}

function nameOf(event: CacheEvent): string {
  return event.type === "BOOKMARK" ? `bookmark ${event.revision}` : event.entry.name;
}

test.each([
  { name: "few watchers get a change at once", size: 3, takesMs: 1, slices: [["0:1", "1:1", "2:1"], []] },
  { name: "a crowd in slices", size: 5, takesMs: 5, slices: [["0:1", "1:1"], ["2:1", "3:1"], ["4:1"], []] },
])("$name", ({ size, takesMs, slices }) => {
  const { set, offer, told, turn } = crowd(size, takesMs);
  offer(1);
  set.flush();
  expect([told(), ...slices.slice(1).map(turn)]).toEqual(slices);
});

test("a watcher that waits for its slice gets later events with it, in order and once", () => {
  const { set, offer, told, turn } = crowd(4, 5);
  offer(1);
  set.flush();
  offer(2);
  set.flush();
  expect([told(), turn(), turn(), turn()]).toEqual([["0:1", "1:1"], ["2:1+2", "3:1+2"], ["0:2", "1:2"], []]);
});

test("bookmarks are delivered in slices, too", () => {
  const { set, told, turn } = crowd(3, 5);
  set.bookmark(asRevision(7));
  expect([told(), turn()]).toEqual([["0:bookmark 7", "1:bookmark 7"], ["2:bookmark 7"]]);
});

test("many watchers end in slices, and get no events from then on", () => {
  const { set, offer, told, turn } = crowd(3, 5);
  set.end("expired");
  expect([told(), set.size]).toEqual([["0:expired", "1:expired"], 0]);
  offer(1);
  set.flush();
  expect([turn(), turn()]).toEqual([["2:expired"], []]);
});

test("a watcher that is stopped while it waits gets no events, and ends once", () => {
  const { set, offer, told, turn, watchers } = crowd(3, 5);
  offer(1);
  set.flush();
  told();
  watchers[2]?.stop();
  watchers[2]?.stop();
  expect([told(), turn(), set.size]).toEqual([["2:aborted"], [], 2]);
});
