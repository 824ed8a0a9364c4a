import { z } from "zod";
import { type DeepReadonly, duration } from "../values.ts";
import { cloudShared, concurrency, genericConfiguration } from "./shared.ts";

/** The settings of cloud-controller-manager, with defaults filled in; durations are milliseconds. */
export const cloudControllerManagerConfigurationSchema = z.strictObject({
  apiVersion: z.literal("cloudcontrollermanager.config.o8s.io/v1alpha1"),
  kind: z.literal("CloudControllerManagerConfiguration"),
  Generic: genericConfiguration("cloud-controller-manager").prefault({}),
  OrchCloudShared: cloudShared.prefault({}),
  NodeController: concurrency("ConcurrentNodeSyncs", 1),
  ServiceController: concurrency("ConcurrentServiceSyncs", 1),
  NodeStatusUpdateFrequency: duration({ minMs: 1 }).prefault("5m0s"),
  Webhook: z.strictObject({ Webhooks: z.array(z.string()).default([]) }).prefault({}),
});

/** The settings of cloud-controller-manager. Durations are milliseconds. */
export type CloudControllerManagerConfiguration = DeepReadonly<
  z.output<typeof cloudControllerManagerConfigurationSchema>
>;
