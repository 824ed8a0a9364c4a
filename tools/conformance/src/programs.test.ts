import { expect, test } from "vitest";
import { librariesIn, programOfMachine } from "./programs.ts";

test("the linker and the libraries are listed, not what the kernel maps", () => {
  const output = [
    "\tlinux-vdso.so.1 (0x00007fb62d8d7000)",
    "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fb62d6e4000)",
    "\tlibmissing.so.1 => not found",
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007fb62d8d9000)",
  ].join("\n");
  expect(librariesIn(output)).toEqual(["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"]);
});

test("a program comes with its content", async () => {
  const [program] = await programOfMachine("sh", "bin/other");
  expect(program).toMatchObject({ type: "file", path: "bin/other", mode: 0o755 });
  expect(program?.type === "file" && program.content.length).toBeGreaterThan(10_000);
});

test("a program that is not there is an error", async () => {
  await expect(programOfMachine("no-such-program", "bin/x")).rejects.toThrow();
});
