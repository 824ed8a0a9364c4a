import { z } from "zod";
import type { DeepReadonly } from "../values.ts";

/**
 * The file of `--leader-migration-config`: which component leads which controller, so that controllers move between
 * the managers of a running control plane without being run twice or not at all (KEP-2436).
 */
export const leaderMigrationConfigurationSchema = z.strictObject({
  apiVersion: z.enum([
    "controllermanager.config.o8s.io/v1alpha1",
    "controllermanager.config.o8s.io/v1beta1",
    "controllermanager.config.o8s.io/v1",
  ]),
  kind: z.literal("LeaderMigrationConfiguration"),
  /** Name of the second lease, which the migrating controllers are led by. */
  leaderName: z.string().min(1),
  resourceLock: z.enum(["leases", "endpoints"]).default("leases"),
  /** Controllers that migrate. Both managers must have the same list. */
  controllerLeaders: z.array(
    z.strictObject({
      name: z.string().min(1),
      component: z.enum(["*", "orch-controller-manager", "cloud-controller-manager"]).default("*"),
    }),
  ),
});

/** Which component leads which controller. */
export type LeaderMigrationConfiguration = DeepReadonly<z.output<typeof leaderMigrationConfigurationSchema>>;

/** The migration when none is configured: the cloud controllers may run in either manager (KEP-2436). */
export const defaultLeaderMigration: LeaderMigrationConfiguration = {
  apiVersion: "controllermanager.config.o8s.io/v1",
  kind: "LeaderMigrationConfiguration",
  leaderName: "cloud-provider-extraction-migration",
  resourceLock: "leases",
  controllerLeaders: [
    { name: "route", component: "*" },
    { name: "service", component: "*" },
    { name: "cloud-node-lifecycle", component: "*" },
  ],
};
