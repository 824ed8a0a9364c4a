import {
  type Infer,
  int32,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { JobSpec } from "./common.ts";

const pkg = "batch/v1";

export const Job = object(pkg, "Job", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, JobSpec),
  status: value(3, JobStatus),
}));
export interface Job extends Infer<typeof Job> {}

export const JobList = object(pkg, "JobList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Job)),
}));
export interface JobList extends Infer<typeof JobList> {}

export const JobStatus = message(pkg, "JobStatus", () => ({
  conditions: optional(1, list(JobCondition), { patch: "merge", mergeKey: "type" }),
  startTime: pointer(2, time),
  completionTime: pointer(3, time),
  active: optional(4, int32),
  succeeded: optional(5, int32),
  failed: optional(6, int32),
  completedIndexes: optional(7, string),
  uncountedTerminatedPods: pointer(8, UncountedTerminatedPods),
  ready: pointer(9, int32),
}));
export interface JobStatus extends Infer<typeof JobStatus> {}

export const UncountedTerminatedPods = message(pkg, "UncountedTerminatedPods", () => ({
  succeeded: optional(1, list(string), { list: "set" }),
  failed: optional(2, list(string), { list: "set" }),
}));
export interface UncountedTerminatedPods extends Infer<typeof UncountedTerminatedPods> {}

export const JobCondition = message(pkg, "JobCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastProbeTime: optional(3, time),
  lastTransitionTime: optional(4, time),
  reason: optional(5, string),
  message: optional(6, string),
}));
export interface JobCondition extends Infer<typeof JobCondition> {}
