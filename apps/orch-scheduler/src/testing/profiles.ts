import type { policy } from "@orchernetes/api";
import type { Selector } from "@orchernetes/apimachinery";
import { parseConfig } from "@orchernetes/config";
import type { PodInfo } from "../cache/pod-info.ts";
import { schedulerConfigurationSchema } from "../config/scheduler-configuration.ts";
import { type ClusterState, createProfile } from "../create-profile.ts";
import type { Profile } from "../framework/profile.ts";
import type { Volumes } from "../volumes/volumes.ts";

/** A cluster without volumes. */
const noVolumes: Volumes = {
  claim: () => undefined,
  volume: () => undefined,
  volumesOfClass: () => [],
  storageClass: () => undefined,
  csiNode: () => undefined,
  csiDriver: () => undefined,
  capacities: () => [],
};

/** A cluster with only nodes and pods, unless other objects are given. */
function clusterState(given: Partial<ClusterState> = {}): ClusterState {
  return {
    namespaces: { labels: () => undefined, matching: () => [] },
    volumes: noVolumes,
    reserveVolumes: () => undefined,
    budgets: (): readonly policy.PodDisruptionBudget[] => [],
    selectorOf: (_: PodInfo): Selector | undefined => undefined,
    random: () => 0,
    ...given,
  };
}

/** The default profile, or one of a configuration file. */
export function profileOf(profile: unknown = {}, state: Partial<ClusterState> = {}): Profile {
  const head = { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" };
  const config = parseConfig({ ...head, profiles: [profile] }, schedulerConfigurationSchema, "test");
  const [first] = config.profiles;
  if (first === undefined) throw new Error("no profile");
  return createProfile(first, config.percentageOfNodesToScore, clusterState(state));
}
