import type { core } from "@orchernetes/api";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import type { PodWorkerServices } from "../pods/pod-worker-services.ts";
import {
  type ContainerObservation,
  emptyRuntime,
  type PodRuntime,
  type SandboxObservation,
} from "../runtime/pod-runtime.ts";
import { testContainer, testSandbox } from "./pods.ts";

/** Services of pod workers over a runtime in memory, and what the workers did. */
export interface FakeWorkerServices extends PodWorkerServices {
  /** What was done, such as `sandbox u1` and `start u1/c`, in order. */
  readonly done: string[];
  /** Reasons of events. */
  readonly events: string[];
  readonly statusOf: (uid: string) => core.PodStatus | undefined;
  /** Gives the runtime something of a pod. */
  readonly give: (runtime: PodRuntime) => void;
}

/** A runtime in memory in which everything works at once; `changes` replace some of the services. */
export function fakeWorkerServices(signal: AbortSignal, changes: Partial<PodWorkerServices> = {}): FakeWorkerServices {
  const done: string[] = [];
  const events: string[] = [];
  const statuses = new Map<string, core.PodStatus>();
  const runtimes = new Map<string, PodRuntime>();
  let lastId = 0;
  const uidOf = (pod: core.Pod) => pod.metadata.uid ?? "";
  const runtimeOf = (uid: string) => runtimes.get(uid) ?? emptyRuntime({ uid, name: "", namespace: "" });
  const change = (
    uid: string,
    sandboxes: readonly SandboxObservation[],
    containers: readonly ContainerObservation[],
  ): void => void runtimes.set(uid, { ...runtimeOf(uid), sandboxes, containers });

  return {
    done,
    events,
    statusOf: (uid) => statuses.get(uid),
    give: (runtime) => void runtimes.set(runtime.uid, runtime),
    clock: systemClock,
    logger: silentLogger,
    signal,
    reader: {
      outline: async () => new Map(),
      read: async ({ uid }) => runtimeOf(uid),
      unchanged: () => undefined,
      forget: () => undefined,
    },
    starter: {
      async createSandbox(pod, attempt) {
        done.push(`sandbox ${uidOf(pod)}`);
        change(uidOf(pod), [testSandbox({ id: `s${++lastId}`, attempt })], []);
      },
      async startContainer({ pod, ref: { container } }) {
        const uid = uidOf(pod);
        const { sandboxes, containers } = runtimeOf(uid);
        done.push(`start ${uid}/${container.name}`);
        const started = testContainer(pod, {
          name: container.name,
          id: `c${++lastId}`,
          sandboxId: sandboxes[0]?.id ?? "",
        });
        change(uid, sandboxes, [started, ...containers]);
        return started.id;
      },
    },
    killer: {
      kill: async () => undefined,
      killStarted: async () => undefined,
      async killPod({ uid, sandboxes, containers }) {
        done.push(`kill ${uid}`);
        change(
          uid,
          sandboxes.map((sandbox) => ({ ...sandbox, ready: false })),
          containers.map((container) => ({ ...container, phase: "exited" })),
        );
      },
    },
    ...passiveServices(),
    statuses: {
      set: (pod, status) => void statuses.set(uidOf(pod), status),
      get: (uid) => statuses.get(uid),
      flushed: async () => undefined,
      forget: () => undefined,
    },
    recordEvent: (_pod, _container, _type, reason) => void events.push(reason),
    release: async () => undefined,
    async clear({ uid }) {
      done.push(`clear ${uid}`);
      runtimes.delete(uid);
    },
    deletePod: async (pod) => void done.push(`delete ${uidOf(pod)}`),
    ...changes,
  };
}

/** The services with a killer that waits for the promise before it kills a pod. */
export const killingAfter = (gate: Promise<void>, services: FakeWorkerServices): FakeWorkerServices => ({
  ...services,
  killer: {
    ...services.killer,
    async killPod(...given) {
      await gate;
      await services.killer.killPod(...given);
    },
  },
});

/** Services that agree to everything and do nothing. */
const passiveServices = () =>
  ({
    volumes: {
      prepare: async () => new Map(),
      release: async () => undefined,
      remove: async () => undefined,
      prepared: () => undefined,
      collect: async () => undefined,
    },
    probes: {
      sync: () => undefined,
      state: () => ({ started: true, ready: true }),
      verdicts: () => new Map(),
      keepReadiness: () => undefined,
      stop: () => undefined,
    },
    admission: {
      admit: async () => undefined,
      grant: () => undefined,
      forget: () => undefined,
      blocked: () => undefined,
    },
    crashBackoff: { initialMs: 10, maxMs: 10 },
    syncMs: 60_000,
    hostIPs: () => ["127.0.0.1"],
    facts: () => ({ nodeName: "node-a", hostIPs: ["127.0.0.1"], podIPs: ["10.0.0.2"], allocatable: {} }),
    contentSources: () => ({}) as ReturnType<PodWorkerServices["contentSources"]>,
  }) satisfies Partial<PodWorkerServices>;
