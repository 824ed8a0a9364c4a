import { expect, test } from "vitest";
import { absentControllers, controllers } from "./controllers/index.ts";
import { selectControllers } from "./select-controllers.ts";
import type { ControllerDescriptor } from "./shared/define-controller.ts";

const named = (name: string, enabledByDefault = true): ControllerDescriptor => ({
  name,
  serviceAccount: name,
  eventSource: name,
  enabledByDefault,
  start: async () => undefined,
});
const all = [named("a"), named("b"), named("off", false)];

test.each<[readonly string[], readonly string[]]>([
  [["*"], ["a", "b"]],
  [["a"], ["a"]],
  [["*", "-a"], ["b"]],
  [["-a", "*"], ["b"]],
  [
    ["*", "off"],
    ["a", "b", "off"],
  ],
  [["a", "-a"], ["a"]],
  [["-a", "a"], []],
  [[], []],
])("%j switches on %j", (entries, want) => {
  const { enabled, faults } = selectControllers(entries, all, []);
  expect([enabled.map(({ name }) => name), faults]).toEqual([want, []]);
});

test("an unknown name is a fault, one that is not built in a warning", () => {
  const { faults, warnings } = selectControllers(["*", "x", "-y", "later", "-later"], all, ["later"]);
  expect(faults).toEqual([
    'invalid value "x" for flag --controllers: want "*", or one of these with or without "-" in front: a, b, later, off',
    'invalid value "-y" for flag --controllers: want "*", or one of these with or without "-" in front: a, b, later, off',
  ]);
  expect(warnings).toEqual(['flag --controllers: controller "later" does not exist yet']);
});

test("no name is built in twice, or built in and absent", () => {
  const names = [...controllers.map(({ name }) => name), ...absentControllers];
  expect(new Set(names).size).toBe(names.length);
});
