import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { flagSection } from "../flag.ts";
import { runCompletion } from "./completion-command.ts";
import { SHELLS, type Shell } from "./completion-scripts.ts";

const flags = flagSection("Misc", {
  "lock-kind": { type: "string", default: "leases", oneOf: ["leases", "endpointsleases"], help: "Kind of lock. More." },
  "cert-file": { type: "string", default: "", help: "Certificate's file." },
  profiling: { type: "bool", default: true, help: "Serves profiles." },
  secret: { type: "string", default: "", hidden: true, help: "Hidden." },
});

function run(...argv: readonly string[]) {
  let out = "";
  let err = "";
  const code = runCompletion({ name: "orch-example", flags }, ["completion", ...argv], {
    stdout(text) {
      out += text;
    },
    stderr(text) {
      err += text;
    },
  });
  return { code, out, err };
}

const thisFile = fileURLToPath(import.meta.url);
const { out: bash } = run("bash");
/** What bash offers for the last word. */
const offered = (...words: readonly string[]): readonly string[] =>
  execFileSync(
    "bash",
    [
      "-c",
      `${bash}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orch_example; printf '%s\\n' "\${COMPREPLY[@]}"`,
      "bash",
      ...words,
    ],
    { encoding: "utf8" },
  )
    .trim()
    .split("\n")
    .sort();

test.each([
  ["a flag", ["--lo"], ["--lock-kind"]],
  ["flags of every program", ["--v"], ["--version"]],
  ["no hidden flag", ["--sec"], [""]],
  ["a value after a space", ["--lock-kind", "e"], ["endpointsleases"]],
  ["a value after an equals sign", ["--lock-kind", "=", "l"], ["leases"]],
  ["all values", ["--profiling", "="], ["false", "true"]],
  ["a file", ["--cert-file", "=", thisFile.slice(0, -3)], [thisFile]],
  ["the command", ["comp"], ["completion"]],
  ["the command only as the first word", ["--profiling", "true", "comp"], [""]],
  ["shells", ["completion", ""], [...SHELLS].sort()],
])("bash completes %s", (_, words, want) => {
  expect(offered("orch-example", ...words)).toEqual(want);
});

test.each<[Shell, string]>([
  ["zsh", "'--lock-kind=[Kind of lock.]:string:(leases endpointsleases)'"],
  ["fish", "complete -c orch-example -l lock-kind -x -a 'leases endpointsleases' -d 'Kind of lock.'"],
])("%s gets the same flags", (shell, line) => {
  const { code, out } = run(shell);
  expect([code, out.includes(line), out.includes("secret")]).toEqual([0, true, false]);
});

test.each([
  [["tcsh"], 'unknown shell "tcsh"'],
  [[""], 'unknown shell ""'],
  [["constructor"], 'unknown shell "constructor"'],
  [["--bogus"], 'unknown flag "--bogus"'],
  [[], "no shell is given"],
  [["bash", "more"], 'unexpected argument "more"'],
  [["bash", "--bogus"], 'unexpected argument "--bogus"'],
])("completion %j is an error", (argv, want) => {
  const { code, out, err } = run(...argv);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toBe(`orch-example completion: ${want}; want one of bash, zsh, fish\n`);
});

test.each(["--help", "-h"])("%s names the shells", (flag) => {
  const { code, out } = run(flag);
  expect(code).toBe(0);
  expect(out).toContain("orch-example completion bash|zsh|fish");
  expect(out).toContain("source <(orch-example completion bash)");
});
