import { z } from "zod";
import { acceptContentTypes, contentType, duration, int32 } from "../values.ts";

/**
 * The section `clientConnection`: how a component connects to the API server.
 *
 * @param defaults `qps` in requests per second, and `burst`, the requests that may exceed it at once
 */
export const clientConnection = (defaults: { readonly qps: number; readonly burst: number }) =>
  z.strictObject({
    orchconfig: z.string().default(""),
    acceptContentTypes: acceptContentTypes(),
    contentType: contentType(),
    qps: z.number().min(0).default(defaults.qps),
    burst: int32(0).default(defaults.burst),
  });

/**
 * The section `leaderElection`. Its rules between fields are those of `electionErrors` in leader-election.
 *
 * @param defaults `resourceName` is the name of the Lease
 */
export const leaderElection = (defaults: { readonly resourceName: string }) =>
  z
    .strictObject({
      leaderElect: z.boolean().default(true),
      leaseDuration: duration({ minMs: 1 }).prefault("15s"),
      renewDeadline: duration({ minMs: 1 }).prefault("10s"),
      retryPeriod: duration({ minMs: 1 }).prefault("2s"),
      resourceLock: z.enum(["leases", "endpointsleases", "configmapsleases"]).default("leases"),
      resourceName: z.string().min(1).default(defaults.resourceName),
      resourceNamespace: z.string().min(1).default("orch-system"),
    })
    .superRefine((election, context) => {
      if (!election.leaderElect) return;
      // A leader must give up before others may take over: it stops at the renew deadline, they wait for the whole
      // lease duration.
      if (election.leaseDuration <= election.renewDeadline) {
        context.addIssue({ code: "custom", path: ["leaseDuration"], message: "want more than renewDeadline" });
      }
      // 1.2 is the largest jitter of a retry: at least one retry must fit before the deadline.
      if (election.renewDeadline <= election.retryPeriod * 1.2) {
        context.addIssue({ code: "custom", path: ["renewDeadline"], message: "want more than 1.2 times retryPeriod" });
      }
    });

/** The section `debugging`: whether `/debug/pprof/` is served. */
export const debugging = z.strictObject({
  enableProfiling: z.boolean().default(true),
  enableContentionProfiling: z.boolean().default(false),
});

/** Which component leads which controller while controllers move from one manager to the other. */
const leaderMigration = z.strictObject({
  leaderName: z.string().default(""),
  resourceLock: z.enum(["", "leases", "endpoints"]).default(""),
  controllerLeaders: z.array(z.strictObject({ name: z.string().min(1), component: z.string().min(1) })).default([]),
});

/** The section `Generic` that both controller managers have. */
export const genericConfiguration = (resourceName: string) =>
  z.strictObject({
    Port: int32(0, 65535).default(0),
    Address: z.string().default("0.0.0.0"),
    // Informers resync at a random period between this and twice this, so that they do not all do so at once.
    MinResyncPeriod: duration({ minMs: 0 }).prefault("12h0m0s"),
    ClientConnection: clientConnection({ qps: 20, burst: 30 }).prefault({}),
    // A pause between the starts of two controllers, which spreads their first lists.
    ControllerStartInterval: duration({ minMs: 0 }).prefault("0s"),
    LeaderElection: leaderElection({ resourceName }).prefault({}),
    Controllers: z.array(z.string().min(1)).default(["*"]),
    Debugging: debugging.prefault({}),
    LeaderMigrationEnabled: z.boolean().default(false),
    LeaderMigration: leaderMigration.prefault({}),
  });

/** The section `OrchCloudShared` about the cloud provider that both controller managers have. */
export const cloudShared = z.strictObject({
  CloudProvider: z.strictObject({ Name: z.string().default(""), CloudConfigFile: z.string().default("") }).prefault({}),
  ExternalCloudVolumePlugin: z.string().default(""),
  UseServiceAccountCredentials: z.boolean().default(false),
  AllowUntaggedCloud: z.boolean().default(false),
  RouteReconciliationPeriod: duration({ minMs: 0 }).prefault("10s"),
  NodeMonitorPeriod: duration({ minMs: 1 }).prefault("5s"),
  ClusterName: z.string().default("orchernetes"),
  ClusterCIDR: z.string().default(""),
  AllocateNodeCIDRs: z.boolean().default(false),
  CIDRAllocatorType: z
    .enum(["RangeAllocator", "CloudAllocator", "IPAMFromCluster", "IPAMFromCloud", "MultiCIDRRangeAllocator"])
    .default("RangeAllocator"),
  ConfigureCloudRoutes: z.boolean().default(true),
  NodeSyncPeriod: duration({ minMs: 0 }).prefault("0s"),
});

/** A section whose only field is the number of objects that are synced concurrently. */
export const concurrency = <const Name extends string>(name: Name, count: number) =>
  z.strictObject({ [name]: int32(1).default(count) } as { [K in Name]: z.ZodDefault<z.ZodInt> }).prefault({} as never);
