import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpRequest } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { testContainer, testPod } from "../../testing/pods.ts";
import { serveContainerLogs } from "./container-logs.ts";
import type { PodLookup } from "./pod-lookup.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-container-logs-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Serves the log of a pod that is in `dir`. */
function serve(response: object): Promise<void> {
  const pod = testPod({});
  const lookup = {
    pod: () => ({ pod, identity: { uid: "u1", name: "web", namespace: "default" } }),
    loggedContainer: async () => testContainer(pod, { logPath: join(dir, "0.log") }),
  } as unknown as PodLookup;
  return serveContainerLogs(
    { namespace: "default", pod: "web", container: "c", query: new URLSearchParams() },
    { lookup, isRunning: async () => false, now: () => new Date() },
    {} as HttpRequest,
    response as unknown as ServerResponse,
  );
}

test("the log is closed when its client disconnects just before a write", async () => {
  writeFileSync(join(dir, "0.log"), "2023-06-01T00:00:01.000000001Z stdout F one\n");
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
  expect(await Promise.race([serve(response).then(() => "served"), sleep(2000, "waits for ever")])).toBe("served");
});

test("a slow reader of a long log costs no more memory than one of a short log", async () => {
  writeFileSync(join(dir, "0.log"), "2023-06-01T00:00:01.000000001Z stdout F one\n".repeat(20_000));
  const response = Object.assign(new EventEmitter(), {
    headersSent: true,
    end: () => undefined,
    write() {
      setImmediate(() => response.emit("drain"));
      return false;
    },
  });
  const added = vi.spyOn(EventTarget.prototype, "addEventListener");
  const removed = vi.spyOn(EventTarget.prototype, "removeEventListener");
  await serve(response);
  const counts = [added, removed].map(({ mock }) => mock.calls.filter(([type]) => type === "abort").length);
  added.mockRestore();
  removed.mockRestore();
  expect(counts[0]).toBeGreaterThan(10);
  expect(counts[1]).toBe(counts[0]);
});
