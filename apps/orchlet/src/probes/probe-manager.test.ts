import http from "node:http";
import type { AddressInfo } from "node:net";
import type { CriClient } from "@orchernetes/cri";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { testContainer, testPod, testRuntime } from "../testing/pods.ts";
import { createProbeManager } from "./probe-manager.ts";

test("a probe that succeeds with a warning makes the container ready, and an event tells the warning", async () => {
  const server = http.createServer((_, response) =>
    response.writeHead(302, { location: "http://192.0.2.1/" }).end("x"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const readinessProbe = { httpGet: { port, host: "127.0.0.1" } };
  const pod = testPod({ containers: [{ name: "c", image: "i", readinessProbe }] });
  const events: unknown[] = [];
  const ready = Promise.withResolvers<void>();
  const probes = createProbeManager({
    ...{ cri: {} as CriClient, clock: systemClock, logger: silentLogger, onChange: () => ready.resolve() },
    recordEvent: (_pod, _container, ...event) => events.push(event),
  });
  try {
    const running = testContainer(pod, { startedAtMs: Date.now() });
    probes.sync(pod, testRuntime([running]));
    await ready.promise;
    const [container] = pod.spec.containers;
    expect(container && probes.state(running.id, container)).toEqual({ started: true, ready: true });
    expect(events).toEqual([
      ["Warning", "ProbeWarning", "Readiness probe warning: Probe terminated redirects, Response body: x"],
    ]);
  } finally {
    probes.stop(pod.metadata.uid ?? "");
    server.close();
  }
});
