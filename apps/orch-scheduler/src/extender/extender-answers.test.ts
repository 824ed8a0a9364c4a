import { expect, test } from "vitest";
import { readAnswer } from "./extender-answers.ts";

test("answers are read, whatever the case of their fields' names; null is absence", () => {
  expect(
    readAnswer.filter({
      nodenames: ["a"],
      FAILEDNODES: { b: "full" },
      Nodes: { Items: [{ metadata: { name: "a" } }] },
    }),
  ).toEqual({
    NodeNames: ["a"],
    Nodes: { items: [{ metadata: { name: "a" } }] },
    FailedNodes: { b: "full" },
    FailedAndUnresolvableNodes: {},
    Error: "",
  });
  expect(readAnswer.prioritize([{ host: "a", Score: 3 }])).toEqual([{ Host: "a", Score: 3 }]);
  expect(readAnswer.prioritize(null)).toEqual([]);
  const victims = { a: { Pods: [{ UID: "1" }], NumPDBViolations: 2 }, b: null, c: {} };
  expect(readAnswer.preempt({ nodeNameToMetaVictims: victims })).toEqual({
    NodeNameToMetaVictims: { a: victims.a, b: null, c: { Pods: [], NumPDBViolations: 0 } },
  });
  expect(readAnswer.filter({ NodeNames: null, FailedNodes: null })).toMatchObject({ FailedNodes: {} });
});

/** As many as fit into an answer about a thousand nodes. */
const wrong: readonly number[] = Array.from({ length: 1_000_000 }, () => 1);
const wrongByName = Object.fromEntries(wrong.slice(0, 100_000).map((one, index) => [`n${index}`, one]));

test.each([
  ["prioritize", "0", wrong],
  ["filter", "NodeNames.0", { NodeNames: wrong }],
  ["filter", "Nodes.items.0", { Nodes: { items: wrong } }],
  ["filter", "FailedNodes.n0", { FailedNodes: wrongByName }],
  ["preempt", "NodeNameToMetaVictims.n0", { NodeNameToMetaVictims: wrongByName }],
  ["preempt", "NodeNameToMetaVictims.n.Pods.0", { NodeNameToMetaVictims: { n: { Pods: wrong } } }],
] as const)("an answer to %s is rejected at its first invalid entry, %s", (verb, path, answer) => {
  const begun = process.cpuUsage();
  expect(() => readAnswer[verb](answer)).toThrow(`invalid response of the extender to ${verb}: ${path}: Invalid input`);
  const { user, system } = process.cpuUsage(begun);
  expect((user + system) / 1000).toBeLessThan(500);
});

test.each([
  ["prioritize", {}, "expected array"],
  ["filter", { NodeNames: {} }, "NodeNames: Invalid input: expected array"],
  ["filter", { FailedNodes: [] }, "FailedNodes: Invalid input: expected record"],
  ["filter", "no", "expected object"],
] as const)("an answer to %s of another form is rejected: %j", (verb, answer, message) => {
  expect(() => readAnswer[verb](answer)).toThrow(message);
});
