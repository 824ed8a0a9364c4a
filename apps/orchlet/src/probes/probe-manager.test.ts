import http from "node:http";
import type { AddressInfo } from "node:net";
import { createMetrics } from "@orchernetes/component";
import type { CriClient } from "@orchernetes/cri";
import { FakeClock, silentLogger, systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { testContainer, testPod, testRuntime } from "../testing/pods.ts";
import { createProbeManager } from "./probe-manager.ts";

test("a probe that succeeds with a warning makes the container ready, and an event reports the warning", async () => {
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

test("while a pod terminates, its running containers stay ready, and only their readiness probes continue", async () => {
  const asked: string[] = [];
  const cri = {
    runtime: {
      async execSync({ cmd: [kind = ""] }: { cmd: string[] }) {
        asked.push(kind);
        return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 };
      },
    },
  } as unknown as CriClient;
  const probe = (kind: string) => ({ exec: { command: [kind] }, periodSeconds: 1 });
  const ofContainer = { image: "i", readinessProbe: probe("ready"), livenessProbe: probe("live") };
  const pod = testPod({ containers: ["c", "d"].map((name) => ({ name, ...ofContainer })) });
  const clock = new FakeClock();
  const flush = async () => {
    for (let i = 0; i < 50; i++) await Promise.resolve();
  };
  const probes = createProbeManager({
    ...{ cri, clock, logger: silentLogger, onChange: () => undefined, recordEvent: () => undefined },
  });
  const containers = ["c", "d"].map((name) =>
    testContainer(pod, { name, id: name, startedAtMs: clock.now().getTime() }),
  );
  const isReady = () => pod.spec.containers.map((one) => probes.state(one.name, one).ready);
  probes.sync(pod, testRuntime(containers));
  await flush();
  expect(asked.sort()).toEqual(["live", "live", "ready", "ready"]);
  asked.length = 0;
  probes.keepReadiness("u1", testRuntime(containers.slice(0, 1)));
  clock.advance(1000);
  await flush();
  expect([asked, isReady()]).toEqual([["ready"], [true, false]]);
  probes.stop("u1");
  clock.advance(1000);
  await flush();
  expect([asked, isReady()]).toEqual([["ready"], [false, false]]);
});

test("a container whose startup probe succeeds is checked for readiness at once, and for liveness after the period", async () => {
  const asked: string[] = [];
  const cri = {
    runtime: {
      async execSync({ cmd: [kind = ""] }: { cmd: string[] }) {
        asked.push(`${clock.monotonicMs() / 1000} ${kind}`);
        const exitCode = kind === "start" && clock.monotonicMs() < 2000 ? 1 : 0;
        return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode };
      },
    },
  } as unknown as CriClient;
  const probe = (kind: string, periodSeconds: number) => ({ exec: { command: [kind] }, periodSeconds });
  const probed = {
    ...{ startupProbe: probe("start", 1), readinessProbe: probe("ready", 4), livenessProbe: probe("live", 4) },
  };
  const pod = testPod({ containers: [{ name: "c", image: "i", ...probed }] });
  const clock = new FakeClock();
  const probes = createProbeManager({
    ...{ cri, clock, logger: silentLogger, onChange: () => undefined, recordEvent: () => undefined },
  });
  probes.sync(pod, testRuntime([testContainer(pod, { startedAtMs: clock.now().getTime() })]));
  for (let second = 0; second < 7; second++) {
    for (let i = 0; i < 50; i++) await Promise.resolve();
    clock.advance(1000);
  }
  expect(asked).toEqual(["0 start", "1 start", "2 start", "2 ready", "4 live", "6 ready"]);
  probes.stop(pod.metadata.uid ?? "");
});

test("the series of a pod's probes end with the pod, and those of others stay", async () => {
  const cri = {
    runtime: { execSync: async () => ({ stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 }) },
  } as unknown as CriClient;
  const metrics = createMetrics();
  const clock = new FakeClock();
  const probes = createProbeManager({
    ...{ cri, clock, logger: silentLogger, onChange: () => undefined, recordEvent: () => undefined },
    results: metrics.counter({
      ...{ name: "results", help: "Results." },
      labelNames: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
    }),
    durations: metrics.histogram({
      ...{ name: "durations", help: "Durations." },
      labelNames: ["probe_type", "container", "pod", "namespace"],
    }),
  });
  const shown = () => [...new Set(metrics.render().match(/(?<=pod=")[^"]*/g))];
  const readinessProbe = { exec: { command: ["true"] } };
  for (const name of ["first", "second"]) {
    const pod = testPod({ containers: [{ name: "c", image: "i", readinessProbe }] }, { name, uid: name });
    const running = testContainer(pod, { id: name, startedAtMs: clock.now().getTime() });
    probes.sync(pod, testRuntime([running]));
    // A container that has ended before its pod has series, too.
    probes.sync(pod, testRuntime([]));
    probes.sync(pod, testRuntime([{ ...running, id: `${name}-again` }]));
  }
  await expect.poll(shown).toEqual(["first", "second"]);
  probes.stop("first");
  expect(shown()).toEqual(["second"]);
  probes.stop("second");
  expect(shown()).toEqual([]);
});
