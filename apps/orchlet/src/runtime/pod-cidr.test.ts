import type { CriClient } from "@orchernetes/cri";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { PodCidr } from "./pod-cidr.ts";

function runtime(failures = 0) {
  const told: unknown[] = [];
  let left = failures;
  const updateRuntimeConfig = async (request: { runtimeConfig: { networkConfig: { podCidr: string } } }) => {
    if (left-- > 0) throw new Error("not yet");
    told.push(request.runtimeConfig.networkConfig.podCidr);
    return {};
  };
  return { told, podCidr: new PodCidr({ runtime: { updateRuntimeConfig } } as unknown as CriClient, silentLogger) };
}

test("a range is sent to the runtime once, and again when it changes", async () => {
  const { told, podCidr } = runtime();
  for (const cidr of ["", "10.1.0.0/24", "10.1.0.0/24", "10.1.0.0/24,fd00::/64"]) await podCidr.apply(cidr);
  expect(told).toEqual(["10.1.0.0/24", "10.1.0.0/24,fd00::/64"]);
});

// shows: podCIDR
test("podCIDR of a standalone agent is sent to the runtime until the runtime accepts it", async () => {
  const { told, podCidr } = runtime(2);
  const clock = new FakeClock();
  const kept = podCidr.keep("10.1.0.0/24", clock, new AbortController().signal);
  await clock.advanceAsync(20_000);
  await kept;
  expect(told).toEqual(["10.1.0.0/24"]);
});
