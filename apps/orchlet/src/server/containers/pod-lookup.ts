import type { core } from "@orchernetes/api";
import type { PodManager } from "../../pods/pod-manager.ts";
import type { PodWorker } from "../../pods/pod-worker.ts";
import { type ContainerObservation, latestContainer, previousContainer } from "../../runtime/pod-runtime.ts";
import type { RuntimeReader } from "../../runtime/runtime-reader.ts";
import { HttpError } from "../requests/http-error.ts";

/** Finds the pod, container or sandbox of a request. */
export interface PodLookup {
  /** @throws HttpError 404 */
  pod(namespace: string, name: string, uid?: string): PodWorker;
  /** The running container of this name. @throws HttpError 500 if there is none, as in the original: only running containers are looked up */
  runningContainer(worker: PodWorker, name: string): Promise<ContainerObservation>;
  /** The container whose log is requested. @throws HttpError 400 with the original's messages, which clients show */
  loggedContainer(worker: PodWorker, name: string, previous: boolean): Promise<ContainerObservation>;
  /** Id of the sandbox to which ports are forwarded. @throws HttpError 500 if the pod does not run, as in the original */
  sandbox(worker: PodWorker): Promise<string>;
}

const pullReasons: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: "trying and failing to pull image",
};

/** Creates a lookup among the pods of the manager. */
export function createPodLookup(manager: PodManager, reader: RuntimeReader): PodLookup {
  return {
    pod(namespace, name, uid) {
      const worker = manager.find(namespace, name);
      if (worker === undefined || (uid !== undefined && worker.identity.uid !== uid))
        throw new HttpError(404, `pod "${name}" does not exist`);
      return worker;
    },
    async runningContainer(worker, name) {
      const found = latestContainer(await reader.read(worker.identity), name);
      if (found?.phase !== "running") throw new HttpError(500, `container not found ("${name}")`);
      return found;
    },
    async loggedContainer(worker, name, previous) {
      const runtime = await reader.read(worker.identity);
      const pod = worker.identity.name;
      const latest = latestContainer(runtime, name);
      if (previous) {
        const shown = statusOf(worker.status, name);
        // While the container waits for its restart, the newest instance in the runtime is the previous one.
        const found =
          latest?.phase === "exited" && shown?.state?.waiting !== undefined ? latest : previousContainer(runtime, name);
        if (found === undefined)
          throw new HttpError(400, `previous terminated container "${name}" in pod "${pod}" not found`);
        return found;
      }
      if (latest !== undefined && latest.phase !== "created") return latest;
      const reason = statusOf(worker.status, name)?.state?.waiting?.reason;
      if (reason === undefined) throw new HttpError(400, `container "${name}" in pod "${pod}" is not available`);
      throw new HttpError(
        400,
        `container "${name}" in pod "${pod}" is waiting to start: ${pullReasons[reason] ?? reason}`,
      );
    },
    async sandbox(worker) {
      const sandbox = (await reader.read(worker.identity)).sandboxes[0];
      const { name, namespace } = worker.identity;
      if (!sandbox?.ready) throw new HttpError(500, `pod not found ("${name}_${namespace}")`);
      return sandbox.id;
    },
  };
}

function statusOf(status: core.PodStatus | undefined, name: string): core.ContainerStatus | undefined {
  return [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ].find((candidate) => candidate.name === name);
}
