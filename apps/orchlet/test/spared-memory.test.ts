import { execFileSync } from "node:child_process";
import { daemonCommand } from "@orchernetes/testkit";
import { expect, test } from "vitest";

const flagsOfEngine = `data:text/javascript,
  import v8 from "node:v8";
  import { syncBuiltinESMExports } from "node:module";
  const all = [];
  const set = v8.setFlagsFromString;
  v8.setFlagsFromString = (flag) => { all.push(flag); set(flag); };
  syncBuiltinESMExports();
  process.on("exit", () => console.log(all.join(" ")));`;

// The row "node" of the benchmark shows what they save; without them nothing else would fail.
test("the agent is compiled by Maglev alone, and releases the bytecode of its start", () => {
  const [program = "", ...args] = daemonCommand("orchlet", ["--version=raw"]);
  const output = execFileSync(program, [`--import=${encodeURI(flagsOfEngine)}`, ...args], {
    encoding: "utf8",
    timeout: 120_000,
  });
  expect(output.trimEnd().split("\n").at(-1)).toBe("--no-turbofan --bytecode-old-age=1");
}, 120_000);
