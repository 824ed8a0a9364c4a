import { mkdtempSync, rmSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CriClient, CriError } from "@orchernetes/cri";
import type { HttpRequest } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testContainer, testPod, testRuntime } from "../../testing/pods.ts";
import { HttpError } from "../requests/http-error.ts";
import { serveCheckpoint } from "./checkpoint.ts";
import type { PodLookup } from "./pod-lookup.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-checkpoint-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const pod = testPod({});
const lookup = {
  pod(namespace: string, name: string) {
    if (name !== "web") throw new HttpError(404, `pod "${name}" does not exist`);
    return { pod, identity: { uid: "u1", name, namespace } };
  },
} as unknown as PodLookup;

/** Requests a checkpoint. @param runtime what the runtime does */
async function call(
  { pod: name = "web", container = "c", query = "" },
  runtime: (request: object) => Promise<object> = async () => ({}),
) {
  let status = 0;
  let body = "";
  const response = {
    headersSent: false,
    writeHead: (code: number) => {
      status = code;
    },
    end: (text: string) => {
      body = text;
    },
  };
  const requests: object[] = [];
  await serveCheckpoint(
    { namespace: "default", pod: name, container, query: new URLSearchParams(query) },
    {
      lookup,
      reader: { read: async () => testRuntime([testContainer(pod, { id: "id1" })]) },
      cri: {
        runtime: {
          checkpointContainer: (request: object) => {
            requests.push(request);
            return runtime(request);
          },
        },
      } as unknown as CriClient,
      folder: join(dir, "checkpoints"),
      clock: { now: () => new Date("2023-06-01T01:02:03.456Z") },
    },
    { method: "POST" } as HttpRequest,
    response as unknown as ServerResponse,
  );
  return { status, body, requests };
}

test("the runtime writes the checkpoint to a private folder, and the response is its path", async () => {
  const location = join(dir, "checkpoints", "checkpoint-web_default-c-2023-06-01T01:02:03Z.tar");
  expect(await call({ query: "timeout=5&timeout=7" })).toEqual({
    status: 200,
    body: JSON.stringify({ items: [location] }),
    requests: [{ containerId: "id1", location, timeout: 7 }],
  });
  expect(statSync(join(dir, "checkpoints")).mode & 0o777).toBe(0o700);
});

test.each([
  [{ pod: "other" }, "pod does not exist\n"],
  [{ container: "other" }, "container other does not exist\n"],
  [{ query: "timeout=x" }, "cannot parse value of timeout parameter\n"],
])("%j is answered with 404", async (target, body) => {
  expect(await call(target)).toEqual({ status: 404, body, requests: [] });
});

test("if the runtime does not support checkpoints, the response is 500 with its error", async () => {
  const unimplemented = async () => {
    throw new CriError("CheckpointContainer", "Unimplemented", "method CheckpointContainer not implemented");
  };
  expect(await call({}, unimplemented)).toMatchObject({
    status: 500,
    body: "checkpointing of default/web/c failed (rpc error: code = Unimplemented desc = method CheckpointContainer not implemented)\n",
  });
});
