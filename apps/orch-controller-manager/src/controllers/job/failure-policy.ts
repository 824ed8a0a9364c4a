import type { batch, core } from "@orchernetes/api";
import type { Job, Pod } from "./job-pods.ts";

export interface FailureVerdict {
  readonly action: string;
  readonly message: string;
}

/** What the job's failure policy says of a failed pod: the first rule that fits; undefined when none does. */
export function failureVerdict({ spec }: Job, pod: Pod): FailureVerdict | undefined {
  for (const [i, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const what = matchOf(rule, pod);
    if (what !== undefined)
      return { action: rule.action, message: `${what} matching ${rule.action} rule at index ${i}` };
  }
  return undefined;
}

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

function exitCodeMatches(
  { containerName, operator, values }: batch.PodFailurePolicyOnExitCodesRequirement,
  { name, state }: core.ContainerStatus,
): boolean {
  const code = state?.terminated?.exitCode;
  if (code === undefined || code === 0 || (containerName !== undefined && containerName !== name)) return false;
  return values.includes(code) === (operator === "In");
}
