import { randomUUID } from "node:crypto";
import type { apiextensions } from "@orchernetes/api";
import { ApiError, type ApiObject, failure, type VersionConverter } from "@orchernetes/apimachinery";
import { type Clock, messageOf } from "@orchernetes/kernel";
import { convertedObjects, reviewOf, reviewVersionOf } from "./conversion-review.ts";
import { acceptedObject, type ConvertedPart, InvalidConversionError, kindText } from "./converted-object.ts";

type Definition = apiextensions.CustomResourceDefinition;

/** Sends reviews to the webhook of one definition. */
export interface ConversionClient {
  /**
   * Posts a review and returns the JSON of the answer, whose integers are exact.
   *
   * @throws an Error whose message may be shown to clients
   */
  post(review: object, signal: AbortSignal): Promise<unknown>;
  /** Closes its connections, when the definition changed or is gone. */
  close(): void;
}

/** A call of a webhook, for metrics. */
export interface ObservedConversion {
  /** Name of the definition. */
  readonly definition: string;
  readonly fromVersion: string;
  readonly toVersion: string;
  readonly succeeded: boolean;
  readonly seconds: number;
}

/** How webhooks of definitions are called. The API server provides it: trust, proxies, addresses of services and time limits are its own. */
export interface ConversionWebhooks {
  /** Makes the client of a definition's webhook; nothing is connected yet. */
  readonly client: (definition: Definition) => ConversionClient;
  /** @default none */
  readonly observe?: (conversion: ObservedConversion) => void;
}

/** A converter with the connections that it holds. */
export interface WebhookConverter extends VersionConverter {
  close(): void;
}

/**
 * Limits of one review: so many objects, and so many characters of JSON unless a single object is longer. A list of ten thousand objects
 * would otherwise be one request that no webhook accepts, and that this server would have to hold in memory twice.
 */
const REVIEW_LIMITS = { objects: 500, characters: 1024 * 1024 } as const;

/**
 * Makes the converter of a definition whose strategy is Webhook.
 *
 * The webhook is called when an object is read or written in another version than it is stored in, so a slow or dead one makes these
 * requests fail. Requests in the stored version do not depend on it. An error of the webhook fails the whole request: a list without
 * the objects that could not be converted would look as if they had been deleted.
 */
export function webhookConverter(
  definition: Definition,
  webhooks: ConversionWebhooks,
  clock: Pick<Clock, "monotonicMs">,
): WebhookConverter {
  const client = webhooks.client(definition);
  const { group, versions, conversion } = definition.spec;
  const known = new Set(versions.map(({ name }) => `${group}/${name}`));
  const reviewVersion = reviewVersionOf(conversion?.webhook?.conversionReviewVersions ?? []);
  const name = definition.metadata.name ?? "";

  const ask = async (batch: readonly ApiObject[], apiVersion: string, signal: AbortSignal) => {
    const startMs = clock.monotonicMs();
    let succeeded = false;
    try {
      const converted = await review({ client, version: reviewVersion }, batch, apiVersion, signal);
      succeeded = true;
      return converted;
    } finally {
      webhooks.observe?.({
        definition: name,
        fromVersion: versionOf(batch[0]?.apiVersion ?? ""),
        toVersion: versionOf(apiVersion),
        succeeded,
        seconds: (clock.monotonicMs() - startMs) / 1000,
      });
    }
  };

  return {
    async convert(objects, apiVersion, signal) {
      const others = objects.filter((object) => object.apiVersion !== apiVersion);
      // The store may hold a version that the definition had once and has no more: nothing can say what it meant.
      const stranger = others.find((object) => !known.has(object.apiVersion ?? ""));
      if (stranger !== undefined)
        throw failed(`request to convert CR from an invalid group/version: ${stranger.apiVersion}`);
      const converted = new Map<ApiObject, ApiObject>();
      const [blank, rest] = [others.filter(isBlank), others.filter((object) => !isBlank(object))];
      for (const object of blank) converted.set(object, { ...object, apiVersion });
      // One batch after the other: a list must not open a connection for each batch to a webhook with one replica.
      for (const batch of batches(rest)) {
        signal.throwIfAborted();
        const answer = await ask(batch, apiVersion, signal);
        for (const [index, object] of batch.entries()) converted.set(object, answer[index] ?? object);
      }
      return objects.map((object) => converted.get(object) ?? object);
    },
    close: () => client.close(),
  };
}

interface Reviewer {
  readonly client: ConversionClient;
  /** Undefined: the webhook speaks no version that this server does. */
  readonly version: string | undefined;
}

/** Asks for objects of one batch; as many come back, in the same order. */
async function review(
  { client, version }: Reviewer,
  batch: readonly ApiObject[],
  desiredAPIVersion: string,
  signal: AbortSignal,
): Promise<readonly ApiObject[]> {
  const kind = kindText({ apiVersion: batch[0]?.apiVersion ?? "", kind: batch[0]?.kind ?? "" });
  // The answer must repeat it, so that a webhook which mixes up its requests is noticed.
  const uid = randomUUID();
  if (version === undefined) throw failed("no supported conversion review versions");
  let answer: readonly unknown[];
  try {
    const reply = await client.post(reviewOf(version, { uid, desiredAPIVersion, objects: batch }), signal);
    answer = convertedObjects(version, uid, reply);
  } catch (cause) {
    signal.throwIfAborted();
    throw failed(`conversion webhook for ${kind} failed: ${messageOf(cause)}`, cause);
  }
  // Objects are matched with their originals by position: the API promises that the webhook keeps the order.
  if (answer.length !== batch.length)
    throw failed(`conversion webhook for ${kind} returned ${answer.length} objects, expected ${batch.length}`);
  return batch.map((object, index) => {
    try {
      return acceptedObject(object, answer[index], desiredAPIVersion);
    } catch (error) {
      if (!(error instanceof InvalidConversionError)) throw error;
      const what = wrongPart(error.about, batch.length, index);
      throw failed(`conversion webhook for ${kind} returned invalid ${what}: ${error.message}`, error);
    }
  });
}

/** The part of an answer that is invalid, in Kubernetes' words for one object or for a list. */
function wrongPart(about: ConvertedPart, count: number, index: number): string {
  if (count > 1) return `${about === "metadata" ? "metadata in" : "converted"} object at index ${index}`;
  if (about === "type") return `object at index ${index}`;
  return about === "metadata" ? "metadata" : "object";
}

/** Kubernetes gives these errors no reason, so that their code is 500. */
const failed = (message: string, cause?: unknown): ApiError => new ApiError(failure("", message), { cause });

const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.lastIndexOf("/") + 1);

/** Whether an object says nothing but what it is: the same in every version. Webhooks need not expect such. */
const isBlank = (object: ApiObject): boolean =>
  Object.entries(object).every(([name, value]) =>
    name === "metadata" ? Object.keys(value ?? {}).length === 0 : name === "apiVersion" || name === "kind",
  );

/** The objects in reviews of limited size, in their order. */
function* batches(objects: readonly ApiObject[]): Generator<readonly ApiObject[]> {
  let batch: ApiObject[] = [];
  let characters = 0;
  for (const object of objects) {
    const size = JSON.stringify(object).length;
    const full = batch.length >= REVIEW_LIMITS.objects || characters + size > REVIEW_LIMITS.characters;
    if (batch.length > 0 && full) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(object);
    characters += size;
  }
  if (batch.length > 0) yield batch;
}
