import { expect, expectTypeOf, test } from "vitest";
import { flagSection } from "./flag.ts";
import { renderHelp } from "./help.ts";
import { type Program, parseFlags } from "./parse-flags.ts";
import { featureGateFlags } from "./shared/feature-gate-flags.ts";
import { statusTable } from "./status-table.ts";

const program: Program = {
  name: "orch-example",
  description: "Shows how flags work.",
  version: { text: "v1.27.16", raw: 'version.Info{Major:"1", Minor:"27"}' },
};

const table = {
  ...flagSection("Serving", {
    "secure-port": { type: "int", default: 6443, min: 1, max: 65535, help: "HTTPS port." },
    "bind-address": { type: "ip", default: "0.0.0.0", help: "Address." },
    "cert-dir": { type: "string", default: "", help: "Directory." },
    profiling: { type: "bool", default: true, effect: "none", help: "Profiles." },
    "allow-all": { type: "bool", default: false, help: "Allow." },
  }),
  ...flagSection("Other", {
    "request-timeout": { type: "duration", default: "1m0s", min: 0, help: "Timeout." },
    "grace-period": { type: "duration", help: "Grace." },
    "goaway-chance": { type: "float", default: 0, max: 0.02, help: "Chance." },
    origins: { type: "strings", default: ["a", "b"], help: "Origins." },
    modes: { type: "strings", default: [], oneOf: ["RBAC", "Node"], help: "Modes." },
    lock: { type: "string", default: "leases", oneOf: ["leases", "endpointsleases"], help: "Lock." },
    pair: { type: "repeated", default: [], help: "Pairs." },
    labels: { type: "stringToString", default: {}, help: "Labels." },
    gates: { type: "stringToBool", default: new Map<string, boolean>(), help: "Gates." },
    old: { type: "string", default: "", deprecated: "use --new", help: "Old." },
    secret: { type: "string", hidden: true, help: "Hidden." },
    v: { type: "int", default: 0, short: "v", help: "Verbosity." },
  }),
};
type Name = keyof typeof table;

const run = (...argv: readonly string[]) => {
  const result = parseFlags(program, table, argv);
  if (result.type !== "run") throw new Error(JSON.stringify(result));
  return result;
};

test("values have the types of their rows, and defaults when not given", () => {
  const { flags, explicit, warnings } = run();
  expectTypeOf(flags["secure-port"]).toEqualTypeOf<number>();
  expectTypeOf(flags["grace-period"]).toEqualTypeOf<number | undefined>();
  expectTypeOf(flags.origins).toEqualTypeOf<readonly string[]>();
  expectTypeOf(flags.labels).toEqualTypeOf<ReadonlyMap<string, string>>();
  expect(flags).toMatchObject({
    "secure-port": 6443,
    "request-timeout": 60_000,
    "grace-period": undefined,
    origins: ["a", "b"],
    "cert-dir": "",
    profiling: true,
    labels: new Map(),
  });
  expect([...explicit]).toEqual([]);
  expect(warnings).toEqual([]);
});

test.each<[string, readonly string[], Name, unknown]>([
  ["an inline value", ["--secure-port=1"], "secure-port", 1],
  ["a value of its own", ["--secure-port", "1"], "secure-port", 1],
  ["underscores", ["--secure_port=7"], "secure-port", 7],
  ["the last one wins", ["--secure-port=7", "--secure-port=8"], "secure-port", 8],
  ["hexadecimal", ["--secure-port=0x10"], "secure-port", 16],
  ["a bare boolean", ["--allow-all"], "allow-all", true],
  ["a boolean with a value", ["--profiling=false"], "profiling", false],
  ["a short boolean text", ["--profiling=F"], "profiling", false],
  ["digits in text", ["--cert-dir=007"], "cert-dir", "007"],
  ["an exponent in text", ["--cert-dir", "1e3"], "cert-dir", "1e3"],
  ["dots in text", ["--cert-dir=a.b.c"], "cert-dir", "a.b.c"],
  ["equals signs in text", ["--cert-dir=a=b=c"], "cert-dir", "a=b=c"],
  ["quotes in text", ['--cert-dir="x"'], "cert-dir", '"x"'],
  ["true as text", ["--cert-dir=true"], "cert-dir", "true"],
  ["an empty text", ["--cert-dir="], "cert-dir", ""],
  ["an empty text of its own", ["--cert-dir", ""], "cert-dir", ""],
  ["a newline in text", ["--cert-dir=a\nb"], "cert-dir", "a\nb"],
  ["text that looks like a flag", ["--cert-dir", "--profiling"], "cert-dir", "--profiling"],
  ["text that is two dashes", ["--cert-dir", "--"], "cert-dir", "--"],
  ["__proto__ as text", ["--cert-dir=__proto__"], "cert-dir", "__proto__"],
  ["a negative number", ["--v", "-3"], "v", -3],
  ["the short form", ["-v", "2"], "v", 2],
  ["the short form, joined", ["-v2"], "v", 2],
  ["the short form with an equals sign", ["-v=2"], "v", 2],
  ["a long single letter", ["--v=4"], "v", 4],
  ["a duration", ["--request-timeout=1h2m3.5s"], "request-timeout", 3_723_500],
  ["milliseconds", ["--grace-period", "300ms"], "grace-period", 300],
  ["a fraction", ["--goaway-chance=.01"], "goaway-chance", 0.01],
  ["an IPv6 address", ["--bind-address=::"], "bind-address", "::"],
  ["a list replaces its default", ["--origins=x,y"], "origins", ["x", "y"]],
  ["lists add up", ["--origins=x", "--origins", "y,z"], "origins", ["x", "y", "z"]],
  ["an empty list", ["--origins="], "origins", []],
  ["quoted commas", ['--origins="a,b",c'], "origins", ["a,b", "c"]],
  ["numbers in lists stay text", ["--origins=01,2"], "origins", ["01", "2"]],
  ["repetition without splitting", ["--pair=a,b", "--pair=c"], "pair", ["a,b", "c"]],
  [
    "pairs",
    ["--labels=a=1,b=2", "--labels=c=3"],
    "labels",
    new Map([
      ["a", "1"],
      ["b", "2"],
      ["c", "3"],
    ]),
  ],
  ["a pair with commas in its value", ["--labels=m,l=x,y"], "labels", new Map([["m,l", "x,y"]])],
  ["__proto__ as a key", ["--labels=__proto__=1"], "labels", new Map([["__proto__", "1"]])],
  [
    "boolean pairs",
    ["--gates=A=true,B=false"],
    "gates",
    new Map([
      ["A", true],
      ["B", false],
    ]),
  ],
])("%s", (_name, argv, flag, want) => {
  const result = run(...argv);
  expect(result.flags[flag]).toEqual(want);
  expect([...result.explicit]).toEqual([flag]);
});

test("beside errors: what could be parsed, and the flags whose values are unknown", () => {
  const result = parseFlags(program, table, ["--secure-port=x", "--modes=RBAC", "--request-timeot=1s", "--lock"]);
  if (result.type !== "errors") throw new Error(result.type);
  expect(result.errors).toHaveLength(3);
  expect(result.flags).toMatchObject({
    "secure-port": 6443,
    modes: ["RBAC"],
    "request-timeout": 60_000,
    lock: "leases",
  });
  expect([...result.explicit]).toEqual(["modes"]);
  expect([...result.invalidFlags].sort()).toEqual(["lock", "request-timeout", "secure-port"]);
});

test("a boolean does not take the next word", () => {
  expect(parseFlags(program, table, ["--allow-all", "false"])).toMatchObject({
    type: "errors",
    errors: ['unknown argument "false": only flags such as --flag=value are accepted'],
  });
});

test.each<[readonly string[], string]>([
  [["--secure-prot=1"], "unknown flag --secure-prot; did you mean --secure-port?"],
  [["--zzzzzzzz", "1"], "unknown flag --zzzzzzzz; see --help for the flags there are"],
  [["--__proto__=1"], "unknown flag --__proto__; see --help for the flags there are"],
  [["--constructor"], "unknown flag --constructor; see --help for the flags there are"],
  [["-x"], 'unknown flag "-x" in -x; see --help for the flags there are'],
  [["--secure-port"], "flag --secure-port needs a value: want --secure-port=VALUE"],
  [["--secure-port=abc"], 'invalid value "abc" for flag --secure-port: want a whole number'],
  [["--secure-port="], 'invalid value "" for flag --secure-port: want a whole number'],
  [["--secure-port=1.5"], 'invalid value "1.5" for flag --secure-port: want a whole number'],
  [["--secure-port=0"], 'invalid value "0" for flag --secure-port: want 1 to 65535'],
  [["--goaway-chance=0.5"], 'invalid value "0.5" for flag --goaway-chance: want at most 0.02'],
  [["--goaway-chance=NaN"], 'invalid value "NaN" for flag --goaway-chance: want a number such as 0.5'],
  [["--request-timeout=5"], 'invalid value "5" for flag --request-timeout: want a duration such as 1m30s, 500ms or 1h'],
  [["--request-timeout=-5s"], 'invalid value "-5s" for flag --request-timeout: want at least 0 milliseconds'],
  [["--profiling=maybe"], 'invalid value "maybe" for flag --profiling: want true or false'],
  [
    ["--bind-address=host"],
    'invalid value "host" for flag --bind-address: want an IP address such as 10.0.0.1 or fd00::1',
  ],
  [["--modes=RBAC,ABAC"], 'invalid value "RBAC,ABAC" for flag --modes: want a list of RBAC, Node'],
  [["--lock=x"], 'invalid value "x" for flag --lock: want one of leases, endpointsleases'],
  [["--labels=a"], 'invalid value "a" for flag --labels: want key=value pairs separated by commas'],
  [
    ["--gates=A=x"],
    'invalid value "A=x" for flag --gates: want key=true|false pairs separated by commas (invalid value of A=x, err: strconv.ParseBool: parsing "x": invalid syntax)',
  ],
  [
    ["--gates=A=true,B"],
    'invalid value "A=true,B" for flag --gates: want key=true|false pairs separated by commas (missing bool value for B)',
  ],
  [
    ['--origins="a'],
    'invalid value "\\"a" for flag --origins: want a comma-separated list; an element with a comma or quote goes in double quotes',
  ],
  [["--version=short"], 'invalid value "short" for flag --version: want one of true, false, raw'],
  [["word"], 'unknown argument "word": only flags such as --flag=value are accepted'],
  [["--"], 'unknown argument "--": only flags such as --flag=value are accepted'],
])("%j is an error", (argv, error) => {
  expect(parseFlags(program, table, argv)).toMatchObject({ type: "errors", errors: [error] });
});

test("all errors are reported at once", () => {
  const result = parseFlags(program, table, ["--nope-nope", "v", "--secure-port=x", "--lock=y", "z"]);
  expect(result.type === "errors" && result.errors).toHaveLength(4);
});

test("deprecated flags and flags without effect warn once each when set", () => {
  expect(run("--old=1", "--profiling", "--profiling=false").warnings).toEqual([
    "flag --profiling has no effect yet",
    "flag --old is deprecated: use --new",
  ]);
});

test.each<[readonly string[], string]>([
  [["--version"], "Orchernetes v1.27.16\n"],
  [["--version=true"], "Orchernetes v1.27.16\n"],
  [["--version=raw"], 'version.Info{Major:"1", Minor:"27"}\n'],
])("%j prints the version", (argv, text) => {
  expect(parseFlags(program, table, argv)).toEqual({ type: "exit", code: 0, text });
});

test.each([[["-h"]], [["--help"]], [["--bad", "--help"]]])("%j prints the help", (argv) => {
  const result = parseFlags(program, table, argv);
  if (result.type !== "exit") throw new Error(JSON.stringify(result));
  expect(result.text).toContain("Usage:\n  orch-example [flags]\n\nServing flags:\n");
  expect(result.text).toContain("      --secure-port int\n                HTTPS port. (default 6443)\n");
  expect(result.text).toContain("  -v, --v int\n                Verbosity.\n");
  expect(result.text).toContain("      --profiling\n                Profiles. (default true) (no effect yet)\n");
  expect(result.text).toContain('Lock. Accepted values: leases, endpointsleases. (default "leases")');
  expect(result.text).toContain("Origins. (default [a,b])");
  expect(result.text).toContain("Timeout. (default 1m0s)");
  expect(result.text).toContain("Old. (DEPRECATED: use --new)");
  expect(result.text).not.toContain("--secret");
});

test("the status table lists the flags without effect", () => {
  const text = statusTable({ "orch-example": table });
  expect(text).toContain("| `--profiling` | Serving | Profiles. |");
  expect(text).toContain("of 16 flags have an effect");
  expect(text).not.toContain("secure-port");
});

test("the help of --feature-gates lists the features that are still worth switching, a line each", () => {
  const lines = renderHelp(program, featureGateFlags("Generic")).split("\n");
  const options = lines.filter((line) => line.includes("=true|false")).map((line) => line.trim());
  expect(options.slice(0, 3)).toEqual([
    "APIListChunking=true|false (BETA - default=true)",
    "APIPriorityAndFairness=true|false (BETA - default=true)",
    "APIResponseCompression=true|false (BETA - default=true)",
  ]);
  expect(options).toContain("AllAlpha=true|false (ALPHA - default=false)");
  expect(options.join()).not.toContain("ServerSideApply");
});
