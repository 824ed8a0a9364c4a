import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleCommand, sourceCommand } from "../commands.ts";
import { launcher } from "../debian/package-tree.ts";
import { root } from "../paths.ts";
import { DAEMONS } from "../programs.ts";
import { environmentOf } from "./environment.ts";

const VARIABLES = ["MALLOC_ARENA_MAX=1", "MALLOC_MMAP_THRESHOLD_=131072", "MALLOC_TRIM_THRESHOLD_=131072"];

/** The settings of the C library in the output of env. */
const settingsIn = (output: string): readonly string[] =>
  output
    .split("\n")
    .filter((line) => line.startsWith("MALLOC_"))
    .sort();

/** What a program has that a command runs, as env shows it in place of Node. */
function settingsOf([program = "", ...args]: readonly string[]): readonly string[] {
  const untilNode = args.slice(0, args.indexOf(process.execPath));
  const [file, ...rest] = program === process.execPath ? ["env"] : [program, ...untilNode, "env"];
  return settingsIn(execFileSync(file ?? "", rest, { encoding: "utf8", env: { PATH: process.env.PATH } }));
}

test.each(DAEMONS)(
  "%s: a command from the bundle, one from the sources and that of its package set the same",
  (name) => {
    const script = launcher(name).replace(/^exec .*$/m, "exec env");
    const packaged = execFileSync("sh", ["-c", script], { encoding: "utf8", env: { PATH: process.env.PATH } });
    const want = name === "orchlet" ? VARIABLES : [];
    expect([settingsOf(bundleCommand(name)), settingsOf(sourceCommand(name)), settingsIn(packaged)]).toEqual([
      want,
      want,
      want,
    ]);
  },
);

test("the composition of containers sets what others do", () => {
  const composition = readFileSync(join(root, "tools/compose/docker-compose.yml"), "utf8");
  const lines = Object.entries(environmentOf("orchlet")).map(([variable, value]) => `      ${variable}: "${value}"\n`);
  expect(composition).toContain(`    environment:\n${lines.join("")}    hostname: node-1\n`);
});
