import { createClient } from "@orchernetes/client";
import { startFakeApiServer } from "@orchernetes/client/testing";
import { silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { isCriticalPod, isStaticPod } from "../types/pod-identity.ts";
import { podInformer } from "./api-source.ts";

test.each([
  ["file", "api"],
  ["http", "api"],
  [undefined, undefined],
])("a pod of the API server with the annotation config.source %j is not a static pod", async (given, want) => {
  const name = "orchernetes.io/config.source";
  const annotations = { other: "x", ...(given === undefined ? {} : { [name]: given }) };
  const server = await startFakeApiServer();
  const client = createClient({ server: server.url });
  const stop = new AbortController();
  try {
    const { metadata, spec, status } = testPod({ nodeName: "n" }, { annotations });
    server.put("/api/v1/pods", { kind: "Pod", apiVersion: "v1", metadata: { ...metadata }, spec, status });
    const informer = podInformer(client, "n", silentLogger);
    void informer.run(stop.signal);
    await informer.waitForSync(stop.signal);
    const [pod] = informer.lister.list();
    expect(pod?.metadata.annotations).toEqual({ other: "x", ...(want === undefined ? {} : { [name]: want }) });
    expect(pod && [isStaticPod(pod), isCriticalPod(pod)]).toEqual([false, false]);
  } finally {
    stop.abort();
    client.close();
    await server.close();
  }
});
