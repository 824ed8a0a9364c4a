import { describe, expect, test } from "vitest";
import { noPacketFilter, rulesAfterEach } from "../testing/packet-filter.ts";
import { changeBatch, fullBatch, removeBatch } from "./batch.ts";
import type { NftChain, NftSet, NftTable } from "./table.ts";

const hook: NftChain["hook"] = { type: "filter", hook: "input", priority: 0 };
const blocked: NftSet = {
  kind: "set",
  name: "blocked",
  definition: "type ipv4_addr;",
  elements: new Map([
    ["192.0.2.1", ""],
    ["192.0.2.2", ""],
  ]),
};
const ports: NftSet = {
  kind: "map",
  name: "ports",
  definition: "type inet_proto . inet_service : verdict;",
  elements: new Map([["tcp . 80", "goto web"]]),
};
const input: NftChain = {
  name: "input",
  hook,
  rules: ["ip saddr @blocked drop", "meta l4proto . th dport vmap @ports"],
};
const web: NftChain = { name: "web", rules: ["counter accept"] };
const base: NftTable = { family: "inet", name: "demo", sets: [blocked, ports], chains: [input, web] };

const elements = (set: NftSet, entries: Readonly<Record<string, string>>): NftSet => ({
  ...set,
  elements: new Map(Object.entries(entries)),
});

const variants: readonly (readonly [string, NftTable])[] = [
  [
    "an element more",
    { ...base, sets: [elements(blocked, { "192.0.2.1": "", "192.0.2.2": "", "192.0.2.3": "" }), ports] },
  ],
  ["an element less", { ...base, sets: [elements(blocked, { "192.0.2.1": "" }), ports] }],
  ["no elements", { ...base, sets: [elements(blocked, {}), elements(ports, {})] }],
  [
    "a map's element with another value, which is a new chain",
    {
      ...base,
      sets: [blocked, elements(ports, { "tcp . 80": "goto other", "udp . 53": "drop" })],
      chains: [input, { name: "other", rules: ["counter drop"] }],
    },
  ],
  ["other rules", { ...base, chains: [{ ...input, rules: ["ct state established accept", ...input.rules] }, web] }],
  [
    "a chain that another one jumps to",
    { ...base, chains: [input, { name: "more", rules: [] }, { ...web, rules: ["jump more"] }] },
  ],
  [
    "a set less, and the rule that uses it",
    { ...base, sets: [ports], chains: [{ ...input, rules: input.rules.slice(1) }, web] },
  ],
  [
    "a verdict map less with its chain",
    { ...base, sets: [blocked], chains: [{ ...input, rules: input.rules.slice(0, 1) }] },
  ],
  [
    "a set more",
    {
      ...base,
      sets: [blocked, ports, { ...blocked, name: "allowed" }],
      chains: [{ ...input, rules: ["ip saddr @allowed accept"] }, web],
    },
  ],
  [
    "a set with another definition",
    {
      ...base,
      sets: [elements({ ...blocked, definition: "type ipv4_addr; flags interval;" }, { "192.0.2.0/24": "" }), ports],
    },
  ],
  [
    "another policy of a chain",
    { ...base, chains: [{ ...input, hook: { type: "filter", hook: "input", priority: 0, policy: "drop" } }, web] },
  ],
  ["another name", { ...base, name: "other" }],
  ["nothing", { ...base, sets: [], chains: [] }],
];

test("tables with the same contents have no difference", () => {
  expect(changeBatch(base, structuredClone(base))).toBeUndefined();
});

test("a full batch replaces what was in the table", () => {
  expect(fullBatch(base).split("\n")).toEqual([
    "add table inet demo",
    "delete table inet demo",
    "add table inet demo",
    "add set inet demo blocked { type ipv4_addr; }",
    "add map inet demo ports { type inet_proto . inet_service : verdict; }",
    "add chain inet demo input { type filter hook input priority 0; policy accept; }",
    "add chain inet demo web",
    "add element inet demo blocked { 192.0.2.1, 192.0.2.2 }",
    "add element inet demo ports { tcp . 80 : goto web }",
    "add rule inet demo input ip saddr @blocked drop",
    "add rule inet demo input meta l4proto . th dport vmap @ports",
    "add rule inet demo web counter accept",
    "",
  ]);
});

test("a changed element is the whole batch of its change", () => {
  const after = { ...base, sets: [blocked, elements(ports, { "tcp . 80": "drop" })] };
  expect(changeBatch(base, after)).toBe(
    "delete element inet demo ports { tcp . 80 }\nadd element inet demo ports { tcp . 80 : drop }\n",
  );
});

const missing = noPacketFilter();
describe.skipIf(missing !== undefined)(`in the kernel ${missing ?? ""}`, () => {
  test.each(variants)("the batch of a change leads to what a full batch leads to: %s", (_title, other) => {
    const there = changeBatch(base, other) ?? "";
    const back = changeBatch(other, base) ?? "";
    const [, after, again] = rulesAfterEach([fullBatch(base), there, back]);
    const [whole] = rulesAfterEach([fullBatch(other)]);
    const [wholeBefore] = rulesAfterEach([fullBatch(base)]);
    expect(sorted(after)).toEqual(sorted(whole));
    expect(sorted(again)).toEqual(sorted(wholeBefore));
  });

  test("nothing is left of a removed table, and removing it again is no error", () => {
    expect(rulesAfterEach([fullBatch(base), removeBatch(base), removeBatch(base)]).slice(1)).toEqual(["", ""]);
  });

  test("a batch with an error changes nothing and reports it", () => {
    expect(() => rulesAfterEach([fullBatch(base), "add rule inet demo absent drop"])).toThrow(
      /No such file or directory/,
    );
  });
});

/** The chains and sets of printed rules, in an order that does not depend on when they were added. */
const sorted = (rules = ""): readonly string[] =>
  rules
    .split(/\n\n|\{\n(?=\t[a-z])/)
    .map((block) =>
      block
        .replaceAll(/\s+/g, " ")
        .replaceAll(/( \})+ ?$/g, "")
        .trim(),
    )
    .sort();
