import type { admissionregistration } from "@orchernetes/api";
import type { MatchCriteria } from "../matching/match-criteria.ts";
import { targetOf, type WebhookTarget } from "./webhook-target.ts";

/** Versions of AdmissionReview that this server speaks. */
export type ReviewVersion = "v1" | "v1beta1";

/** A webhook of a configuration, prepared for many writes. */
export interface Webhook {
  /** `configuration/name/n`: names need not be unique. */
  readonly uid: string;
  readonly configuration: string;
  readonly name: string;
  readonly criteria: MatchCriteria;
  readonly matchConditions: readonly admissionregistration.MatchCondition[];
  readonly target: WebhookTarget;
  /** The first version of `admissionReviewVersions` that this server speaks; undefined if there is none. */
  readonly reviewVersion: ReviewVersion | undefined;
  /** What cannot be asked, or gives no usable answer, is passed over. */
  readonly ignoresFailures: boolean;
  /** Undefined: a call takes as long as the request may. */
  readonly timeoutMs: number | undefined;
  /** Whether a call of a dry run has no side effects. */
  readonly allowsDryRun: boolean;
  /** Called once more if the object changes after its own call. */
  readonly reinvocable: boolean;
}

/** The fields of both kinds of configuration that matter here. */
export interface WebhookConfiguration {
  readonly metadata: { readonly name?: string | undefined };
  readonly webhooks?:
    | readonly (admissionregistration.MutatingWebhook | admissionregistration.ValidatingWebhook)[]
    | undefined;
}

const isKnown = (version: string): version is ReviewVersion => version === "v1" || version === "v1beta1";

/** The webhooks of a configuration, in its order. Those without rules are left out: they are never called. */
export function webhooksOf({ metadata, webhooks = [] }: WebhookConfiguration): readonly Webhook[] {
  const configuration = metadata.name ?? "";
  const named = new Map<string, number>();
  return webhooks.flatMap((webhook) => {
    const { name, rules = [], sideEffects } = webhook;
    const count = named.get(name) ?? 0;
    named.set(name, count + 1);
    if (rules.length === 0) return [];
    const { namespaceSelector, objectSelector, matchPolicy, timeoutSeconds } = webhook;
    return [
      {
        uid: `${configuration}/${name}/${count}`,
        configuration,
        name,
        criteria: { namespaceSelector, objectSelector, matchPolicy, resourceRules: rules },
        matchConditions: webhook.matchConditions ?? [],
        target: targetOf(webhook.clientConfig),
        reviewVersion: webhook.admissionReviewVersions.find(isKnown),
        ignoresFailures: webhook.failurePolicy === "Ignore",
        timeoutMs: timeoutSeconds === undefined || timeoutSeconds === null ? undefined : timeoutSeconds * 1000,
        allowsDryRun: sideEffects === "None" || sideEffects === "NoneOnDryRun",
        reinvocable: "reinvocationPolicy" in webhook && webhook.reinvocationPolicy === "IfNeeded",
      },
    ];
  });
}
