import {
  type Infer,
  int32,
  message,
  ObjectMeta,
  object,
  optional,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "autoscaling/v1";

export const Scale = object(pkg, "Scale", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ScaleSpec),
  status: value(3, ScaleStatus),
}));
export interface Scale extends Infer<typeof Scale> {}

export const ScaleSpec = message(pkg, "ScaleSpec", () => ({
  replicas: optional(1, int32),
}));
export interface ScaleSpec extends Infer<typeof ScaleSpec> {}

export const ScaleStatus = message(pkg, "ScaleStatus", () => ({
  replicas: required(1, int32),
  selector: optional(2, string),
}));
export interface ScaleStatus extends Infer<typeof ScaleStatus> {}
