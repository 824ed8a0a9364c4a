import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { PodRunner } from "./pod-runner.ts";

/** A pod whose last grace period is over: a server that was killed between the two writes of a removal leaves one. */
function endingPod(name: string, finalizers: readonly string[]): Stored<core.Pod> {
  return {
    metadata: {
      ...{ name, namespace: "ns", uid: name, resourceVersion: "1" },
      creationTimestamp: "2024-01-01T00:00:00Z",
      deletionTimestamp: "2024-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
      finalizers,
    },
    spec: { containers: [], nodeName: "node-1" },
    status: { phase: "Running" },
  };
}

function runner(server: FakeApiServer): PodRunner {
  const stop = new AbortController();
  const client = createClient({ server: server.url });
  onTestFinished(() => {
    stop.abort();
    client.close();
  });
  return new PodRunner({ client, nodes: ["node-1"], random: () => 0, signal: stop.signal });
}

test("pods whose grace period is over are removed, unless finalizers keep them", async () => {
  const server = await startFakeApiServer();
  onTestFinished(() => server.close());
  const runs = runner(server);
  for (const pod of [endingPod("kept", ["example.com/kept"]), endingPod("ending", [])]) runs.observe(pod, false);
  await vi.waitFor(() => expect(server.requests).not.toHaveLength(0));
  const asked = server.requests.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(asked)).toEqual(new Set(["DELETE /api/v1/namespaces/ns/pods/ending"]));
});
