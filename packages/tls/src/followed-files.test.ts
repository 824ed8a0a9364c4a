import { expect, test } from "vitest";
import { deprecationOfError } from "./deprecated-certificate.ts";
import { fixed, followedValue } from "./followed-files.ts";
import { ServerNameError } from "./server-name.ts";

test("a fixed value stays, and nobody is told otherwise", () => {
  const value = { a: 1 };
  const followed = fixed(value);
  followed.onChange(() => {
    throw new Error("there is no change");
  });
  expect(followed.current()).toBe(value);
});

test("listeners see the new value and the former one, in the order of their registration", () => {
  const followed = followedValue("a");
  const seen: string[] = [];
  followed.onChange((current, former) => void seen.push(`1: ${former} to ${current}, now ${followed.current()}`));
  followed.onChange((current) => void seen.push(`2: ${current}`));
  followed.set("b");
  expect(seen).toEqual(["1: a to b, now b", "2: b"]);
});

test("the same value again is no change, an equal object is one", () => {
  const first = { a: 1 };
  const followed = followedValue(first);
  let changes = 0;
  followed.onChange(() => void changes++);
  followed.set(first);
  expect(changes).toBe(0);
  followed.set({ a: 1 });
  expect(changes).toBe(1);
  expect(followed.current()).not.toBe(first);
});

const weak = new Error("CA signature digest algorithm too weak");
const circular = new Error("around");
circular.cause = circular;
const nested = (depth: number): Error => (depth === 0 ? weak : new Error("outer", { cause: nested(depth - 1) }));
test.each<[string, unknown, string | undefined]>([
  ["a name only in the subject", new ServerNameError("legacy", true), "missing-san"],
  ["another name", new ServerNameError("other", false), undefined],
  ["another name because of a weak digest", Object.assign(new ServerNameError("x", false), { cause: weak }), undefined],
  ["a weak digest", weak, "insecure-sha1"],
  ["a weak digest as the cause", nested(3), "insecure-sha1"],
  ["a weak digest behind too many causes", nested(8), undefined],
  ["another error", new Error("connect ECONNREFUSED"), undefined],
  ["causes in a circle", circular, undefined],
  ["no error", "CA signature digest algorithm too weak", undefined],
  ["nothing", undefined, undefined],
])("the deprecation of %s", (_name, error, want) => {
  expect(deprecationOfError(error)).toBe(want);
});
