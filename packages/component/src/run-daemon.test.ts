import { EventEmitter } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { ConfigurationError } from "./configuration-error.ts";
import { type FlagValues, flagSection } from "./flags/flag.ts";
import { logFlags } from "./flags/shared/log-flags.ts";
import { type Daemon, runDaemon } from "./run-daemon.ts";
import { rootSignal } from "./signals.ts";

const flags = {
  ...flagSection("Misc", {
    port: { type: "int", default: 1, help: "Port." },
    "port-file": { type: "string", default: "", deprecated: "use --port", help: "Port in a file." },
  }),
  ...logFlags,
};
afterEach(() => void vi.restoreAllMocks());

type Values = FlagValues<typeof flags>;
type Example = Daemon<typeof flags, Values>;

async function start(
  argv: readonly string[],
  run: Example["run"] = async () => {},
  configure: Example["configure"] = (values) => values,
) {
  let out = "";
  let err = "";
  const forced: number[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
  const io = {
    argv,
    stdout(text: string) {
      out += text;
    },
    stderr(text: string) {
      err += text;
    },
    exitAfter(_ms: number, code: number) {
      forced.push(code);
    },
  };
  const code = await runDaemon({ name: "orch-example", description: "An example.", flags, configure, run }, io);
  return { code, out, err, forced };
}

test("flags reach the daemon", async () => {
  let seen = 0;
  const result = await start(["--port=5"], async (values, { explicit }) => {
    seen = explicit.has("port") ? values.port : 0;
  });
  expect([seen, result.code, result.err]).toEqual([5, 0, ""]);
});

test.each<[readonly string[], number, RegExp, RegExp]>([
  [["--help"], 0, /Usage:\n {2}orch-example \[flags\]/, /^$/],
  [["--version"], 0, /^Orchernetes v1\.27\.\d+\+orchernetes\n$/, /^$/],
  [["--version=raw"], 0, /^version\.Info\{Major:"1", Minor:"27", GitVersion:/, /^$/],
  [
    ["--prt=5", "--port=x"],
    1,
    /^$/,
    /^orch-example: unknown flag --prt; did you mean --port\?\norch-example: invalid value "x" for flag --port: want a whole number\n$/,
  ],
])("%j ends with %d", async (argv, code, out, err) => {
  const result = await start(argv);
  expect(result.code).toBe(code);
  expect(result.out).toMatch(out);
  expect(result.err).toMatch(err);
});

test("an invalid configuration ends with one line for each error", async () => {
  const result = await start([], () => Promise.reject(new ConfigurationError(["a is wrong", "b is wrong"])));
  expect([result.code, result.err]).toEqual([1, "orch-example: a is wrong\norch-example: b is wrong\n"]);
});

const errorsOf = (text: string) => text.split("\n").filter((line) => line !== "");
const lines = (...errors: readonly string[]) => errors.map((error) => `orch-example: ${error}`);

test.each<[string, readonly string[], Example["configure"], readonly string[]]>([
  [
    "of flags and of what they name",
    ["--bogus", "--port-file=/nope"],
    (values) => Promise.reject(new ConfigurationError([`--port-file: "${values["port-file"]}" is missing`])),
    ["unknown flag --bogus; see --help for the flags there are", '--port-file: "/nope" is missing'],
  ],
  [
    "but not those that a faulty flag's default makes",
    ["--port=x"],
    ({ port }) => Promise.reject(new ConfigurationError([`--port: ${port} is taken`, "--port-file: not given"])),
    ['invalid value "x" for flag --port: want a whole number', "--port-file: not given"],
  ],
  [
    "but not those of a flag that was most likely meant",
    ["--prot=5"],
    () => Promise.reject(new ConfigurationError(["--port: is missing", "--port-file: not given"])),
    ["unknown flag --prot; did you mean --port?", "--port-file: not given"],
  ],
  [
    "and no error that is not the operator's",
    ["--bogus"],
    () => Promise.reject(new Error("broken")),
    ["unknown flag --bogus; see --help for the flags there are"],
  ],
  [
    "each on a line of its own, however its reason was laid out",
    [],
    () => Promise.reject(new ConfigurationError(["--port-file: odd:\n  ^\nwant a port", "--port: taken"])),
    ["--port-file: odd: ^ want a port", "--port: taken"],
  ],
  [
    "and no warning beside them",
    ["--port-file=/nope"],
    () => Promise.reject(new ConfigurationError(["--port-file: missing"])),
    ["--port-file: missing"],
  ],
])("all errors are reported: %s", async (_, argv, configure, errors) => {
  let ran = false;
  const run = async () => {
    ran = true;
  };
  const { code, out, err } = await start(argv, run, configure);
  expect({ code, out, lines: errorsOf(err), ran }).toEqual({ code: 1, out: "", lines: lines(...errors), ran: false });
});

test("the daemon runs its configuration, with the names of the given flags", async () => {
  const seen: unknown[] = [];
  const run = async ({ port }: Values) => void seen.push(port);
  const { code } = await start(["--port=7"], run, async (values, explicit) => {
    seen.push([...explicit]);
    return values;
  });
  expect([code, seen]).toEqual([0, [["port"], 7]]);
});

test("an error is logged, and the exit code is 1", async () => {
  const result = await start([], () => Promise.reject(new Error("no route")));
  expect([result.code, result.forced]).toEqual([1, [1]]);
  expect(result.err).toMatch(/^E.*\] orch-example ended err="no route"/);
});

test("after an unhandled error the exit code is 1", async () => {
  const result = await start([], () => {
    setImmediate(() => process.emit("uncaughtException", new Error("lost")));
    return new Promise(() => {});
  });
  expect(result.code).toBe(1);
  expect(result.err).toContain('err="lost"');
});

test("the first signal aborts, the second ends the process", () => {
  const source = new EventEmitter();
  const codes: number[] = [];
  const { signal, dispose } = rootSignal(source as never, (code) => codes.push(code));
  source.emit("SIGTERM");
  expect([signal.aborted, codes.length]).toEqual([true, 0]);
  source.emit("SIGINT");
  expect(codes).toEqual([1]);
  dispose();
  expect(source.listenerCount("SIGTERM")).toBe(0);
});

test.each([
  [["--v=2"], ["two"]],
  [
    ["--v=1", "--vmodule=run-daemon.test=3"],
    ["two", "three"],
  ],
  [[], []],
])("%j says how much is logged", async (argv, want) => {
  const { err } = await start(argv, async (_, { logger }) => {
    logger.v(2)?.info("two");
    logger.v(3)?.info("three");
  });
  expect([...err.matchAll(/\] (\w+)\n/g)].map(([, message]) => message)).toEqual(want);
});

// shows: logging.verbosity, logging.vmodule
test("log settings of a configuration file override those of flags", async () => {
  let err = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
  const io = { argv: ["--v=5"], stdout: () => {}, stderr: () => {}, exitAfter: () => {} };
  const daemon: Example = {
    name: "orch-example",
    description: "An example.",
    flags,
    configure: (values) => values,
    logging: () => ({ verbosity: 2, vmodule: ["other=9"], flushMs: 1 }),
    run: async (_, { logger }) => {
      logger.v(2)?.info("two");
      logger.v(3)?.info("three");
    },
  };
  await runDaemon(daemon, io);
  expect([...err.matchAll(/\] (\w+)\n/g)].map(([, message]) => message)).toEqual(["two"]);
});
