import type { CallContext, CloudNode, CloudProvider, InstanceMetadata } from "../../provider/cloud-provider.ts";
import { type CloudResult, failed, succeeded } from "../../provider/cloud-result.ts";

/** The metadata of a node's machine, with its zone from the part `zones` if the instances know none. */
export async function cloudMetadata(
  { instances, zones }: Pick<CloudProvider, "instances" | "zones">,
  node: CloudNode,
  context: () => CallContext,
): Promise<CloudResult<InstanceMetadata | undefined>> {
  if (instances === undefined) return failed("NotImplemented", "the cloud provider does not support instances");
  const found = await instances.metadata(node, context());
  if (!found.ok || found.value === undefined || zones === undefined) return found;
  const metadata = found.value;
  if (metadata.zone !== "" || metadata.region !== "") return found;
  const place = await zones.ofNode(node, context());
  if (!place.ok) {
    if (place.error.code === "NotImplemented") return found;
    return failed(place.error.code, `failed to get zone from cloud provider: ${place.error.message}`);
  }
  return succeeded({ ...metadata, zone: place.value.zone, region: place.value.region });
}
