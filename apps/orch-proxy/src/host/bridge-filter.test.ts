import { silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { ensureBridgeFilter } from "./bridge-filter.ts";

test.each([
  ["kept if it is there", "0", []],
  ["loaded if it is missing", undefined, ["loaded"]],
])("the module of bridges is %s", async (_, value, want) => {
  const done: string[] = [];
  const parameters = { read: async () => value, write: async () => undefined };
  await ensureBridgeFilter(parameters, silentLogger, async () => void done.push("loaded"));
  expect(done).toEqual(want);
});

test("a module that cannot be loaded is a warning with the reason", async () => {
  const lines: unknown[] = [];
  const logger = { ...silentLogger, warn: (message: string, values?: object) => lines.push([message, values]) };
  const parameters = { read: async () => undefined, write: async () => undefined };
  await ensureBridgeFilter(parameters, logger, () => Promise.reject(new Error("not permitted")));
  expect(lines).toEqual([["Unable to load the kernel module br_netfilter", { error: "not permitted" }]]);
});
