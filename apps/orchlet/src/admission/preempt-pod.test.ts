import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import type { PodFailure } from "../types/pod-failure.ts";
import { createPreemption } from "./preempt-pod.ts";

function preemption(known = true) {
  const clock = new FakeClock();
  const failures: PodFailure[] = [];
  const done: string[] = [];
  const end = Promise.withResolvers<void>();
  const agent = new AbortController();
  const preempt = createPreemption({
    end(_, failure) {
      failures.push(failure);
      return known ? end.promise : undefined;
    },
    recordEvent: (_, reason, message) => void done.push(`${reason}: ${message}`),
    count: (resource) => void done.push(`counted ${resource}`),
    disruption: true,
    clock,
    logger: silentLogger,
    signal: agent.signal,
  });
  return { clock, failures, done, end, agent, preempt };
}
const event = "Preempting: Preempted in order to admit critical pod";

test("a victim ends in phase Failed, with an event, and is counted when it has terminated", async () => {
  const { preempt, end, done, failures, clock } = preemption();
  const preempted = preempt(testPod({}), "cpu");
  expect(done).toEqual([event]);
  expect(failures).toEqual([
    {
      reason: "Preempting",
      message: "Preempted in order to admit critical pod",
      disruption: true,
      disruptionMessage: "Pod was preempted by Orchlet to accommodate a critical pod.",
    },
  ]);
  end.resolve();
  await preempted;
  expect(done).toEqual([event, "counted cpu"]);
  // Nothing is left that would wake later.
  clock.advance(60_000);
  expect(done).toHaveLength(2);
});

test.each([
  [30, 45_000],
  [0, 10_000],
])(
  "for a victim with a grace period of %d s, the agent waits up to %d ms",
  async (terminationGracePeriodSeconds, ms) => {
    const { preempt, done, clock } = preemption();
    let isOver = false;
    const preempted = preempt(testPod({ terminationGracePeriodSeconds }), "cpu").then(() => {
      isOver = true;
    });
    clock.advance(ms - 1);
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    clock.advance(1);
    await preempted;
    expect(done).toEqual([
      event,
      "ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.",
    ]);
  },
);

test("preemption does not wait for a pod that is already gone, or when the agent stops", async () => {
  await expect(preemption(false).preempt(testPod({}), "cpu")).resolves.toBeUndefined();
  const { preempt, agent, done } = preemption();
  const preempted = preempt(testPod({}), "cpu");
  agent.abort();
  await preempted;
  expect(done).toEqual([event]);
});

test("an agent that stops evicts no further victim", async () => {
  const { preempt, agent, done, failures } = preemption();
  agent.abort();
  await preempt(testPod({}), "cpu");
  expect([done, failures]).toEqual([[], []]);
});
