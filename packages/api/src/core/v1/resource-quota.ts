import { defineResource, type FieldError, field, goSlice } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { share } from "../../shared/drafts.ts";
import { validateQuantity } from "../../shared/resource-lists.ts";
import { ResourceQuota } from "./types/resource-quota.ts";
import { validateQuotaResourceName, validateResourceQuotaSpec } from "./validation/resource-quota.ts";

/** Scopes are immutable: the usage that is recorded was counted with the old ones. */
function validateUpdate(quota: ResourceQuota, old: ResourceQuota): FieldError[] {
  const errors = validateResourceQuotaSpec(quota.spec);
  const scopes = [...new Set(quota.spec.scopes ?? [])].sort();
  const before = [...new Set(old.spec.scopes ?? [])].sort();
  if (scopes.join() !== before.join()) {
    const shown = goSlice("core.ResourceQuotaScope", quota.spec.scopes);
    errors.push(field.invalid("spec.scopes", shown, "field is immutable"));
  }
  return errors;
}

function validateStatusUpdate({ status }: ResourceQuota): FieldError[] {
  const errors: FieldError[] = [];
  for (const list of ["hard", "used"] as const) {
    for (const [resource, amount] of Object.entries(status[list] ?? {})) {
      const at = field("status", list).key(resource);
      errors.push(...validateQuotaResourceName(resource, at), ...validateQuantity(resource, amount, at));
    }
  }
  return errors;
}

/** `name: used/hard` of limits (`limits.*`), or of everything else. */
const usage =
  (limits: boolean) =>
  ({ status }: ResourceQuota): string => {
    const { hard = {}, used = {} } = status ?? {};
    return Object.keys(hard)
      .filter((resource) => resource.startsWith("limits.") === limits)
      .sort()
      .map((resource) => `${resource}: ${Object.hasOwn(used, resource) ? used[resource] : "0"}/${hard[resource]}`)
      .join(", ");
  };

/** `v1` resource quotas. */
export const resourceQuotas = defineResource<ResourceQuota>({
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  singular: "resourcequota",
  shortNames: ["quota"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: ResourceQuota,
  storagePrefix: "/registry/resourcequotas",
  strategy: {
    prepareForCreate: (quota) => {
      quota.status = {};
    },
    validate: ({ spec }) => validateResourceQuotaSpec(spec),
    prepareForUpdate: (quota, old) => {
      quota.status = share(old.status);
    },
    validateUpdate,
    returnDeletedObject: true,
  },
  columns: [
    name(),
    age(),
    column("Request", "string", "Requests and counts: used of allowed.", usage(false)),
    column("Limit", "string", "Limits: used of allowed.", usage(true)),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (quota, old) => {
          quota.spec = share(old.spec);
        },
        validateUpdate: validateStatusUpdate,
      },
    },
  },
});
