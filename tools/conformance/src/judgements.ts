/** Explains why a spec fails. */
export interface Judgement {
  /** Matches the spec's name. */
  readonly spec: RegExp;
  /** `right at 1.27`: the spec expects behaviour that level 1.27 no longer has; `missing`: it needs a feature that is not implemented. */
  readonly verdict: "right at 1.27" | "missing";
  readonly why: string;
}

const missing = (spec: RegExp, why: string): Judgement => ({ spec, verdict: "missing", why });
const rightAtLevel = (spec: RegExp, why: string): Judgement => ({ spec, verdict: "right at 1.27", why });

const NO_SERVICE_NETWORK = "needs service networking: nothing routes to the addresses of services yet";

/** The first match applies. Only failed specs are looked up. */
export const JUDGEMENTS: readonly Judgement[] = [
  missing(/DNS should (provide|resolve)/, "needs cluster DNS"),
  missing(/Services should .*(session affinity|change the type|functioning NodePort)/, NO_SERVICE_NETWORK),
  missing(/Guestbook application/, NO_SERVICE_NETWORK),
  rightAtLevel(
    /ServiceAccounts should (mount an API token|allow opting out)/,
    "the spec waits for the secret of a service account; accounts have none of their own since 1.24",
  ),
  rightAtLevel(
    /Events API should ensure that an event can be fetched, patched/,
    "the spec changes the note of an event of events.o8s.io/v1, which is immutable there; level 1.20 compared the event with itself",
  ),
  rightAtLevel(
    /CustomResourcePublishOpenAPI .* works for CRD preserving unknown fields/,
    "the suite's own client writes x-kubernetes-preserve-unknown-fields into the definition, a name that this dialect does not have",
  ),
  rightAtLevel(
    /CustomResourcePublishOpenAPI/,
    "the spec compares the extensions of a schema literally; both spellings, x-orchernetes-* and x-kubernetes-*, are written on purpose",
  ),
];

/** The judgement on a failed spec; undefined if the failure is unexplained, which counts as a defect. */
export function judge(spec: string): Judgement | undefined {
  return JUDGEMENTS.find((judgement) => judgement.spec.test(spec));
}
