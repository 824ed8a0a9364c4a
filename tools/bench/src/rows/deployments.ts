import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../compare/comparison.ts";
import { burst, burstOf, untilWorking } from "../load/deployment-burst.ts";
import type { Row } from "../row.ts";
import { startControllerManager } from "../servers/controller-manager.ts";

/** Bursts after the first one, of which the median counts. */
const FURTHER_BURSTS = 5;
/** Milliseconds after a burst in which status and events of its last pods are written. */
const REST_MS = 1000;

/** Pods that a real controller manager creates for deployments; no scheduler is running. */
export const deployments: Row = {
  id: "deployments",
  measures: [
    {
      id: "deployments",
      work: "20 Deployments × 100 replicas to pods, the first ones of both processes",
      unit: "pods/s",
      upstream: { text: "679 pods/s", best: 679 },
    },
    {
      id: "deployments-again",
      work: `… again, median of ${FURTHER_BURSTS}`,
      unit: "pods/s",
      upstream: { text: "679 pods/s", best: 679 },
      atLeast: 1500,
    },
  ],
  async run({ quick, startServer, defer, note }) {
    const server = await startServer();
    const manager = await startControllerManager(server);
    defer(() => manager.stop());
    try {
      await untilWorking(server, "warm");
      const rates: number[] = [];
      for (let round = 0; round <= FURTHER_BURSTS; round++) {
        rates.push(await burst(server, burstOf(quick), `load-${round}`));
        await sleep(REST_MS);
      }
      const [first = 0, ...further] = rates;
      const shown = further.map((rate) => Math.round(rate).toLocaleString("en")).join(", ");
      note(`load by Node; again: ${shown} pods/s`);
      return { deployments: first, "deployments-again": median(further) };
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${manager.log(5)}`, { cause: error });
    }
  },
};
