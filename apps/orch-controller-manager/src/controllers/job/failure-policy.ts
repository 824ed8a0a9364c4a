import type { batch, core } from "@orchernetes/api";
import type { Job, Pod } from "./job-pods.ts";

/** The action of the rule that matches a failed pod, and a description of the match. */
export interface FailureVerdict {
  readonly action: string;
  readonly message: string;
}

/**
 * Finds the first rule of the job's pod failure policy that matches a failed pod (KEP-3329); undefined if none matches.
 */
export function failureVerdict({ spec }: Job, pod: Pod): FailureVerdict | undefined {
  for (const [i, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const what = matchOf(rule, pod);
    if (what !== undefined)
      return { action: rule.action, message: `${what} matching ${rule.action} rule at index ${i}` };
  }
  return undefined;
}

/** Describes how a rule matches the pod, for the condition's message; undefined if it does not. */
function matchOf({ onExitCodes, onPodConditions }: batch.PodFailurePolicyRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata;
  if (onExitCodes !== undefined) {
    const statuses = [...(pod.status.containerStatuses ?? []), ...(pod.status.initContainerStatuses ?? [])];
    const failed = statuses.find((status) => exitCodeMatches(onExitCodes, status));
    const code = failed?.state?.terminated?.exitCode;
    return failed && `Container ${failed.name} for pod ${namespace}/${name} failed with exit code ${code}`;
  }
  for (const condition of pod.status.conditions ?? []) {
    if (onPodConditions?.some(({ type, status }) => type === condition.type && status === condition.status)) {
      return `Pod ${namespace}/${name} has condition ${condition.type}`;
    }
  }
  return undefined;
}

/** Exit code 0 never matches, not even with NotIn: the container has not failed. */
function exitCodeMatches(
  { containerName, operator, values }: batch.PodFailurePolicyOnExitCodesRequirement,
  { name, state }: core.ContainerStatus,
): boolean {
  const code = state?.terminated?.exitCode;
  if (code === undefined || code === 0 || (containerName !== undefined && containerName !== name)) return false;
  return values.includes(code) === (operator === "In");
}
