import type { AdmissionContext } from "@orchernetes/apiserver";
import type { Webhook } from "./webhook.ts";

const MUTATION = "mutation.webhook.admission.o8s.io/";
const PATCH = "patch.webhook.admission.o8s.io/";
const VALIDATING = "validating.webhook.admission.o8s.io/";

/** Returns the key of the annotation about a failure that was ignored. */
export const failedOpenKey = (step: "mutation" | "validating", round: number, index: number): string =>
  `failed-open.${step === "mutation" ? MUTATION : VALIDATING}round_${round}_index_${index}`;

/** Adds annotations about a mutating webhook to the audit event, in the form that upstream has. */
export class MutationAnnotator {
  readonly #place: string;
  readonly #webhook: Webhook;
  readonly #context: AdmissionContext;

  /** @param index position among all webhooks */
  constructor(webhook: Webhook, context: AdmissionContext, round: number, index: number) {
    this.#place = `round_${round}_index_${index}`;
    this.#webhook = webhook;
    this.#context = context;
  }

  mutated(mutated: boolean): void {
    const { configuration, name } = this.#webhook;
    this.#context.annotate(MUTATION + this.#place, JSON.stringify({ configuration, webhook: name, mutated }));
  }

  /** Patches contain parts of objects, so only events with objects (level `Request` or more) get them. */
  patched(operations: readonly unknown[]): void {
    const { configuration, name } = this.#webhook;
    const value = { configuration, webhook: name, patch: operations.map(sorted), patchType: "JSONPatch" };
    this.#context.annotate(PATCH + this.#place, JSON.stringify(value), "Request");
  }
}

/** Returns an operation with sorted members, because Go sorts them. */
function sorted(operation: unknown): unknown {
  if (typeof operation !== "object" || operation === null) return operation;
  return Object.fromEntries(Object.entries(operation).sort(([a], [b]) => (a < b ? -1 : 1)));
}
