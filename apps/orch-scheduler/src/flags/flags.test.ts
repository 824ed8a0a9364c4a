import { type FlagTable, parseFlags } from "@orchernetes/component";
import { referenceDifferences } from "@orchernetes/component/flag-reference";
import { expect, test } from "vitest";
import { schedulerFlags as flags } from "./index.ts";

const program = { name: "orch-scheduler", description: "x", version: { text: "v", raw: "v" } };
const table: FlagTable = flags;

test("the defaults parse, and the help shows every flag that is not hidden", () => {
  expect(parseFlags(program, flags, [])).toMatchObject({ type: "run", warnings: [] });
  const help = parseFlags(program, flags, ["--help"]);
  const shown = help.type === "exit" ? [...help.text.matchAll(/--([a-z0-9-]+)[ [\n]/g)].map(([, name]) => name) : [];
  for (const [name, flag] of Object.entries(table)) if (flag.hidden !== true) expect(shown).toContain(name);
});

test("every default is accepted as a value of its flag", () => {
  for (const [name, flag] of Object.entries(table)) {
    if (flag.default === undefined || typeof flag.default === "object" || flag.default === "") continue;
    expect(parseFlags(program, flags, [`--${name}=${flag.default}`]), name).toMatchObject({ type: "run" });
  }
});

test("names and defaults agree with the reference", () => {
  expect(referenceDifferences("orch-scheduler", table)).toEqual([]);
});
