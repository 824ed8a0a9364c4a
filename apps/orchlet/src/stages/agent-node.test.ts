import { expect, test } from "vitest";
import { testConfig } from "../testing/config.ts";
import { reservedByEviction } from "./agent-node.ts";

// shows: --experimental-allocatable-ignore-eviction
test("eviction thresholds are subtracted from allocatable unless --experimental-allocatable-ignore-eviction is set", () => {
  const settings = { evictionHard: { "memory.available": "1Gi" } };
  expect(reservedByEviction(testConfig("/none", { settings }))).toEqual(settings.evictionHard);
  expect(reservedByEviction(testConfig("/none", { settings, allocatableIgnoresEviction: true }))).toEqual({});
});
