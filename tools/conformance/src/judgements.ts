import type { Origin } from "./options.ts";

/** Explains why a spec that expects behaviour which level 1.27 no longer has fails rightly. */
export interface Judgement {
  /** Matches the spec's name. */
  readonly spec: RegExp;
  /** The agent with which it fails. @default every one */
  readonly agent?: Origin;
  readonly why: string;
}

/** Why specs that run commands in containers fail with the suite's agent. */
const STREAMS =
  "the agent of level 1.20 passes the names of streaming protocols on as the client spells them, v4.channel.o8s.io, and containerd knows " +
  "v4.channel.k8s.io; this project's agent translates them";

/** The first match applies. Only failed specs are looked up. */
export const JUDGEMENTS: readonly Judgement[] = [
  {
    spec: /ServiceAccounts should (mount an API token|allow opting out)/,
    why: "the spec waits for the secret of a service account; accounts have none of their own since 1.24",
  },
  {
    spec: /Events API should ensure that an event can be fetched, patched/,
    why: "the spec changes the note of an event of events.o8s.io/v1, which is immutable there; level 1.20 compared the event with itself",
  },
  {
    spec: /CustomResourcePublishOpenAPI .* works for CRD preserving unknown fields/,
    why: "the suite's own client writes x-kubernetes-preserve-unknown-fields into the definition, a name that this dialect does not have",
  },
  {
    spec: /CustomResourcePublishOpenAPI/,
    why: "the spec compares the extensions of a schema literally; both spellings, x-orchernetes-* and x-kubernetes-*, are written on purpose",
  },
  {
    spec: /Pod should avoid nodes that have avoidPod annotation/,
    why: "the spec needs the plugin NodePreferAvoidPods, which level 1.27 does not have",
  },
  {
    spec: /\[sig-network\] (EndpointSlice|EndpointSliceMirroring) should/,
    why: "the spec asks for discovery.o8s.io/v1beta1, which level 1.25 removed",
  },
  {
    spec: /OrchletManagedEtcHosts|Granular Checks: Pods should function|remote command execution over websockets|PrivilegedPod/,
    agent: "reference",
    why: STREAMS,
  },
];

/** The judgement on a spec that failed with an agent; undefined if the failure is unexplained, which counts as a defect. */
export function judge(spec: string, agent: Origin): Judgement | undefined {
  return JUDGEMENTS.find((judgement) => judgement.spec.test(spec) && (judgement.agent ?? agent) === agent);
}
