import type { ListedContainer, ListedSandbox } from "@orchernetes/cri";
import { isPathPart } from "../util/paths.ts";
import { podNameLabel, podNamespaceLabel, podUidLabel } from "./labels.ts";

/** A pod in the runtime's lists. */
interface PodOutline {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Text that changes whenever the state of a sandbox or container of the pod changes. */
  readonly fingerprint: string;
  /** Number of running containers. */
  readonly running: number;
}

/** The pods of the runtime's lists, by uid. */
export type PodOutlines = ReadonlyMap<string, PodOutline>;

/**
 * Makes outlines of lists of all sandboxes and containers. As long as the lists show the same as before, the outlines are those of before: the
 * lists are read every second, and hardly ever has anything changed.
 */
export class OutlineMaker {
  /** States by id. */
  #states: ReadonlyMap<string, string> = new Map();
  #outlines: PodOutlines = new Map();

  outlinesOf(sandboxes: readonly ListedSandbox[], containers: readonly ListedContainer[]): PodOutlines {
    const isAsBefore = ({ id, state }: ListedSandbox | ListedContainer): boolean => this.#states.get(id) === state;
    const count = sandboxes.length + containers.length;
    if (count === this.#states.size && sandboxes.every(isAsBefore) && containers.every(isAsBefore))
      return this.#outlines;
    // Labels that cannot be read throw: then the lists before stay those that are compared.
    this.#outlines = outlinesOf(sandboxes, containers);
    this.#states = new Map([...sandboxes, ...containers].map(({ id, state }) => [id, state]));
    return this.#outlines;
  }
}

/** Groups sandboxes and containers by the pods in their labels. */
export function outlinesOf(sandboxes: readonly ListedSandbox[], containers: readonly ListedContainer[]): PodOutlines {
  const pods = new Map<string, { name: string; namespace: string; running: number; parts: string[] }>();
  const podOf = (labels: Readonly<Record<string, string>>) => {
    const uid = labels[podUidLabel];
    if (uid === undefined) return undefined;
    const { [podNameLabel]: name = "", [podNamespaceLabel]: namespace = "" } = labels;
    if (!isPathPart(uid) || !isPathPart(`${namespace}_${name}_${uid}`)) return undefined;
    let pod = pods.get(uid);
    if (pod === undefined) {
      pod = { name, namespace, running: 0, parts: [] };
      pods.set(uid, pod);
    }
    return pod;
  };
  for (const { id, state, labels } of sandboxes) podOf(labels)?.parts.push(`${id}:${state}`);
  for (const { id, state, labels } of containers) {
    const pod = podOf(labels);
    if (pod === undefined) continue;
    pod.parts.push(`${id}:${state}`);
    if (state === "CONTAINER_RUNNING") pod.running += 1;
  }
  return new Map(
    [...pods].map(([uid, { name, namespace, running, parts }]) => [
      uid,
      { uid, name, namespace, running, fingerprint: parts.sort().join(" ") },
    ]),
  );
}
