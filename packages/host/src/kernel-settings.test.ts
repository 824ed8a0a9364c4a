import { expect, test } from "vitest";
import { wrongKernelSettings } from "./kernel-settings.ts";

const right: Readonly<Record<string, string>> = {
  "vm/overcommit_memory": "1\n",
  "vm/panic_on_oom": "0\n",
  "kernel/panic": "10\n",
  "kernel/panic_on_oops": "1\n",
  "kernel/keys/root_maxkeys": "1000000\n",
  "kernel/keys/root_maxbytes": "25000000\n",
};
const reading = (values: Readonly<Record<string, string>>) => (path: string) => {
  const text = values[path];
  if (text === undefined) throw new Error("ENOENT");
  return text;
};

test.each<[string, object, object[]]>([
  ["as a node needs it", {}, []],
  ["that stops at a crash", { "kernel/panic": "0\n" }, [{ name: "kernel.panic", want: 10, found: 0 }]],
  ["that answers nonsense", { "kernel/panic": "?" }, [{ name: "kernel.panic", want: 10, found: undefined }]],
])("a kernel %s", (_name, values, want) => {
  expect(wrongKernelSettings(reading({ ...right, ...values }))).toEqual(want);
});

test("a setting that cannot be read counts as wrong", () => {
  const { "vm/panic_on_oom": _, ...without } = right;
  expect(wrongKernelSettings(reading(without))).toEqual([{ name: "vm.panic_on_oom", want: 0, found: undefined }]);
});
