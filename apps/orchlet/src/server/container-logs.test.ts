import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpRequest } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testContainer, testPod } from "../testing/pods.ts";
import { serveContainerLogs } from "./container-logs.ts";
import type { PodLookup } from "./pod-lookup.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-container-logs-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

test("the log is closed when its client disconnects just before a write", async () => {
  const logPath = join(dir, "0.log");
  writeFileSync(logPath, "2023-06-01T00:00:01.000000001Z stdout F one\n");
  const pod = testPod({});
  const lookup = {
    pod: () => ({ pod, identity: { uid: "u1", name: "web", namespace: "default" } }),
    loggedContainer: async () => testContainer(pod, { logPath }),
  } as unknown as PodLookup;
  /** A response whose client goes while the log is read: what is written then is refused. */
  const response = Object.assign(new EventEmitter(), {
    headersSent: false,
    writeHead: () => undefined,
    end: () => undefined,
    write() {
      response.emit("close");
      return false;
    },
  });
  const served = serveContainerLogs(
    { namespace: "default", pod: "web", container: "c", query: new URLSearchParams() },
    { lookup, isRunning: async () => false, now: () => new Date() },
    {} as HttpRequest,
    response as unknown as ServerResponse,
  );
  expect(await Promise.race([served.then(() => "served"), sleep(2000, "waits for ever")])).toBe("served");
});
