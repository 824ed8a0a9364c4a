import { isAlreadyExists, isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { type Clock, messageOf } from "@orchernetes/kernel";
import { persistentVolumes } from "../../shared/refs.ts";
import { type BinderAction, binderEvent } from "./actions.ts";
import {
  boundByController,
  type Claim,
  classNameOf,
  provisionedBy,
  type StorageClass,
  type Volume,
} from "./binding/volumes-and-claims.ts";
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
  let made: Provisioned;
  try {
    if (plugin?.provision === undefined) throw new Error("no provisionable volume plugin matched");
    made = await plugin.provision(claim, storageClass);
  } catch (error) {
    return failed(`Failed to provision volume with StorageClass "${className}": ${messageOf(error)}`);
  }
  const volume = volumeFor(claim, storageClass, made, name);
  try {
    await create(volume, deps);
  } catch (error) {
    await plugin.delete?.({ ...volume, metadata: { ...claim.metadata, name } });
    const what = `${claim.metadata.namespace}/${claim.metadata.name}`;
    return failed(`Error creating provisioned PV object for claim ${what}: ${messageOf(error)}. Deleting the volume.`);
  }
  const done = `Successfully provisioned volume ${name} using ${plugin.name}`;
  await perform([binderEvent({ claim }, "Normal", "ProvisioningSucceeded", done)]);
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
