import { expect, test } from "vitest";
import { fullBatch } from "../nft/batch.ts";
import { sourceTable } from "./source-table.ts";

test("each port may send from the addresses of its pod", () => {
  const { sets } = sourceTable("sources", [
    { name: "veth1", addresses: ["10.0.0.2", "fd00::2"] },
    { name: "veth2", addresses: ["10.0.0.3"] },
  ]);
  expect(sets.map(({ name, elements }) => [name, [...elements.keys()]])).toEqual([
    ["ports", ['"veth1"', '"veth2"']],
    ["sources4", ['"veth1" . 10.0.0.2', '"veth2" . 10.0.0.3']],
    ["sources6", ['"veth1" . fd00:0:0:0:0:0:0:2']],
  ]);
});

test("no text of a file gets into the batch as it is", () => {
  const { sets } = sourceTable("sources", [
    { name: 'x"; flush ruleset; "', addresses: ["10.0.0.2"] },
    { name: "veth1", addresses: ["10.0.0.2; flush ruleset", "10.0.0.2/24"] },
    { name: "veth*", addresses: ["10.0.0.2"] },
    { name: "veth2", addresses: [] },
  ]);
  expect(sets.every(({ elements }) => elements.size === 0)).toBe(true);
  expect(fullBatch(sourceTable("sources", []))).not.toContain("element");
});
