import type { core } from "@orchernetes/api";
import type { Lister } from "@orchernetes/client";
import { systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { ManagerContext } from "../../shared/define-controller.ts";
import { Monitors } from "./monitors.ts";

test("a resource whose discovery failed is discovered again, and its limit is not counted as unused", async () => {
  let lookups = 0;
  const things = {
    ...{ group: "example.com", version: "v1", plural: "things", kind: "Thing", scope: "Namespaced" },
    verbs: new Set(["list", "watch"]),
  };
  const context = {
    clock: systemClock,
    signal: new AbortController().signal,
    informers: {
      informer: () => ({ addHandler: () => undefined, waitForSync: async () => undefined, lister: { list: () => [] } }),
    },
    discovery: {
      async refresh() {
        lookups += 1;
        if (lookups === 1) throw new Error("not now");
        return { resources: [things], failures: new Map() };
      },
    },
  } as unknown as ManagerContext;
  const none = { list: () => [] } as unknown as Lister<core.ResourceQuota>;
  const monitors = new Monitors(context, none, () => undefined);
  const names = ["count/things.example.com"];
  await expect(monitors.stock(names, "ns")).rejects.toThrow("not now");
  expect((await monitors.stock(names, "ns")).map(({ evaluator }) => evaluator.plural)).toEqual(["things"]);
  await monitors.stock(["count/others.example.com"], "ns");
  expect(lookups).toBe(2);
});
