import type { autoscaling, autoscalingV2 } from "@orchernetes/api";
import type { Client, ResourceRef } from "@orchernetes/client";
import type { RestMapper } from "../../shared/rest-mapper.ts";
import type { Scale } from "./reconcile.ts";

/** A target's scale, and where it was found. */
export interface ScaleTarget {
  readonly scale: Scale;
  readonly ref: ResourceRef;
}

/**
 * The scale of whatever an autoscaler points at, by any version of its kind that has one.
 * @throws Error when there is no such kind; ApiError of the first version asked
 */
export async function getScale(
  client: Client,
  mapper: RestMapper,
  namespace: string,
  { apiVersion = "", kind, name }: autoscalingV2.CrossVersionObjectReference,
): Promise<ScaleTarget> {
  const parts = apiVersion.split("/");
  if (parts.length > 2) {
    throw new Error(`invalid API version in scale target reference: unexpected GroupVersion string: ${apiVersion}`);
  }
  const group = parts.length === 2 ? (parts[0] ?? "") : "";
  let failure: unknown;
  for (const ref of await mapper.mappings({ group, kind })) {
    try {
      const scale = await client.resource(ref).namespace(namespace).subresource<Scale>("scale").get(name);
      return { scale, ref };
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** Asks for another number of replicas; only if the scale is still as it was read. @throws ApiError */
export async function putScale(client: Client, { scale, ref }: ScaleTarget, replicas: number): Promise<void> {
  const { name, namespace = "" } = scale.metadata;
  const body: autoscaling.Scale = { ...scale, spec: { ...scale.spec, replicas } };
  await client.resource(ref).namespace(namespace).subresource<Scale>("scale").update(name, body);
}
