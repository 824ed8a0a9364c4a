import { expect, test } from "vitest";
import { settingErrors } from "./setting-errors.ts";

// shows: failSwapOn
test.each([
  [new Map(), true],
  [new Map([["failSwapOn", true]]), true],
  [new Map([["failSwapOn", false]]), false],
])("enabled swap is an error with %j: %s", (given, isError) => {
  const errors = settingErrors((field) => given.get(field), ["/dev/swap"]);
  expect(errors.some((error) => error.includes("swap is on (/dev/swap)"))).toBe(isError);
});

// shows: protectKernelDefaults
test.each([
  [true, ["field protectKernelDefaults: kernel setting vm.panic_on_oom is 1; want 0 (sysctl -w vm.panic_on_oom=0)"]],
  [false, []],
  [undefined, []],
])("kernel settings that differ are errors with protectKernelDefaults: %s", (protect, want) => {
  const wrong = () => [{ name: "vm.panic_on_oom", want: 0, found: 1 }];
  const value = (field: string) => ({ protectKernelDefaults: protect, failSwapOn: false })[field];
  const errors = settingErrors(value, [], wrong);
  expect(errors).toEqual(want.map((start) => `${start}, or set protectKernelDefaults to false`));
});
