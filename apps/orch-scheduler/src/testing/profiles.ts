import type { policy } from "@orchernetes/api";
import type { Selector } from "@orchernetes/apimachinery";
import { createClient } from "@orchernetes/client";
import { features } from "@orchernetes/component";
import { parseConfig } from "@orchernetes/config";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import type { PodInfo } from "../cache/pod-info.ts";
import { type ProfileConfiguration, schedulerConfigurationSchema } from "../config/scheduler-configuration.ts";
import type { Profile } from "../framework/profile.ts";
import { WaitingPods } from "../framework/waiting-pods.ts";
import { silentEventRecorder } from "../plugin-events.ts";
import type { ClusterState, PluginHandle } from "../plugin-handle.ts";
import { createProfile } from "../profile/create-profile.ts";
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

/** The handle of plugins in tests: a cluster, and an API server that does not answer. */
export function handleOf(state: Partial<ClusterState> = {}, given: Partial<PluginHandle> = {}): PluginHandle {
  return {
    cluster: clusterState(state),
    client: createClient({ server: "https://127.0.0.1:1" }),
    eventRecorder: silentEventRecorder,
    waitingPods: new WaitingPods(systemClock),
    isEnabled: (name) => features[name].default,
    logger: silentLogger,
    clock: systemClock,
    ...given,
  };
}

/** A profile of a configuration file, with defaults. */
export function profileConfigOf(profile: unknown = {}): ProfileConfiguration {
  const head = { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" };
  const [first] = parseConfig({ ...head, profiles: [profile] }, schedulerConfigurationSchema, "test").profiles;
  if (first === undefined) throw new Error("no profile");
  return first as ProfileConfiguration;
}

/** The default profile, or one of a configuration file. */
export function profileOf(
  profile: unknown = {},
  state: Partial<ClusterState> = {},
  given: Partial<PluginHandle> = {},
): Profile {
  return createProfile(profileConfigOf(profile), 0, handleOf(state, given));
}
