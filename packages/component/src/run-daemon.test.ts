import { EventEmitter } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { ConfigurationError } from "./configuration-error.ts";
import { flagSection } from "./flags/flag.ts";
import { logFlags } from "./flags/shared/log-flags.ts";
import { type Daemon, runDaemon } from "./run-daemon.ts";
import { rootSignal } from "./signals.ts";

const flags = { ...flagSection("Misc", { port: { type: "int", default: 1, help: "Port." } }), ...logFlags };
afterEach(() => void vi.restoreAllMocks());

async function start(argv: readonly string[], run: Daemon<typeof flags>["run"] = async () => {}) {
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
  const code = await runDaemon({ name: "orch-example", description: "An example.", flags, run }, io);
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

test("faulty configuration ends with one line for each fault", async () => {
  const result = await start([], () => Promise.reject(new ConfigurationError(["a is wrong", "b is wrong"])));
  expect([result.code, result.err]).toEqual([1, "orch-example: a is wrong\norch-example: b is wrong\n"]);
});

test("an error is logged and ends with 1", async () => {
  const result = await start([], () => Promise.reject(new Error("no route")));
  expect([result.code, result.forced]).toEqual([1, [1]]);
  expect(result.err).toMatch(/^E.*\] orch-example ended err="no route"/);
});

test("an error nobody handled ends with 1", async () => {
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
