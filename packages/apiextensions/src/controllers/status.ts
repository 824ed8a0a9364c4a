import type { apiextensions } from "@orchernetes/api";
import { type Draft, field } from "@orchernetes/apimachinery";
import { approvalOf, isProtectedGroup } from "../definition/api-approval.ts";
import { type ConditionState, conditionOf, says, setCondition } from "../definition/conditions.ts";
import { schemaOf } from "../schema/json-schema.ts";
import { structuralErrors } from "../validation/structural-rules.ts";
import { decideNames } from "./names.ts";

type Definition = apiextensions.CustomResourceDefinition;

/** Conditions by the state of the approval annotation, with the reasons of Kubernetes. */
const approvals = {
  missing: { status: "False", reason: "MissingAnnotation" },
  unapproved: { status: "False", reason: "UnapprovedAnnotation" },
  invalid: { status: "False", reason: "InvalidAnnotation" },
  approved: { status: "True", reason: "ApprovedAnnotation" },
} as const;

/**
 * What the schemas of a definition lack to be structural; undefined if nothing. Only definitions of old versions, which keep
 * unknown fields everywhere, may lack anything: validation rejects all others.
 */
function structuralState({ spec }: Definition): ConditionState | undefined {
  if (spec.preserveUnknownFields !== true) return undefined;
  const errors = [field.invalid("spec.preserveUnknownFields", true, "must be false")];
  for (const [i, version] of spec.versions.entries()) {
    const schema = schemaOf(version);
    const path = field("spec").child("versions").index(i).child("schema", "openAPIV3Schema");
    if (schema !== undefined) errors.push(...structuralErrors(schema, path));
  }
  const message = errors.map((error) => `${error.field}: ${error.message}`).join(", ");
  return { type: "NonStructuralSchema", status: "True", reason: "Violations", message: message.slice(0, 4096) };
}

/** Outside of protected groups there is nothing to approve, and no condition. */
function approvalState(definition: Definition): ConditionState | undefined {
  if (!isProtectedGroup(definition.spec.group)) return undefined;
  const { state, reason } = approvalOf(definition);
  return { type: "OrchernetesAPIApprovalPolicyConformant", ...approvals[state], message: reason };
}

/**
 * Brings what a definition's status says of its names, schemas and approval up to date, in place.
 *
 * @param group all definitions of its group
 * @returns whether anything changed
 */
export function updateStatus(draft: Draft<Definition>, group: readonly Definition[], now: Date): boolean {
  const definition = draft as Definition;
  const { acceptedNames, namesAccepted, established } = decideNames(definition, group);
  let changed = false;
  if (JSON.stringify(sorted(acceptedNames)) !== JSON.stringify(sorted(definition.status.acceptedNames))) {
    draft.status.acceptedNames = acceptedNames as Draft<Definition>["status"]["acceptedNames"];
    changed = true;
  }
  const wanted = [namesAccepted, established, structuralState(definition), approvalState(definition)];
  for (const state of wanted) {
    if (state === undefined || says(definition, state)) continue;
    setCondition(draft, state, now);
    changed = true;
  }
  if (wanted[2] === undefined && conditionOf(definition, "NonStructuralSchema") !== undefined) {
    draft.status.conditions = (draft.status.conditions ?? []).filter(({ type }) => type !== "NonStructuralSchema");
    changed = true;
  }
  return changed;
}

/** Names in one order and without empty ones, so that only real differences cause an update. */
function sorted(names: object): object {
  const entries = Object.entries(names).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
