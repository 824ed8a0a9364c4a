import type { core } from "@orchernetes/api";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Candidate } from "../framework/candidate.ts";
import { readAnswer } from "./extender-answers.ts";
import type { ExtenderClient } from "./extender-client.ts";
import { shownAddress } from "./shown-address.ts";

/** The settings of an extender, as in its configuration. It is not called for a verb that is empty. */
export interface ExtenderSettings {
  readonly urlPrefix: string;
  readonly filterVerb: string;
  readonly prioritizeVerb: string;
  readonly preemptVerb: string;
  readonly bindVerb: string;
  readonly weight: number;
  readonly nodeCacheCapable: boolean;
  readonly ignorable: boolean;
  readonly managedResources: readonly { readonly name: string }[];
}

/** What an extender says about nodes. */
export interface FilterAnswer {
  /** Names of the nodes that pass. */
  readonly passed: readonly string[];
  /** Reasons by node. */
  readonly failed: ReadonlyMap<string, string>;
  /** Like {@link FilterAnswer.failed}, of nodes where preemption does not help. */
  readonly unresolvable: ReadonlyMap<string, string>;
}

/** Whether a pod asks for a resource that an extender manages; an extender that names none manages all pods. */
export function concerns(
  { managedResources }: Pick<ExtenderSettings, "managedResources">,
  { spec }: Pick<core.Pod, "spec">,
): boolean {
  if (managedResources.length === 0) return true;
  return [...spec.containers, ...(spec.initContainers ?? [])].some(({ resources }) =>
    managedResources.some(
      ({ name }) => Object.hasOwn(resources?.requests ?? {}, name) || Object.hasOwn(resources?.limits ?? {}, name),
    ),
  );
}

/** Scores of an extender are 0 to 10, those of plugins 0 to 100. */
const SCALE = 10;

/**
 * A service that takes part in decisions: it removes nodes, scores them, chooses victims, or binds. Every method rejects
 * with an Error when the extender does not answer, or answers nonsense.
 */
export class Extender {
  readonly settings: ExtenderSettings;
  readonly #client: ExtenderClient;

  constructor(settings: ExtenderSettings, client: ExtenderClient) {
    this.settings = settings;
    this.#client = client;
  }

  /** Its address, for messages. */
  get name(): string {
    return shownAddress(this.settings.urlPrefix);
  }

  /** Whether it manages a resource that the pod asks for, or all pods. */
  isInterested({ pod }: PodInfo): boolean {
    return concerns(this.settings, pod);
  }

  async filter(info: PodInfo, nodes: readonly core.Node[], signal: AbortSignal): Promise<FilterAnswer> {
    const { filterVerb, nodeCacheCapable } = this.settings;
    const answer = readAnswer.filter(await this.#client.post(filterVerb, this.#arguments(info, nodes), signal));
    if (answer.Error !== "") throw new Error(answer.Error);
    const names = nodeCacheCapable && answer.NodeNames !== undefined ? answer.NodeNames : namesOf(answer.Nodes?.items);
    const sent = new Set(nodes.map(({ metadata }) => metadata.name));
    const unknown = names.find((name) => !sent.has(name));
    if (unknown !== undefined)
      throw new Error(
        `extender "${this.name}" claims a filtered node "${unknown}" which is not found in the input node list`,
      );
    return {
      passed: [...new Set(names)],
      failed: new Map(Object.entries(answer.FailedNodes)),
      unresolvable: new Map(Object.entries(answer.FailedAndUnresolvableNodes)),
    };
  }

  /** Weighted scores by node, in the range of plugins' scores. */
  async prioritize(
    info: PodInfo,
    nodes: readonly core.Node[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const { prioritizeVerb, weight } = this.settings;
    const answer = readAnswer.prioritize(await this.#client.post(prioritizeVerb, this.#arguments(info, nodes), signal));
    return new Map(answer.map(({ Host, Score }) => [Host, Score * weight * SCALE]));
  }

  /**
   * The candidates for a preemption that remain, with the victims that the extender chooses among the pods of their nodes.
   *
   * @param podsOn the pods of a node, by its name
   */
  async preempt(
    info: PodInfo,
    candidates: readonly Candidate[],
    podsOn: (node: string) => readonly PodInfo[],
    signal: AbortSignal,
  ): Promise<readonly Candidate[]> {
    const { preemptVerb, nodeCacheCapable } = this.settings;
    const victims = Object.fromEntries(
      candidates.map(({ node, victims: pods, violations }) => [
        node,
        {
          Pods: pods.map(({ pod, uid }) => (nodeCacheCapable ? { UID: uid } : pod)),
          NumPDBViolations: violations,
        },
      ]),
    );
    const body = { Pod: info.pod, [nodeCacheCapable ? "NodeNameToMetaVictims" : "NodeNameToVictims"]: victims };
    const answer = readAnswer.preempt(await this.#client.post(preemptVerb, body, signal));
    return Object.entries(answer.NodeNameToMetaVictims).flatMap(([node, chosen]) => {
      const sent = candidates.find((candidate) => candidate.node === node);
      const candidate = sent && this.#chosen(sent, chosen?.Pods ?? [], podsOn(node), chosen?.NumPDBViolations ?? 0);
      if (sent === undefined) throw new Error(`extender "${this.name}" names node "${node}", which is not a candidate`);
      return candidate ?? [];
    });
  }

  /** The candidate with other victims; undefined if an ignorable extender names none. */
  #chosen(
    candidate: Candidate,
    chosen: readonly { readonly UID: string }[],
    pods: readonly PodInfo[],
    violations: number,
  ): Candidate | undefined {
    const { node } = candidate;
    const victims = chosen.map(({ UID }) => {
      const pod = pods.find(({ uid }) => uid === UID);
      if (pod !== undefined) return pod;
      throw new Error(
        `extender: ${this.name} claims to preempt pod (UID: ${UID}) on node: ${node}, but the pod is not found on that node`,
      );
    });
    if (victims.length > 0) return { ...candidate, victims, violations };
    if (this.settings.ignorable) return undefined;
    throw new Error(`expected at least one victim pod on node "${node}"`);
  }

  async bind({ pod, namespace, uid }: PodInfo, node: string, signal: AbortSignal): Promise<void> {
    const body = { PodName: pod.metadata.name, PodNamespace: namespace, PodUID: uid, Node: node };
    const answer = readAnswer.bind(await this.#client.post(this.settings.bindVerb, body, signal));
    if (answer !== null && answer.Error !== "") throw new Error(answer.Error);
  }

  #arguments({ pod }: PodInfo, nodes: readonly core.Node[]): object {
    if (this.settings.nodeCacheCapable) return { Pod: pod, NodeNames: nodes.map(({ metadata }) => metadata.name) };
    return { Pod: pod, Nodes: { metadata: {}, items: nodes } };
  }
}

const namesOf = (items: readonly { readonly metadata: { readonly name: string } }[] = []): readonly string[] =>
  items.map(({ metadata }) => metadata.name);
