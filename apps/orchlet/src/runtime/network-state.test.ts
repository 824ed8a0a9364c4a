import type { CriClient } from "@orchernetes/cri";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { NetworkState } from "./network-state.ts";

const broken = { type: "NetworkReady", status: false, reason: "NetworkPluginNotReady", message: "no CNI" };

test("while the network does not work, the runtime is asked again, but not for each of many pods", async () => {
  const clock = new FakeClock("2026-01-01T00:00:00Z");
  let asked = 0;
  let answer: () => Promise<object> = async () => ({ status: { conditions: [broken] } });
  const runtime = {
    status() {
      asked += 1;
      return answer();
    },
  };
  const network = new NetworkState({ runtime } as unknown as CriClient, clock);
  expect([await network.error(), asked]).toEqual([undefined, 0]);
  network.note("container runtime network not ready: x");
  expect([await network.error(), asked]).toEqual(["container runtime network not ready: x", 0]);
  clock.advance(1000);
  const message = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:no CNI";
  expect(await Promise.all([network.error(), network.error()])).toEqual([message, message]);
  expect(asked).toBe(1);
  clock.advance(1000);
  answer = () => Promise.reject(new Error("the runtime is away"));
  expect(await network.error()).toBe(message);
  clock.advance(1000);
  answer = async () => ({ status: { conditions: [{ ...broken, status: true }] } });
  expect([await network.error(), await network.error(), asked]).toEqual([undefined, undefined, 3]);
});
