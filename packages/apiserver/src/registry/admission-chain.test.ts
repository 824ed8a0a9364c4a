import { expect, test } from "vitest";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "../interfaces/index.ts";
import { admissionMeter } from "../observe/observed-admission.ts";
import { AdmissionChain } from "./admission-chain.ts";

const context = {} as AdmissionContext;
const attributes = { operation: "CREATE", object: undefined } as unknown as AdmissionAttributes;

/** Plugins that write down when they are called; names that start with "late" answer later, "bad" ones refuse. */
function plugins(names: readonly string[], calls: string[]): readonly AdmissionPlugin[] {
  return names.map((name) => ({
    name,
    handles: (operation) => operation === "CREATE",
    validate() {
      calls.push(name);
      if (name.startsWith("bad")) throw new Error(name);
      if (name.startsWith("late")) return Promise.resolve();
    },
  }));
}

test.each([
  [["a", "b"], "at once"],
  [["a", "late", "b"], "later"],
])("%j are called in order, and answer %s", async (names, when) => {
  const calls: string[] = [];
  const answer = new AdmissionChain(plugins(names, calls)).validate(attributes, context);
  expect(answer instanceof Promise).toBe(when === "later");
  await answer;
  expect(calls).toEqual(names);
});

test("no plugin is called after a denial, nor for other operations", async () => {
  const calls: string[] = [];
  const chain = new AdmissionChain(plugins(["late", "bad", "c"], calls));
  await expect(chain.validate(attributes, context)).rejects.toThrow("bad");
  expect(calls).toEqual(["late", "bad"]);
  expect(chain.validate({ ...attributes, operation: "DELETE" }, context)).toBeUndefined();
  expect(calls).toHaveLength(2);
});

test("each plugin and the phase are measured, with denials as rejected", async () => {
  const seen: string[] = [];
  const chain = new AdmissionChain(plugins(["a", "late", "bad", "c"], []), {
    meter: admissionMeter({
      admissionPlugin: (name, phase, operation) => (_, rejected) =>
        seen.push(`${name} ${phase} ${operation} ${rejected}`),
      admissionStep: (phase, operation) => (_, rejected) => seen.push(`step ${phase} ${operation} ${rejected}`),
    }),
  });
  await expect(chain.validate(attributes, context)).rejects.toThrow("bad");
  expect(seen).toEqual([
    "a validate CREATE false",
    "late validate CREATE false",
    "bad validate CREATE true",
    "step validate CREATE true",
  ]);
});

test("a plugin is measured from the end of the one before, and a phase as a whole", async () => {
  const seen: string[] = [];
  let nowMs = 1000;
  const taking = (name: string, ms: number): AdmissionPlugin => ({
    name,
    handles: () => true,
    validate: async () => {
      await Promise.resolve();
      nowMs += ms;
    },
  });
  const quick: AdmissionPlugin = {
    name: "quick",
    handles: () => true,
    validate() {
      nowMs += 1;
    },
  };
  const metrics = {
    admissionPlugin: (name: string) => (seconds: number) => void seen.push(`${name} ${seconds}`),
    admissionStep: () => (seconds: number) => void seen.push(`phase ${seconds}`),
  };
  const chain = new AdmissionChain([quick, taking("slow", 500), taking("slower", 2000)], {
    meter: admissionMeter(metrics, () => nowMs),
  });
  await chain.validate(attributes, context);
  expect(seen).toEqual(["quick 0.001", "slow 0.5", "slower 2", "phase 2.501"]);
  // What happened between two writes is no time of theirs.
  nowMs += 60_000;
  seen.length = 0;
  await chain.validate(attributes, context);
  expect(seen[0]).toBe("quick 0.001");
});
