import {
  bool,
  enumeration,
  type Infer,
  int32,
  int64,
  LabelSelector,
  list,
  message,
  openEnumeration,
  pointer,
  required,
  string,
} from "@orchernetes/apimachinery";
import { PodTemplateSpec } from "../../../core/v1/types/pod-template.ts";

const pkg = "batch/v1";

export const PodFailurePolicyOnExitCodesRequirement = message(pkg, "PodFailurePolicyOnExitCodesRequirement", () => ({
  containerName: pointer(1, string),
  operator: required(2, enumeration("In", "NotIn")),
  values: required(3, list(int32), { list: "set" }),
}));
export interface PodFailurePolicyOnExitCodesRequirement extends Infer<typeof PodFailurePolicyOnExitCodesRequirement> {}

export const PodFailurePolicyOnPodConditionsPattern = message(pkg, "PodFailurePolicyOnPodConditionsPattern", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
}));
export interface PodFailurePolicyOnPodConditionsPattern extends Infer<typeof PodFailurePolicyOnPodConditionsPattern> {}

export const PodFailurePolicyRule = message(pkg, "PodFailurePolicyRule", () => ({
  action: required(1, enumeration("FailJob", "Ignore", "Count")),
  onExitCodes: pointer(2, PodFailurePolicyOnExitCodesRequirement),
  onPodConditions: pointer(3, list(PodFailurePolicyOnPodConditionsPattern)),
}));
export interface PodFailurePolicyRule extends Infer<typeof PodFailurePolicyRule> {}

export const PodFailurePolicy = message(pkg, "PodFailurePolicy", () => ({
  rules: required(1, list(PodFailurePolicyRule)),
}));
export interface PodFailurePolicy extends Infer<typeof PodFailurePolicy> {}

export const JobSpec = message(pkg, "JobSpec", () => ({
  parallelism: pointer(1, int32),
  completions: pointer(2, int32),
  activeDeadlineSeconds: pointer(3, int64),
  podFailurePolicy: pointer(11, PodFailurePolicy, { gate: "JobPodFailurePolicy" }),
  backoffLimit: pointer(7, int32),
  selector: pointer(4, LabelSelector),
  manualSelector: pointer(5, bool),
  template: required(6, PodTemplateSpec),
  ttlSecondsAfterFinished: pointer(8, int32),
  completionMode: pointer(9, enumeration("NonIndexed", "Indexed")),
  suspend: pointer(10, bool),
}));
export interface JobSpec extends Infer<typeof JobSpec> {}
