import { z } from "zod";
import type { DeepReadonly } from "../values.ts";
import { controllerSections } from "./controllers.ts";
import { cloudShared, genericConfiguration } from "./shared.ts";

/** The settings of orch-controller-manager, with defaults filled in; durations are milliseconds. */
export const orchControllerManagerConfigurationSchema = z.strictObject({
  apiVersion: z.literal("orchcontrollermanager.config.o8s.io/v1alpha1"),
  kind: z.literal("OrchControllerManagerConfiguration"),
  Generic: genericConfiguration("orch-controller-manager").prefault({}),
  OrchCloudShared: cloudShared.prefault({}),
  ...controllerSections,
});

/** The settings of orch-controller-manager. Durations are milliseconds. */
export type OrchControllerManagerConfiguration = DeepReadonly<
  z.output<typeof orchControllerManagerConfigurationSchema>
>;
