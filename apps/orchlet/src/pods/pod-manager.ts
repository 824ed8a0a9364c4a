import type { core } from "@orchernetes/api";
import type { PodFailure } from "../types/pod-failure.ts";
import { identityOf, isStaticPod, type PodIdentity } from "../types/pod-identity.ts";
import { PodWorker } from "./pod-worker.ts";
import type { PodWorkerServices } from "./pod-worker-services.ts";
import { PodWorkers } from "./pod-workers.ts";

/** All pods of this node, each with its worker. */
export interface PodManager {
  /** Adds a pod of a source, or updates it. */
  set(pod: core.Pod): void;
  /** Removes a pod that its source no longer has: it terminates. */
  remove(uid: string): void;
  /** Terminates a pod with phase Failed. */
  fail(uid: string, failure: PodFailure): void;
  /** Causes a round of the pod. */
  wake(uid: string): void;
  /** Removes the containers and sandboxes of a pod that no source has. */
  clearOrphan(identity: PodIdentity): void;
  has(uid: string): boolean;
  get(uid: string): PodWorker | undefined;
  /**
   * Finds a pod by namespace and name. If a terminating pod and its successor share them, the successor is returned.
   */
  find(namespace: string, name: string): PodWorker | undefined;
  list(): readonly PodWorker[];
  /** Whether a static pod with this name terminates and has not ended. */
  isEnding(namespace: string, name: string): boolean;
  /** Whether a static pod waits for another one with its name. */
  isWaiting(uid: string): boolean;
  /** Calls the listener with the name of each static pod that is gone, when its successor has started. */
  onStaticGone(listener: (namespace: string, name: string) => void): void;
  /** Resolves when all workers have ended; they do when the services' signal aborts. */
  stopped(): Promise<void>;
}

/**
 * Creates the manager of this node's pods.
 *
 * @param workers registry of the workers, for components that are created before the manager
 */
export function createPodManager(services: PodWorkerServices, workers = new PodWorkers()): PodManager {
  /** Static pods that wait until their predecessor with the same name has terminated, by namespace and name. */
  const successors = new Map<string, core.Pod>();
  const listeners: ((namespace: string, name: string) => void)[] = [];

  const start = (identity: PodIdentity, pod: core.Pod | undefined): void => {
    const worker = new PodWorker(identity, pod, services);
    workers.add(worker);
    void worker.done.then((restart) => {
      workers.remove(identity.uid);
      services.statuses.forget(identity.uid);
      services.probes.stop(identity.uid);
      services.admission.forget(identity.uid);
      services.lives?.forget(identity.uid);
      if (services.signal.aborted) return;
      if (restart !== undefined) {
        services.lives?.restarted(restart);
        start(identity, restart);
      }
      startSuccessor(identity);
      if (worker.mayBeStatic) for (const listener of listeners) listener(identity.namespace, identity.name);
    });
  };

  const startSuccessor = (identity: PodIdentity): void => {
    const successor = successors.get(nameOf(identity));
    if (successor === undefined || predecessorOf(successor) !== undefined) return;
    successors.delete(nameOf(identity));
    start(identityOf(successor), successor);
  };

  /**
   * The worker that must be done before a static pod starts: that of another static pod with its name, or its own that terminates. A pod
   * of the API server with its name does not keep it from starting.
   */
  const predecessorOf = (pod: core.Pod): PodWorker | undefined => {
    const identity = identityOf(pod);
    return workers
      .list()
      .find(
        (worker) =>
          worker.mayBeStatic &&
          nameOf(worker.identity) === nameOf(identity) &&
          (worker.identity.uid !== identity.uid || worker.removed),
      );
  };

  return {
    set(pod) {
      const identity = identityOf(pod);
      const worker = workers.get(identity.uid);
      if (isStaticPod(pod) && predecessorOf(pod) !== undefined) successors.set(nameOf(identity), pod);
      else if (worker === undefined) start(identity, pod);
      else worker.update(pod);
    },
    remove(uid) {
      workers.get(uid)?.remove();
      for (const [name, pod] of successors) if (pod.metadata.uid === uid) successors.delete(name);
    },
    fail: (uid, failure) => workers.get(uid)?.fail(failure),
    wake: (uid) => workers.wake(uid),
    clearOrphan(identity) {
      if (!workers.has(identity.uid)) start(identity, undefined);
    },
    has: (uid) => workers.has(uid),
    get: (uid) => workers.get(uid),
    find: (namespace, name) =>
      workers
        .list()
        .filter((worker) => worker.identity.namespace === namespace && worker.identity.name === name)
        .at(-1),
    list: () => workers.list(),
    isEnding: (namespace, name) =>
      workers
        .list()
        .some(
          (worker) =>
            worker.mayBeStatic &&
            worker.isEnding &&
            !worker.isOver &&
            nameOf(worker.identity) === nameOf({ uid: "", namespace, name }),
        ),
    isWaiting: (uid) => [...successors.values()].some(({ metadata }) => metadata.uid === uid),
    onStaticGone: (listener) => void listeners.push(listener),
    stopped: async () => void (await Promise.all(workers.list().map(({ done }) => done))),
  };
}

const nameOf = ({ namespace, name }: PodIdentity): string => `${namespace}/${name}`;
