import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { get } from "node:http";
import { get as getSecurely } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "profiling-"));
const socketPath = join(directory, "debug.sock");
const servers: TestApiServer[] = [];

async function start(...flags: string[]): Promise<TestApiServer> {
  const server = await startApiServer({ flags });
  servers.push(server);
  return server;
}

let on: TestApiServer;
let off: TestApiServer;
beforeAll(async () => {
  on = await start("--contention-profiling", "--authorization-mode=RBAC");
  off = await start("--profiling=false", `--debug-socket-path=${socketPath}`);
}, 30_000);
afterAll(async () => {
  for (const server of servers) await server.stop();
  rmSync(directory, { recursive: true });
});

function statusOf(server: TestApiServer, path: string): Promise<number | undefined> {
  const options = {
    ca: readFileSync(server.caFile),
    headers: { authorization: `Bearer ${server.token}` },
    agent: false,
  };
  return new Promise((resolve, reject) =>
    getSecurely(`${server.url}${path}`, options, (answer) => resolve(answer.resume().statusCode)).on("error", reject),
  );
}

test.each([
  ["/debug/pprof/", 200],
  ["/debug/pprof/profile?seconds=0.1", 200],
  ["/debug/pprof/block?seconds=0.1", 200],
])("profiling: %s", async (path, status) => {
  expect(await statusOf(on, path)).toBe(status);
});

test("--profiling=false serves none, but the debug socket does, to its owner", async () => {
  expect(await statusOf(off, "/debug/pprof/")).toBe(404);
  expect(statSync(socketPath).mode & 0o777).toBe(0o600);
  const code = await new Promise((resolve, reject) =>
    get({ socketPath, path: "/debug/pprof/goroutine?debug=1" }, (answer) => resolve(answer.resume().statusCode)).on(
      "error",
      reject,
    ),
  );
  expect(code).toBe(200);
});
