import { expect, test } from "vitest";
import { selectControllers } from "./select-controllers.ts";

const named = (name: string, enabledByDefault = true) => ({ name, enabledByDefault });
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
  const { enabled, errors } = selectControllers(entries, all, []);
  expect([enabled.map(({ name }) => name), errors]).toEqual([want, []]);
});

test("an unknown name is an error, and a controller that is not implemented causes a warning", () => {
  const { errors, warnings } = selectControllers(["*", "x", "-y", "later", "-later"], all, [{ name: "later" }]);
  expect(errors).toEqual([
    'invalid value "x" for flag --controllers: want "*", or one of these with or without "-" in front: a, b, later, off',
    'invalid value "-y" for flag --controllers: want "*", or one of these with or without "-" in front: a, b, later, off',
  ]);
  expect(warnings).toEqual(['flag --controllers: controller "later" does not exist yet']);
});

test("entries of a file are named by their place in it", () => {
  const { errors, warnings } = selectControllers(
    ["x", "later"],
    all,
    [{ name: "later" }],
    '--config: file "a", field b',
  );
  expect(errors).toEqual([
    '--config: file "a", field b: invalid value "x"; want "*", or one of these with or without "-" in front: a, b, later, off',
  ]);
  expect(warnings).toEqual(['--config: file "a", field b: controller "later" does not exist yet']);
});
