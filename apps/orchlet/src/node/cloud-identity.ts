import type { CloudIdentity } from "./node-object.ts";

/** The cloud of a node, if it has one, or what is wrong with the flag. */
export type CloudOrError = { readonly cloud: CloudIdentity | undefined } | { readonly error: string };

/**
 * The properties of the node that the cloud controller needs.
 *
 * @param provider value of `--cloud-provider`
 * @param nodeIp value of `--node-ip`: of two addresses the first one is told; unspecified ones (`0.0.0.0`, `::`) are none
 */
export function cloudIdentity(provider: string, nodeIp: string): CloudOrError {
  if (provider === "") return { cloud: undefined };
  if (provider !== "external") {
    return { error: `--cloud-provider: found ${JSON.stringify(provider)}; want "external", or nothing` };
  }
  const first = (nodeIp.split(",")[0] ?? "").trim();
  return { cloud: { providedIp: first === "0.0.0.0" || first === "::" ? "" : first } };
}
