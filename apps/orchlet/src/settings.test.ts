import { expect, test, vi } from "vitest";
import { readSettings } from "./settings.ts";

vi.mock("./node/machine-info.ts", () => ({ swapDevices: () => ["/dev/swap"] }));

test.each([
  [new Map(), true],
  [new Map([["failSwapOn", true]]), true],
  [new Map([["failSwapOn", false]]), false],
])("a machine that swaps is a fault with %j: %s", async (given, isFault) => {
  const { faults } = await readSettings("", given);
  expect(faults.some((fault) => fault.includes("swap is on (/dev/swap)"))).toBe(isFault);
});
