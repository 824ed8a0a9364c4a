/** Why a spec that does not pass does not. */
export interface Judgement {
  /** Matches the spec's name. */
  readonly spec: RegExp;
  /** `right at 1.27`: the spec asks for what level 1.27 has no longer; `missing`: this product lacks what it needs. */
  readonly verdict: "right at 1.27" | "missing";
  readonly why: string;
}

/** The first that matches a spec counts. Only specs that fail are looked up. */
export const JUDGEMENTS: readonly Judgement[] = [];

/** The judgement on a spec that failed, or undefined when nobody has explained it yet. */
export function judge(spec: string): Judgement | undefined {
  return JUDGEMENTS.find((judgement) => judgement.spec.test(spec));
}
