import type { Clock } from "@orchernetes/kernel";
import { registryOf } from "./match-image.ts";
import type { CacheKeyType, ProviderAnswer } from "./provider-answer.ts";

/** Maximum number of cached answers of a provider; the oldest is dropped. */
const maxAnswers = 1000;

const globalKey = "global";

/** Answers of one credential provider until they expire, for the image, the registry or all images. */
export class ProviderCache {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #answers = new Map<string, { readonly auth: ProviderAnswer["auth"]; readonly expiresMs: number }>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** The answer for a repository: one for it alone comes first, then one for its registry. */
  get(repository: string): ProviderAnswer["auth"] | undefined {
    const now = this.#clock.monotonicMs();
    for (const type of ["Image", "Registry", "Global"] as const) {
      const key = keyOf(type, repository);
      const found = this.#answers.get(key);
      if (found !== undefined && found.expiresMs > now) return found.auth;
      this.#answers.delete(key);
    }
    return undefined;
  }

  /** Keeps an answer for `ms`; 0 keeps nothing. */
  set(repository: string, { cacheKeyType, auth }: Pick<ProviderAnswer, "cacheKeyType" | "auth">, ms: number): void {
    if (ms <= 0) return;
    const key = keyOf(cacheKeyType, repository);
    this.#answers.delete(key);
    this.#answers.set(key, { auth, expiresMs: this.#clock.monotonicMs() + ms });
    if (this.#answers.size <= maxAnswers) return;
    const [oldest = ""] = this.#answers.keys();
    this.#answers.delete(oldest);
  }
}

function keyOf(type: CacheKeyType, repository: string): string {
  if (type === "Image") return `image ${repository}`;
  return type === "Registry" ? `registry ${registryOf(repository)}` : globalKey;
}
