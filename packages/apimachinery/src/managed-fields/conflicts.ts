import { goQuote } from "../field-errors/go-value.ts";
import type { ApiError } from "../status/api-error.ts";
import { applyConflict } from "../status/errors.ts";
import { type FieldSet, pathsOf } from "./field-set.ts";
import { type Manager, managerKey } from "./managers.ts";

/** Fields that an applier would change and that another manager owns. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** The 409 error, which lists every field in conflict and its owner, in Kubernetes' words. */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const listed = [...conflicts]
    .sort((a, b) => (managerKey(a.manager) < managerKey(b.manager) ? -1 : 1))
    .map(({ manager, fields }) => ({ name: describe(manager), paths: pathsOf(fields) }));
  const causes = listed.flatMap(({ name, paths }) =>
    paths.map((path) => ({ message: `conflict with ${name}`, field: path })),
  );
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) {
    return applyConflict(causes, `Apply failed with 1 conflict: ${only.message}: ${only.field}`);
  }
  const lines = listed.flatMap(({ name, paths }) => [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)]);
  return applyConflict(causes, `Apply failed with ${causes.length} conflicts: ${lines.join("\n")}`);
}

function describe({ name, operation, apiVersion, subresource }: Manager): string {
  const who = subresource === "" ? goQuote(name) : `${goQuote(name)} with subresource ${goQuote(subresource)}`;
  return operation === "Update" ? `${who} using ${apiVersion}` : who;
}
