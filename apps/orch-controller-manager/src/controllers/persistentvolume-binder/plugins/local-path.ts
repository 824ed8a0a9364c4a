import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import {
  annotationOf,
  type Claim,
  isLocalPathFolder,
  isLocalPathName,
  localPathFolder,
  localPathNode,
  localPathOf,
  localPathProvisioner,
  requestOf,
} from "@orchernetes/component-helpers";
import type { Provisioned, VolumePlugin } from "./volume-plugin.ts";

const hostnameLabel = "orchernetes.io/hostname";

/**
 * Provisions folders on nodes, with a `local` volume that only pods of that node can use. Nothing is created here: the
 * name of the folder follows from the claim, and the node's agent creates it for the first pod. So a manager that is
 * killed leaves nothing behind, and its successor repeats the same step.
 *
 * @param reclaim removes the folder of a volume from a node, through the node's agent
 */
export function localPathPlugin(reclaim: (node: string, volume: string) => Promise<void>): VolumePlugin {
  return {
    name: localPathProvisioner,
    // Only volumes that were provisioned here are deleted here; any other `local` volume belongs to an administrator.
    supports: () => false,
    async delete(volume) {
      const { name } = volume.metadata;
      const node = annotationOf(volume, localPathNode);
      if (!isLocalPathName(name) || !node)
        throw new Error(`volume "${name}" was not created by ${localPathProvisioner}: its name or annotation differs`);
      await reclaim(node, name);
    },
    provision: async (claim, { parameters = {} }, node) => provisionOn(node, claim, parameters),
  };
}

function provisionOn(
  node: Stored<core.Node> | undefined,
  claim: Claim,
  parameters: Readonly<Record<string, string>>,
): Provisioned {
  if (node === undefined)
    throw new Error(
      "no node was selected for the claim; want a storage class with volumeBindingMode WaitForFirstConsumer",
    );
  const [parameter] = Object.keys(parameters);
  if (parameter !== undefined) throw new Error(`invalid parameter "${parameter}" of the storage class: want none`);
  const { accessModes = [], selector, volumeMode, dataSource, dataSourceRef } = claim.spec;
  if (volumeMode === "Block") throw new Error("block volumes are not supported");
  if (selector !== undefined) throw new Error("claim.spec.selector is not supported for dynamic provisioning");
  if (dataSource !== undefined || dataSourceRef !== undefined) throw new Error("data sources are not supported");
  const other = accessModes.find((mode) => mode !== "ReadWriteOnce" && mode !== "ReadWriteOncePod");
  if (other !== undefined)
    throw new Error(`access mode ${other} is not supported: want ReadWriteOnce or ReadWriteOncePod`);
  const { name, annotations = {}, labels = {} } = node.metadata;
  const folder = annotations[localPathFolder];
  if (folder === undefined || !isLocalPathFolder(folder))
    throw new Error(`node "${name}" has no folder for volumes: its agent has not set annotation ${localPathFolder}`);
  const hostname = labels[hostnameLabel];
  if (!hostname) throw new Error(`node "${name}" has no label ${hostnameLabel}`);
  return {
    annotations: { [localPathNode]: name },
    spec: {
      accessModes: accessModes.length > 0 ? accessModes : ["ReadWriteOnce"],
      capacity: { storage: requestOf(claim) },
      local: { path: localPathOf(folder, `pvc-${claim.metadata.uid}`) },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: hostnameLabel, operator: "In", values: [hostname] }] }],
        },
      },
    },
  };
}
