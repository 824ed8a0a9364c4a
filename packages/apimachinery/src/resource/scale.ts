import { type Infer, int32, message, object, optional, required, string, value } from "../schema/index.ts";
import { ObjectMeta } from "./object-meta.ts";

const pkg = "autoscaling/v1";

/** The desired number of replicas. */
export const ScaleSpec = message(pkg, "ScaleSpec", () => ({ replicas: optional(1, int32) }));
export interface ScaleSpec extends Infer<typeof ScaleSpec> {}

/** The observed number of replicas, and the selector of the pods. */
export const ScaleStatus = message(pkg, "ScaleStatus", () => ({
  replicas: required(1, int32),
  /** Label selector in text form. */
  selector: optional(2, string),
}));
export interface ScaleStatus extends Infer<typeof ScaleStatus> {}

/** The scale subresource of any kind that has replicas. */
export const Scale = object(pkg, "Scale", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ScaleSpec),
  status: value(3, ScaleStatus),
}));
export interface Scale extends Infer<typeof Scale> {}
