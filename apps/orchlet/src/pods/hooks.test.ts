import http from "node:http";
import type { AddressInfo } from "node:net";
import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import { expect, onTestFinished, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { runHook } from "./hooks.ts";

const [container] = testPod({}).spec.containers;
if (container === undefined) throw new Error("the test pod has no container");

/** What a hook of container "c" ends with, if its command exits with this code; undefined if it succeeds. */
const run = (handler: core.LifecycleHandler, exitCode = 0, onFallback = (_: string) => {}): Promise<unknown> => {
  const execSync = async () => ({ stdout: Buffer.from("out\n"), stderr: Buffer.from("err\n"), exitCode });
  const cri = { runtime: { execSync } } as unknown as CriClient;
  const target = { containerId: "1", container: container as core.Container, podIP: "127.0.0.1" };
  return runHook(handler, target, {
    cri,
    podText: "web_default(u1)",
    onFallback,
    signal: new AbortController().signal,
  }).then(
    () => undefined,
    (error: Error) => error.message,
  );
};

test.each<[string, core.LifecycleHandler, number, string | undefined]>([
  ["a command that succeeds", { exec: { command: ["true"] } }, 0, undefined],
  [
    "a command that fails",
    { exec: { command: ["sh", "-c", "exit 9"] } },
    9,
    `Exec lifecycle hook ([sh -c exit 9]) for Container "c" in Pod "web_default(u1)" failed - error: command 'sh -c exit 9' exited with 9: err\n, message: "out\\nerr\\n"`,
  ],
  [
    "a request that fails",
    { httpGet: { path: "/x", port: 1 } },
    0,
    `HTTP lifecycle hook (/x) for Container "c" in Pod "web_default(u1)" failed - error: Get "http://127.0.0.1:1/x": dial tcp 127.0.0.1:1: connect: connection refused`,
  ],
  [
    "a handler that the original does not run",
    { tcpSocket: { port: 80 } },
    0,
    'Cannot run handler: invalid handler: {"tcpSocket":{"port":80}}',
  ],
])("the end of a hook with %s", async (_, handler, exitCode, message) => {
  expect(await run(handler, exitCode)).toBe(message);
});

test("a request over HTTPS that is answered in HTTP is repeated over HTTP, without credentials", async () => {
  const seen: http.IncomingHttpHeaders[] = [];
  const server = http.createServer(({ headers }, response) => {
    seen.push(headers);
    response.writeHead(500).end();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const httpHeaders = [
    { name: "Authorization", value: "secret" },
    { name: "X-Kept", value: "yes" },
  ];
  const events: string[] = [];
  const hook: core.LifecycleHandler = { httpGet: { port, scheme: "HTTPS", path: "/stop", httpHeaders } };
  expect(await run(hook, 0, (message) => events.push(message))).toBeUndefined();
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ "user-agent": "orch-lifecycle/1.27", "x-kept": "yes" });
  expect(seen[0]?.authorization).toBeUndefined();
  expect(events).toEqual([
    `request to HTTPS lifecycle hook 127.0.0.1:${port} got HTTP response, retry with HTTP succeeded`,
  ]);
});
