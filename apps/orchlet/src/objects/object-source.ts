import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Client, ResourceRef } from "@orchernetes/client";

/** A config map or secret that a pod needs. */
export interface WantedObject<T extends ApiObject> {
  readonly ref: ResourceRef<T>;
  readonly namespace: string;
  readonly name: string;
  readonly podUid: string;
}

/** Finds config maps and secrets by one of the strategies of `configMapAndSecretChangeDetectionStrategy`. */
export interface ObjectSource {
  /** Undefined if the object does not exist. @throws ApiError; TransportError */
  find<T extends ApiObject>(wanted: WantedObject<T>): Promise<Stored<T> | undefined>;
  /** Releases the objects of a deleted pod. */
  forget(podUid: string): void;
}

/** Identifies an object. */
export const objectKey = ({ ref, namespace, name }: WantedObject<ApiObject>): string =>
  `${ref.plural}/${namespace}/${name}`;

/** Reads an object; undefined if it does not exist. */
export async function readObject<T extends ApiObject>(
  client: Client,
  { ref, namespace, name }: WantedObject<T>,
): Promise<Stored<T> | undefined> {
  try {
    return await client.resource(ref).namespace(namespace).get(name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
