import type { autoscaling, autoscalingV2 } from "@orchernetes/api";
import type { Client, ResourceRef } from "@orchernetes/client";
import { messageOf } from "@orchernetes/kernel";
import type { RestMapper } from "../../shared/rest-mapper.ts";
import { SpecError } from "./metrics/pod-metric.ts";
import type { Scale } from "./reconcile.ts";

/** The scale of a target, and the resource that serves it. */
export interface ScaleTarget {
  readonly scale: Scale;
  readonly ref: ResourceRef;
}

/**
 * Reads the scale of an autoscaler's target. All versions of its kind are tried, because not all may have a scale.
 *
 * @throws SpecError if the kind is unknown; the ApiError of the first version
 */
export async function getScale(
  client: Client,
  mapper: RestMapper,
  namespace: string,
  { apiVersion = "", kind, name }: autoscalingV2.CrossVersionObjectReference,
): Promise<ScaleTarget> {
  const parts = apiVersion.split("/");
  if (parts.length > 2) {
    throw new SpecError(`invalid API version in scale target reference: unexpected GroupVersion string: ${apiVersion}`);
  }
  const group = parts.length === 2 ? (parts[0] ?? "") : "";
  let failure: unknown;
  for (const ref of await mappingsOf(mapper, group, kind)) {
    try {
      const scale = await client.resource(ref).namespace(namespace).subresource<Scale>("scale").get(name);
      return { scale, ref };
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** @throws SpecError if the kind is unknown */
async function mappingsOf(mapper: RestMapper, group: string, kind: string): Promise<readonly ResourceRef[]> {
  try {
    return await mapper.mappings({ group, kind });
  } catch (cause) {
    throw new SpecError(messageOf(cause), { cause });
  }
}

/** Changes the number of replicas. @throws ApiError, Conflict if the scale has changed since it was read */
export async function putScale(client: Client, { scale, ref }: ScaleTarget, replicas: number): Promise<void> {
  const { name, namespace = "" } = scale.metadata;
  const body: autoscaling.Scale = { ...scale, spec: { ...scale.spec, replicas } };
  await client.resource(ref).namespace(namespace).subresource<Scale>("scale").update(name, body);
}
