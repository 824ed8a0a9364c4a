import { expect, test } from "vitest";
import { type NodeHealth, nodeConditions } from "./conditions.ts";

const now = new Date("2026-01-02T00:00:00Z");
const before = "2026-01-01T00:00:00Z";
const healthy: NodeHealth = { errors: [], pressure: { memory: false, disk: false, pids: false } };

const statusesOf = (health: NodeHealth) =>
  Object.fromEntries(nodeConditions(health, [], now).map(({ type, status }) => [type, status]));

test.each<[string, NodeHealth, Record<string, string>]>([
  [
    "a healthy node is ready and not under pressure",
    healthy,
    { Ready: "True", MemoryPressure: "False", DiskPressure: "False", PIDPressure: "False" },
  ],
  [
    "pressure does not make a node unready",
    { ...healthy, pressure: { memory: true, disk: true, pids: true } },
    { Ready: "True", MemoryPressure: "True", DiskPressure: "True", PIDPressure: "True" },
  ],
  ["an error makes a node unready", { ...healthy, errors: ["down"] }, { Ready: "False", MemoryPressure: "False" }],
])("%s", (_, health, want) => {
  expect(statusesOf(health)).toMatchObject(want);
});

test.each<[Partial<NodeHealth>, string, string]>([
  [{ errors: ["a", "b", "a"] }, "OrchletNotReady", "[a, b]"],
  [{ errors: ["a", "a"], hasAppArmor: true }, "OrchletNotReady", "a"],
  [{}, "OrchletReady", "orchlet is posting ready status"],
  [{ hasAppArmor: true }, "OrchletReady", "orchlet is posting ready status. AppArmor enabled"],
])("with %j, the condition Ready has reason %s and message %s", (changes, reason, message) => {
  const ready = nodeConditions({ ...healthy, ...changes }, [], now).find(({ type }) => type === "Ready");
  expect(ready).toMatchObject({ reason, message });
});

test("the transition time changes only with the status, the heartbeat always", () => {
  const shown = [
    { type: "Ready", status: "True", lastTransitionTime: before },
    { type: "DiskPressure", status: "True", lastTransitionTime: before },
  ] as const;
  const conditions = new Map(nodeConditions(healthy, shown, now).map((condition) => [condition.type, condition]));
  expect(conditions.get("Ready")).toMatchObject({
    lastTransitionTime: before,
    lastHeartbeatTime: "2026-01-02T00:00:00Z",
  });
  expect(conditions.get("DiskPressure")).toMatchObject({ status: "False", lastTransitionTime: "2026-01-02T00:00:00Z" });
});

test("conditions of other writers are kept", () => {
  const other = { type: "NetworkUnavailable", status: "False", lastTransitionTime: before } as const;
  expect(nodeConditions(healthy, [other], now)).toContainEqual(other);
});
