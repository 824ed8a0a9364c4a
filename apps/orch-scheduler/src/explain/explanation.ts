import type { Shortfall } from "../framework/shortfall.ts";

/** A refusal of a node by a filter plugin, or by an extender. */
export interface PluginRefusal {
  /** Name of the plugin, or address of the extender. */
  readonly plugin: string;
  /** As in the message of the decision. Not empty. */
  readonly reasons: readonly string[];
  /** Whether evicting pods from the node could change the result. */
  readonly evictionHelps: boolean;
  readonly shortfalls: readonly Shortfall[];
}

/** What the filters say about one node. */
export interface NodeVerdict {
  readonly node: string;
  /** In the order of the plugins; empty if the node fits. The first one counts in the message of the decision. */
  readonly refusals: readonly PluginRefusal[];
  /** Nominated pods for which the node is kept free, if the pod would fit without them. */
  readonly keptFor: readonly string[];
}

/** Nodes that the same plugins reject for the same reasons, or that all fit. */
export interface NodeGroup {
  /** Number of nodes. */
  readonly count: number;
  readonly refusals: readonly Pick<PluginRefusal, "plugin" | "reasons" | "evictionHelps">[];
  /** The filter plugins that accept the nodes. */
  readonly passed: readonly string[];
  /** The nodes that come closest, the closest first: all of them in a small cluster, else a few. */
  readonly nodes: readonly NodeVerdict[];
}

/** What the filters say about all nodes. */
export interface NodesExplanation {
  readonly total: number;
  /** Nodes that pass every filter. */
  readonly feasible: number;
  /** The largest first. */
  readonly groups: readonly NodeGroup[];
  /** Number of groups that were left out, and of the nodes in them. */
  readonly omitted: { readonly groups: number; readonly nodes: number };
  /** The refused nodes that come closest. */
  readonly nearest: readonly NodeVerdict[];
}

/** What a post-filter plugin does for a pod that fits no node. */
export type PreemptionExplanation =
  | { readonly plugin: string; readonly type: "nominate"; readonly node: string; readonly victims: readonly string[] }
  | { readonly plugin: string; readonly type: "none"; readonly message: string };

/** What an extender was asked about the pod, and what it answered. */
export interface ExtenderQuestion {
  readonly verb: "filter" | "prioritize" | "preempt";
  /** Number of nodes. */
  readonly asked: number;
  readonly result: /** It accepts so many nodes; as candidates of a preemption for `preempt`. */
    | { readonly type: "accepted"; readonly nodes: number }
    | { readonly type: "scored"; readonly nodes: number }
    /** It does not answer, or its answer is not valid. `isSkipped`: the decision is made without it. */
    | { readonly type: "error"; readonly message: string; readonly isSkipped: boolean };
}

/** An extender of the configuration. */
export interface ExtenderExplanation {
  /** Its address. */
  readonly extender: string;
  readonly ignorable: boolean;
  /** Whether it manages all pods, or a resource that the pod requests. Others are not asked. */
  readonly isInterested: boolean;
  /** In the order of the answers. It is only asked about nodes that the plugins accept. */
  readonly questions: readonly ExtenderQuestion[];
}

/** Something that makes the scheduler try again. */
export interface WakeEvent {
  /** Name of the event, such as `NodeAdded`. */
  readonly event: string;
  /** For people. */
  readonly text: string;
  /** The plugins that refused nodes, and that the event may make change their verdict. */
  readonly plugins: readonly string[];
}

/** A decision about a pod, with its reasons. */
export interface DecisionExplanation {
  /** Absent if there is none, because of an error. */
  readonly decision?:
    | { readonly type: "node"; readonly node: string; readonly evaluated: number; readonly feasible: number }
    | { readonly type: "unschedulable"; readonly message: string };
  /** Plugins that rejected the pod before any node was examined. */
  readonly rejections: readonly { readonly plugin: string; readonly message: string }[];
  readonly nodes: NodesExplanation;
  /** The error that ended the decision: a plugin cannot process the pod, or an extender that must be heard does not answer. */
  readonly error?: string;
  /** Absent if the configuration has no extenders. */
  readonly extenders?: readonly ExtenderExplanation[];
  /** Empty unless the pod is unschedulable. */
  readonly preemption: readonly PreemptionExplanation[];
  /** Empty unless the pod is unschedulable. */
  readonly wakes: readonly WakeEvent[];
}

/** Where the pod is. Times are seconds. */
export type PodState =
  | {
      readonly type: "queued";
      /** Part of the scheduling queue. */
      readonly place: "active" | "backoff" | "unschedulable" | "gated" | "inFlight";
      /** Attempts that were started. */
      readonly attempts: number;
      /** Since the scheduler first saw the pod. */
      readonly waitingSeconds: number;
      /** Until its back-off is over. */
      readonly retryInSeconds?: number;
    }
  /** It has scheduling gates. */
  | { readonly type: "gated"; readonly gates: readonly string[] }
  | { readonly type: "bound"; readonly node: string }
  | { readonly type: "terminating" }
  /** Another scheduler is responsible. */
  | { readonly type: "foreign"; readonly schedulerName: string }
  /** A node was chosen, and the pod is being bound to it, unless Permit plugins still hold it. */
  | { readonly type: "assumed"; readonly node: string; readonly heldBy?: readonly string[] }
  /** It is known, but not in the queue yet. */
  | { readonly type: "unqueued" };

/** What the pod's status says about the last attempt that failed. */
export interface LastAttempt {
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; when the pod became unschedulable, absent if the status does not say it. */
  readonly since?: string;
  /** Absent if there is none. */
  readonly nominatedNode?: string;
}

/** Why a pod is where it is: the result of `orch-scheduler explain -o json`. */
export interface PodExplanation extends Partial<DecisionExplanation> {
  readonly kind: "PodExplanation";
  readonly pod: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly schedulerName: string;
    readonly priority: number;
  };
  readonly state: PodState;
  readonly lastAttempt?: LastAttempt;
  /** The plugins that keep the pod out of the queue (extension point PreEnqueue); scheduling gates are in the state. Absent: none. */
  readonly holds?: readonly { readonly plugin: string; readonly message: string }[];
  /** What the decision was made without: plugins of users that are not loaded for a snapshot. Absent: nothing. */
  readonly leftOut?: readonly string[];
}
