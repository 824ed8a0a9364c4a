import { FakeClock } from "@orchernetes/kernel";
import { pod, seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { ClusterEvent } from "../framework/interfaces.ts";
import { type QueuedPod, SchedulingQueue } from "./scheduling-queue.ts";

/** A pod as the model knows it: it is due from a time on, or when one of its events occurs. */
interface Waiting {
  readonly priority: number;
  attempts: number;
  /** Number of the addition or of the last failure, whichever is later. */
  stamp: number;
  failedMs: number;
  /** Undefined while it waits for an event. */
  dueMs: number | undefined;
  event: number;
}

const initialMs = 1000;
const maxMs = 10_000;
const limitMs = 300_000;
const events = [ClusterEvent.NodeAdded, ClusterEvent.PodDeleted];

/** 1 s, 2 s, 4 s, 8 s, 10 s after the last failure. */
function backoffEnd({ attempts, failedMs }: Waiting): number {
  let delay = initialMs;
  for (let i = 1; i < attempts; i++) delay = Math.min(delay * 2, maxMs);
  return failedMs + delay;
}

/** The name of the pod that is next: of those that are due the highest priority, then the earliest addition or failure. */
function expectedNext(waiting: ReadonlyMap<string, Waiting>, nowMs: number): string | undefined {
  const due = [...waiting].filter(([, { dueMs }]) => dueMs !== undefined && dueMs <= nowMs);
  due.sort(([, a], [, b]) => b.priority - a.priority || a.stamp - b.stamp);
  return due[0]?.[0];
}

function failModel(one: Waiting, stamp: number, nowMs: number, event: number | undefined): void {
  Object.assign(one, { stamp, failedMs: nowMs, event: event ?? 0 });
  one.dueMs = event === undefined ? backoffEnd(one) : undefined;
}

test("pods are popped in the same order as from a simple list", () => {
  const next = seededNumbers(5);
  for (let round = 0; round < 60; round++) {
    const clock = new FakeClock();
    const queue = new SchedulingQueue({ clock });
    const waiting = new Map<string, Waiting>();
    let stamp = 0;
    const wake = (isWoken: (one: Waiting) => boolean) => {
      for (const one of waiting.values()) if (one.dueMs === undefined && isWoken(one)) one.dueMs = backoffEnd(one);
    };
    const add = (name: string) => {
      const priority = next(2);
      queue.add(podInfo(pod(name).priority(priority).build()));
      waiting.set(name, { priority, attempts: 0, stamp: ++stamp, failedMs: 0, dueMs: 0, event: 0 });
    };
    const finish = (name: string, one: Waiting, queued: QueuedPod) => {
      const event = events[next(events.length)] ?? 0;
      const how = next(4);
      if (how === 0) {
        queue.done(queued);
        waiting.delete(name);
      } else if (how === 1) {
        queue.failTransient(queued);
        failModel(one, ++stamp, clock.monotonicMs(), undefined);
      } else {
        queue.fail(queued, [{ name: "P", events: event }]);
        failModel(one, ++stamp, clock.monotonicMs(), event);
      }
    };
    for (let step = 0; step < 80; step++) {
      const choice = next(6);
      if (choice === 0) add(`p${round}-${step}`);
      else if (choice === 1) clock.advance(next(4) * 700);
      else if (choice === 2) {
        const event = events[next(events.length)] ?? 0;
        queue.moveAll({ resource: "Node", events: event, label: "NodeAdd" });
        wake((one) => one.event === event);
      } else if (choice === 3 && next(8) === 0) {
        clock.advance(limitMs / 2);
        queue.flushUnschedulable();
        wake(({ failedMs }) => clock.monotonicMs() - failedMs >= limitMs);
      } else {
        const name = expectedNext(waiting, clock.monotonicMs());
        const queued = queue.pop();
        expect(queued?.info.pod.metadata.name).toBe(name);
        const one = name === undefined ? undefined : waiting.get(name);
        if (name === undefined || one === undefined || queued === undefined) continue;
        one.attempts++;
        finish(name, one, queued);
      }
    }
  }
});
