import type { CloudIdentity } from "./node-object.ts";

/** The cloud of a node, if it has one, or what is wrong with the flag. */
export type CloudOrError = { readonly cloud: CloudIdentity | undefined } | { readonly error: string };

/**
 * What is wrong with a value of `--cloud-config`: in 1.27 the file is that of a provider inside the agent, and there is none here.
 *
 * @returns no errors if no file is named
 */
export const cloudFileErrors = (file: string): readonly string[] =>
  file === ""
    ? []
    : [
        `--cloud-config: found ${JSON.stringify(file)}; no cloud provider is built in that would read it, so it belongs to --cloud-config of the cloud-controller-manager`,
      ];

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
