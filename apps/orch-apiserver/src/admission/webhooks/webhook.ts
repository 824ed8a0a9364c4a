import type { admissionregistration } from "@orchernetes/api";
import type { MatchCriteria } from "../matching/match-criteria.ts";
import { targetOf, type WebhookTarget } from "./webhook-target.ts";

/** Versions of AdmissionReview that this server supports. */
export type ReviewVersion = "v1" | "v1beta1";

/** A webhook of a configuration, in the form in which many writes use it. */
export interface Webhook {
  /** `configuration/name/n`, because several webhooks may have the same name. */
  readonly uid: string;
  readonly configuration: string;
  readonly name: string;
  readonly criteria: MatchCriteria;
  readonly matchConditions: readonly admissionregistration.MatchCondition[];
  readonly target: WebhookTarget;
  /** The first version in `admissionReviewVersions` that this server supports; undefined if there is none. */
  readonly reviewVersion: ReviewVersion | undefined;
  /** `failurePolicy: Ignore`: a call that fails does not reject the write. */
  readonly ignoresFailures: boolean;
  /** Time limit of a call in milliseconds; undefined: only that of the request. */
  readonly timeoutMs: number | undefined;
  /** Whether the webhook may be called for a dry run: `sideEffects` is `None` or `NoneOnDryRun`. */
  readonly allowsDryRun: boolean;
  /** `reinvocationPolicy: IfNeeded`: the webhook is called again if the object changes after its call. */
  readonly reinvocable: boolean;
}

/** The fields of both kinds of configuration that are used here. */
export interface WebhookConfiguration {
  readonly metadata: { readonly name?: string | undefined };
  readonly webhooks?:
    | readonly (admissionregistration.MutatingWebhook | admissionregistration.ValidatingWebhook)[]
    | undefined;
}

const isKnown = (version: string): version is ReviewVersion => version === "v1" || version === "v1beta1";

/** Returns the webhooks of a configuration in their order. Those without rules are omitted, because they are never called. */
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
