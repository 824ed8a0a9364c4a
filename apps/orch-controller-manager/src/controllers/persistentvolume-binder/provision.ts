import type { core } from "@orchernetes/api";
import { isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import {
  annotationOf,
  boundByController,
  type Claim,
  classNameOf,
  provisionedBy,
  type StorageClass,
  selectedNode,
  type Volume,
} from "@orchernetes/component-helpers";
import { type Clock, messageOf } from "@orchernetes/kernel";
import { nodes, persistentVolumes } from "../../shared/refs.ts";
import { type BinderAction, binderEvent } from "./actions.ts";
import type { Provisioned, VolumePlugin } from "./plugins/volume-plugin.ts";

/** The services that provisioning needs. */
export interface ProvisionDeps {
  readonly client: Client;
  readonly plugins: readonly VolumePlugin[];
  perform(actions: readonly BinderAction[]): Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Number of attempts to create the PersistentVolume, and the pause between them, before the new storage is deleted
 * again.
 */
const createTries = 5;
const createPauseMs = 10_000;

/**
 * Creates a volume for a claim with a plugin of this program, reserved for the claim. The volume's name contains the
 * claim's uid, so that there is never a second one.
 *
 * @throws Error if it failed, after an event of the claim; the caller retries
 */
export async function provision(claim: Claim, storageClass: StorageClass, deps: ProvisionDeps): Promise<void> {
  const { client, plugins, perform } = deps;
  const volumes = client.resource(persistentVolumes);
  const plugin = plugins.find((one) => one.name === storageClass.provisioner);
  const name = `pvc-${claim.metadata.uid}`;
  const there = await volumes.get(name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (there !== undefined) return;
  const failed = async (message: string): Promise<never> => {
    await perform([binderEvent({ claim }, "Warning", "ProvisioningFailed", message)]);
    throw new Error(message);
  };
  if (storageClass.mountOptions?.length) {
    const options = storageClass.mountOptions.join(" ");
    return failed(
      `Mount options are not supported by the provisioner but StorageClass "${storageClass.metadata.name}" has mount options [${options}]`,
    );
  }
  const className = classNameOf(claim);
  const node = await nodeOf(claim, client).catch((error: unknown) =>
    failed(`Failed to get target node: ${messageOf(error)}`),
  );
  if (node === "gone") return reschedule(claim, perform);
  let made: Provisioned;
  try {
    if (plugin?.provision === undefined) throw new Error("no provisionable volume plugin matched");
    made = await plugin.provision(claim, storageClass, node);
  } catch (error) {
    await reschedule(claim, perform);
    return failed(`Failed to provision volume with StorageClass "${className}": ${messageOf(error)}`);
  }
  const volume = volumeFor(claim, storageClass, made, name);
  try {
    await create(volume, deps);
  } catch (error) {
    await plugin.delete?.({ ...volume, metadata: { ...claim.metadata, ...volume.metadata } });
    const what = `${claim.metadata.namespace}/${claim.metadata.name}`;
    return failed(`Error creating provisioned PV object for claim ${what}: ${messageOf(error)}. Deleting the volume.`);
  }
  const done = `Successfully provisioned volume ${name} using ${plugin.name}`;
  await perform([binderEvent({ claim }, "Normal", "ProvisioningSucceeded", done)]);
}

/** The node that was selected for the claim; undefined if none was. @throws ApiError */
async function nodeOf(claim: Claim, client: Client): Promise<Stored<core.Node> | "gone" | undefined> {
  const name = annotationOf(claim, selectedNode);
  if (!name) return undefined;
  return client
    .resource(nodes)
    .get(name)
    .catch((error: unknown) => {
      if (isNotFound(error)) return "gone" as const;
      throw error;
    });
}

/** Removes the selected node from a claim whose volume cannot be created there, so that the scheduler chooses again. */
async function reschedule(claim: Claim, perform: ProvisionDeps["perform"]): Promise<void> {
  const { [selectedNode]: node, ...annotations } = claim.metadata.annotations ?? {};
  if (node === undefined) return;
  await perform([{ type: "UpdateClaim", claim: { ...claim, metadata: { ...claim.metadata, annotations } } }]);
}

type NewVolume = Omit<Volume, "metadata"> & { readonly metadata: { readonly name: string } };

function volumeFor(claim: Claim, storageClass: StorageClass, made: Provisioned, name: string): NewVolume {
  const { namespace = "", name: claimName, uid, resourceVersion } = claim.metadata;
  const kind = "PersistentVolumeClaim";
  return {
    metadata: {
      name,
      ...{
        annotations: { ...made.annotations, [boundByController]: "yes", [provisionedBy]: storageClass.provisioner },
      },
    },
    spec: {
      ...made.spec,
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: classNameOf(claim),
      claimRef: { kind, apiVersion: "v1", namespace, name: claimName, uid, resourceVersion },
    },
    status: {},
  };
}

async function create(volume: NewVolume, { client, clock, signal }: ProvisionDeps): Promise<void> {
  for (let left = createTries; ; left -= 1) {
    try {
      await client.resource(persistentVolumes).create(volume);
      return;
    } catch (error) {
      if (isAlreadyExists(error)) return;
      if (left <= 1 || signal.aborted) throw error;
      await clock.sleep(createPauseMs, signal).catch(() => undefined);
    }
  }
}
