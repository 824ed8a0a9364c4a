import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { environmentOf } from "./environment.ts";
import { expandAll } from "./expand.ts";

const objects = { configMap: async () => undefined, secret: async () => undefined };

function environment(env: readonly object[]): Promise<ReadonlyMap<string, string>> {
  const pod = testPod({ containers: [{ name: "c", image: "i", env }] });
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error("the test pod has no container");
  return environmentOf({
    pod,
    container,
    facts: { nodeName: "n", hostIPs: [], podIPs: [], allocatable: {} },
    services: [],
    objects,
    onInvalidNames: () => undefined,
  });
}

test("variables that double each other are rejected at the kernel's limit for one string", async () => {
  const env = Array.from({ length: 40 }, (_, n) => ({
    name: `V${n}`,
    value: n === 0 ? "xxxxxxxxxxxxxxxx" : `$(V${n - 1})$(V${n - 1})`,
  }));
  await expect(environment(env)).rejects.toThrow(
    "the value of variable V14 is longer than 131072 bytes once its references are replaced",
  );
});

test("many variables that repeat a long one are rejected at the kernel's total limit", async () => {
  const env = [
    { name: "A", value: "x".repeat(100_000) },
    ...Array.from({ length: 1000 }, (_, n) => ({ name: `V${n}`, value: "$(A)" })),
  ];
  await expect(environment(env)).rejects.toThrow("the environment is larger than 6291456 bytes");
});

test("a command line that repeats a long variable is rejected at the limit, too", () => {
  const long = "x".repeat(100_000);
  const words = Array.from({ length: 1000 }, () => "$(A)");
  expect(() => expandAll(words, () => long)).toThrow("the command line is larger than 6291456 bytes");
  expect(expandAll(["$(A)", "b"], () => "a")).toEqual(["a", "b"]);
});
