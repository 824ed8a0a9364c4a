import { defineResource, type FieldError, field, goStruct, validateLabelSelector } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import { type IntOrString, notMoreThan100Percent, positiveIntOrPercent } from "../../shared/int-or-percent.ts";
import { nonNegatives } from "../../shared/numbers.ts";
import { PodDisruptionBudget } from "./types.ts";

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

/** Validates a budget: one of the two limits, as a count or a percentage. */
function validatePodDisruptionBudget({ spec }: PodDisruptionBudget): FieldError[] {
  const path = field("spec");
  const errors: FieldError[] = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const { minAvailable: MinAvailable, maxUnavailable: MaxUnavailable } = spec;
    const printed = goStruct("policy.PodDisruptionBudgetSpec", { MinAvailable, MaxUnavailable });
    errors.push(field.invalid(path, printed, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const part of ["minAvailable", "maxUnavailable"] as const) {
    const at = path.child(part);
    errors.push(...positiveIntOrPercent(spec[part], at), ...notMoreThan100Percent(spec[part], at));
  }
  errors.push(...validateLabelSelector(spec.selector ?? undefined, path.child("selector")));
  const policy = spec.unhealthyPodEvictionPolicy;
  if (policy !== undefined && !evictionPolicies.includes(policy)) {
    errors.push(field.notSupported(path.child("unhealthyPodEvictionPolicy"), policy, evictionPolicies));
  }
  return errors;
}

function validateStatus({ status }: PodDisruptionBudget): FieldError[] {
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status;
  return nonNegatives({ disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods }, field("status"));
}

const textOf = (value: IntOrString | undefined): string => (value === undefined ? "N/A" : String(value));

/**
 * `policy/v1` disruption budgets: limit the pods that voluntary disruptions (evictions) make unavailable at the same
 * time.
 */
export const podDisruptionBudgets = defineResource<PodDisruptionBudget>({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  singular: "poddisruptionbudget",
  shortNames: ["pdb"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: PodDisruptionBudget,
  storagePrefix: "/registry/poddisruptionbudgets",
  strategy: {
    prepareForCreate: (budget) => {
      budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    },
    validate: validatePodDisruptionBudget,
    prepareForUpdate: (budget, old) => keep(budget, old, "status"),
    validateUpdate: validatePodDisruptionBudget,
    generation: ({ spec }) => spec,
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("Min Available", "string", "Pods that must stay available.", ({ spec }) => textOf(spec.minAvailable)),
    column("Max Unavailable", "string", "Pods that may be unavailable.", ({ spec }) => textOf(spec.maxUnavailable)),
    column(
      "Allowed Disruptions",
      "integer",
      "Pods that may be evicted now.",
      ({ status }) => status.disruptionsAllowed,
    ),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: { prepareForUpdate: (budget, old) => keep(budget, old, "spec"), validateUpdate: validateStatus },
    },
  },
});
