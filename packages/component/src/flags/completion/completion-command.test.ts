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

async function run(...argv: readonly string[]) {
  let out = "";
  let err = "";
  const code = await runCompletion({ name: "orch-example", flags }, ["completion", ...argv], {
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
const { out: bash } = await run("bash");
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
])("%s gets the same flags", async (shell, line) => {
  const { code, out } = await run(shell);
  expect([code, out.includes(line), out.includes("secret")]).toEqual([0, true, false]);
});

test.each([
  [["tcsh"], /^orch-example: Invalid values: .*"tcsh".* Choices: "bash", "zsh", "fish"\n$/],
  [[], /^orch-example: Not enough .*arguments: got 0, need at least 1\n$/],
  [["bash", "more"], /^orch-example: Unknown argument: more\n$/],
  [["bash", "--bogus"], /^orch-example: Unknown argument: bogus\n$/],
])("completion %j is an error", async (argv, want) => {
  const { code, out, err } = await run(...argv);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(want);
});

test("help names the shells", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect(out).toContain("orch-example completion <shell>");
  expect(out).toContain('"bash", "zsh", "fish"');
});

test("a daemon loads yargs for this command only", () => {
  const index = fileURLToPath(new URL("../../index.ts", import.meta.url));
  const program = `
    import { registerHooks } from "node:module";
    let loaded = 0;
    registerHooks({ resolve(...args) {
      const next = args[2](args[0], args[1]);
      if (/\\/node_modules\\/yargs\\//.test(next.url)) loaded++;
      return next;
    } });
    const { flagSection, logFlags, runDaemon } = await import(${JSON.stringify(index)});
    const io = (...argv) => ({ argv, stdout() {}, stderr() {}, exitAfter() {} });
    const daemon = { name: "x", description: "X.", flags: logFlags, configure: (flags) => flags, run: async () => {} };
    const codes = [await runDaemon(daemon, io("--v=1")), await runDaemon(daemon, io("bash"))];
    const before = loaded;
    codes.push(await runDaemon(daemon, io("completion", "bash")));
    console.log(JSON.stringify({ codes, before, after: loaded > 0 }));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual({ codes: [0, 1, 0], before: 0, after: true });
});
