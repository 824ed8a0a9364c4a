import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPlainServing, respond } from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, expect, test } from "vitest";
import { type OperatorSettings, operatorHandlers } from "./operator-handlers.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-operator-handlers-"));
writeFileSync(join(dir, "syslog"), "a line\n");
afterAll(() => rmSync(dir, { recursive: true }));

const all: OperatorSettings = {
  enableDebuggingHandlers: true,
  enableProfilingHandler: true,
  enableContentionProfiling: false,
  enableDebugFlagsHandler: true,
  enableSystemLogHandler: true,
  enableSystemLogQuery: true,
};

/** The answers to requests with these settings; 599 where no handler takes one. */
async function answers(
  settings: OperatorSettings | undefined,
  requests: readonly (readonly [string, string, string?])[],
) {
  const levels: number[] = [];
  const setVerbosity = (level: number) => void levels.push(level);
  const handlers = operatorHandlers(settings, { setVerbosity, logRoot: dir, queries: true });
  const serving = await createPlainServing(
    { bindAddress: "127.0.0.1", port: 0, logger: silentLogger },
    async (request, response) => {
      for (const handle of handlers) if (await handle(request, response)) return;
      respond(request, response, 599, {}, "");
    },
  );
  try {
    const found: (readonly [number, string])[] = [];
    for (const [method, path, body] of requests) {
      const response = await fetch(`http://127.0.0.1:${serving.port}${path}`, { method, body: body ?? null });
      found.push([response.status, (await response.text()).slice(0, 60)]);
    }
    return { found, levels };
  } finally {
    await serving.close();
  }
}

test("all handlers are served", async () => {
  const { found, levels } = await answers(all, [
    ["GET", "/debug/pprof/cmdline"],
    ["GET", "/debug/pprof/block?seconds=1"],
    ["PUT", "/debug/flags/v", "3"],
    ["GET", "/logs/syslog"],
    ["GET", "/logs/?query=%20"],
    ["GET", "/pods"],
  ]);
  expect(found.map(([status]) => status)).toEqual([200, 404, 200, 200, 400, 599]);
  expect(levels).toEqual([3]);
});

// shows: enableDebuggingHandlers, enableProfilingHandler, enableDebugFlagsHandler, enableSystemLogHandler, enableSystemLogQuery
test.each<[keyof OperatorSettings, string, string, readonly [number, string]]>([
  ["enableProfilingHandler", "GET", "/debug/pprof/cmdline", [405, "profiling endpoint is disabled.\n"]],
  ["enableDebugFlagsHandler", "PUT", "/debug/flags/v", [405, "flags endpoint is disabled.\n"]],
  ["enableSystemLogHandler", "GET", "/logs/syslog", [405, "logs endpoint is disabled.\n"]],
  ["enableSystemLogQuery", "GET", "/logs/?query=%20", [200, '<pre>\n<a href="syslog">syslog</a>\n</pre>\n']],
  ["enableDebuggingHandlers", "GET", "/debug/pprof/", [405, "Debug endpoints are disabled.\n"]],
  ["enableDebuggingHandlers", "GET", "/logs/", [405, "Debug endpoints are disabled.\n"]],
  ["enableDebuggingHandlers", "GET", "/runningpods", [405, "Debug endpoints are disabled.\n"]],
  ["enableDebuggingHandlers", "GET", "/containerLogs/a/b/c", [405, "Debug endpoints are disabled.\n"]],
  ["enableDebuggingHandlers", "PUT", "/debug/flags/v", [599, ""]],
])("without %s, %s %s is answered with %j", async (field, method, path, want) => {
  const { found, levels } = await answers({ ...all, [field]: false }, [[method, path]]);
  expect([found, levels]).toEqual([[want], []]);
});

// shows: enableContentionProfiling
test("with contention profiling, the block profile is served", async () => {
  const { found } = await answers({ ...all, enableContentionProfiling: true }, [
    ["GET", "/debug/pprof/block?seconds=0.01"],
  ]);
  expect(found[0]?.[0]).toBe(200);
});
