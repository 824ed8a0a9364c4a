import type { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import { type Client, type EventRecorder, referenceTo } from "@orchernetes/client";
import type { Claim, Volume } from "@orchernetes/component-helpers";
import { assertNever } from "@orchernetes/kernel";
import { persistentVolumeClaims, persistentVolumes } from "../../shared/refs.ts";
import type { BinderAction, BinderEvent } from "./actions.ts";
import type { Latest } from "./latest.ts";

/** The services that the actions need. */
export interface PerformDeps {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly volumes: Latest<core.PersistentVolume>;
  readonly claims: Latest<core.PersistentVolumeClaim>;
  /** Starts an action that takes long or concerns another key. */
  start(action: Extract<BinderAction, { type: "Provision" | "Reclaim" | "SyncClaim" }>): void;
}

/**
 * Performs a plan in order. Each write applies only to the version for which it was decided. If the object is deleted,
 * the plan ends.
 *
 * @throws ApiError, Conflict if the decision was based on a stale version
 */
export function performer(deps: PerformDeps): (actions: readonly BinderAction[]) => Promise<void> {
  const { client, recorder, volumes, claims, start } = deps;
  const emit = (event: BinderEvent): void => {
    const about =
      "claim" in event
        ? referenceTo(persistentVolumeClaims, event.claim)
        : referenceTo(persistentVolumes, event.volume);
    recorder.event(about, event.of, event.reason, event.message);
  };
  return async (actions) => {
    /** Resource version of each object after the writes of this plan, by uid. */
    const versions = new Map<string, string>();
    const current = <T extends Volume | Claim>(object: T): T => {
      const { uid, resourceVersion } = object.metadata;
      return { ...object, metadata: { ...object.metadata, resourceVersion: versions.get(uid) ?? resourceVersion } };
    };
    const writeVolume = async (volume: Volume, write: "update" | "updateStatus"): Promise<void> => {
      const written = await client.resource(persistentVolumes)[write](current(volume));
      versions.set(volume.metadata.uid, written.metadata.resourceVersion);
      volumes.written(written);
    };
    const writeClaim = async (claim: Claim, write: "update" | "updateStatus"): Promise<void> => {
      const written = await client.resource(persistentVolumeClaims)[write](current(claim));
      versions.set(claim.metadata.uid, written.metadata.resourceVersion);
      claims.written(written);
    };
    const one = async (action: BinderAction): Promise<void> => {
      switch (action.type) {
        case "UpdateVolume":
          return writeVolume(action.volume, "update");
        case "UpdateVolumeStatus":
          return writeVolume(action.volume, "updateStatus");
        case "UpdateClaim":
          return writeClaim(action.claim, "update");
        case "UpdateClaimStatus":
          return writeClaim(action.claim, "updateStatus");
        case "Event":
          return emit(action);
        case "Reclaim":
        case "Provision":
        case "SyncClaim":
          return start(action);
        default:
          return assertNever(action);
      }
    };
    try {
      for (const action of actions) await one(action);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
}
