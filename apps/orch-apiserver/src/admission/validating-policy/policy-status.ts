import type * as v1beta1 from "@orchernetes/api/admissionregistration/v1beta1";
import { ApiError } from "@orchernetes/apimachinery";
import type { Registry, ResourceStore } from "@orchernetes/apiserver";
import { type EventLoop, type Logger, messageOf } from "@orchernetes/kernel";
import { typeCheck } from "./type-check.ts";

type Policy = v1beta1.ValidatingAdmissionPolicy;

/** Options of {@link PolicyStatuses}. */
export interface PolicyStatusesOptions {
  readonly loop: EventLoop;
  readonly logger: Logger;
}

/**
 * Writes into the status of policies what a check of their types finds. It changes nothing about how they are enforced. A status that can't be
 * written is not tried again until the policy changes.
 */
export class PolicyStatuses {
  readonly #options: PolicyStatusesOptions;
  /** By name; the newest generation only. */
  readonly #waiting = new Map<string, Policy>();
  #write: ((policy: Policy) => Promise<void>) | undefined;
  #working = false;

  constructor(options: PolicyStatusesOptions) {
    this.#options = options;
  }

  /** Takes note of a policy that is new or changed. */
  changed(policy: Policy): void {
    if (isObserved(policy)) return;
    this.#waiting.set(policy.metadata.name ?? "", policy);
    this.#start();
  }

  /** Begins to write, until the signal aborts. */
  start(registry: Registry, store: ResourceStore, signal: AbortSignal): void {
    const { loop, logger } = this.#options;
    const nextTurn = () => loop.nextTurn();
    this.#write = async (policy) => {
      if (signal.aborted) return;
      const name = policy.metadata.name ?? "";
      try {
        const expressionWarnings = await typeCheck(policy.spec, registry, nextTurn);
        await writeStatus(store, policy, expressionWarnings, signal);
      } catch (error) {
        if (signal.aborted || (error instanceof ApiError && error.code === 404)) return;
        logger.warn("The status of a policy is not written", { name, error: messageOf(error) });
      }
    };
    this.#start();
  }

  #start(): void {
    if (this.#working || this.#write === undefined || this.#waiting.size === 0) return;
    this.#working = true;
    void this.#work(this.#write);
  }

  async #work(write: (policy: Policy) => Promise<void>): Promise<void> {
    for (const [name, policy] of this.#waiting) {
      this.#waiting.delete(name);
      await write(policy);
    }
    this.#working = false;
  }
}

/** Whether the status is about the present generation. */
const isObserved = ({ metadata, status }: Pick<Policy, "metadata" | "status">): boolean =>
  Number(status.observedGeneration ?? 0) >= Number(metadata.generation ?? 0);

async function writeStatus(
  store: ResourceStore,
  { metadata }: Policy,
  expressionWarnings: readonly v1beta1.ExpressionWarning[],
  signal: AbortSignal,
): Promise<void> {
  await store.update(
    { namespace: "", name: metadata.name ?? "" },
    (draft, current) => {
      const now = current as unknown as Policy;
      // Another server was faster, or the policy changed and is checked again.
      if (isObserved(now) || now.metadata.generation !== metadata.generation) return false;
      const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
      (draft as unknown as { status: object }).status = {
        ...now.status,
        observedGeneration: metadata.generation,
        typeChecking,
      };
      return undefined;
    },
    { subresource: "status", fieldManager: "orch-apiserver", signal },
  );
}
