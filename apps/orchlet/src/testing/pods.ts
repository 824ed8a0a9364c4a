import { core } from "@orchernetes/api";
import { type Draft, decoderFor } from "@orchernetes/apimachinery";
import type { ContainerObservation, PodRuntime, SandboxObservation } from "../runtime/pod-runtime.ts";
import { containerHash } from "../types/container.ts";

/** A pod with defaults filled in, from what matters to a test. */
export function testPod(spec: object, metadata: object = {}): core.Pod {
  const pod = decoderFor(core.Pod).decode({
    metadata: { name: "web", namespace: "default", uid: "u1", ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
    status: {},
  });
  core.defaultPod(pod as Draft<core.Pod>);
  return pod;
}

/** A sandbox that is ready. */
export function testSandbox(changes: Partial<SandboxObservation> = {}): SandboxObservation {
  return {
    id: "s0",
    attempt: 0,
    ready: true,
    createdAtMs: 1,
    ips: ["10.0.0.2"],
    hostNetwork: false,
    annotations: {},
    ...changes,
  };
}

/** A container of a pod, running unless said otherwise, as it would have been made from the pod. */
export function testContainer(pod: core.Pod, changes: Partial<ContainerObservation> = {}): ContainerObservation {
  const name = changes.name ?? "c";
  const spec = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find((c) => c.name === name);
  return {
    id: `${name}-0`,
    name,
    sandboxId: "s0",
    restartCount: 0,
    phase: "running",
    createdAtMs: 1,
    startedAtMs: 2,
    finishedAtMs: 0,
    exitCode: 0,
    reason: "",
    message: "",
    image: "i",
    imageRef: "sha256:0",
    hash: spec === undefined ? "" : containerHash(spec),
    logPath: "/log",
    annotations: {},
    ...changes,
  };
}

/** What the runtime has of the test pod. */
export function testRuntime(
  containers: readonly ContainerObservation[] = [],
  sandboxes: readonly SandboxObservation[] = [testSandbox()],
): PodRuntime {
  return { uid: "u1", name: "web", namespace: "default", sandboxes, containers };
}
