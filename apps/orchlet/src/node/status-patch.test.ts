import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { testNode } from "../testing/nodes.ts";
import { hasNewResources } from "./node-object.ts";
import { statusPatch } from "./status-patch.ts";

const status = (changes: object): core.NodeStatus => ({ ...testNode({}).status, ...changes });
const ready = { type: "Ready", status: "True" } as const;
const other = { type: "NetworkUnavailable", status: "False" } as const;

test.each<[string, object, object, object]>([
  ["nothing new", {}, {}, { conditions: [] }],
  [
    "a changed amount",
    { capacity: { cpu: "2", "e.com/x": "5" } },
    { capacity: { cpu: "4", "e.com/x": "5" } },
    { capacity: { cpu: "4" }, conditions: [] },
  ],
  [
    "an amount that is no more",
    { allocatable: { cpu: "2", "e.com/x": "5" } },
    { allocatable: { cpu: "2" } },
    { allocatable: { "e.com/x": null }, conditions: [] },
  ],
  [
    "one of several conditions",
    { conditions: [{ ...ready, status: "False" }, other] },
    { conditions: [ready, other] },
    { conditions: [ready] },
  ],
  [
    "an address of another type",
    { addresses: [{ type: "ExternalIP", address: "1.2.3.4" }] },
    { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] },
    {
      addresses: [
        { type: "InternalIP", address: "10.0.0.1" },
        { $patch: "delete", type: "ExternalIP" },
      ],
      conditions: [],
    },
  ],
  ["volumes that others attach", { volumesAttached: [{ name: "a", devicePath: "" }] }, {}, { conditions: [] }],
])("the patch of a node's status contains %s and nothing else", (_, shown, wanted, patch) => {
  expect(statusPatch(status(shown), { ...status(shown), ...wanted })).toEqual(patch);
});

test.each([
  [{ capacity: { cpu: "2" }, allocatable: { cpu: "1" } }, false],
  [{ capacity: { "e.com/x": "5" }, allocatable: {} }, true],
  [{ capacity: { "e.com/x": "5" }, allocatable: { "e.com/x": "5" } }, false],
  [{ capacity: {}, allocatable: { "e.com/x": "5" } }, true],
])("a status with %j has new resources: %s", (changes, want) => {
  expect(hasNewResources(status(changes))).toBe(want);
});
