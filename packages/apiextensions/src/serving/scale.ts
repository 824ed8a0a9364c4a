import type { apiextensions } from "@orchernetes/api";
import { badRequest, type Draft, type FieldError, field, type Subresource, setOwn } from "@orchernetes/apimachinery";
import type { CustomObject } from "../schema/custom-object.ts";
import { isPlain } from "../schema/structural.ts";

type Scale = apiextensions.CustomResourceSubresourceScale;

/** Replicas are an int32 in `autoscaling/v1` Scale. */
const most = 2 ** 31 - 1;

/** The members of a path such as `.spec.replicas`; validation has allowed nothing but names in it. */
const stepsOf = (path: string): readonly string[] => path.split(".").slice(1);

/** The value at a path such as `.spec.replicas`; undefined if there is none. */
function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const step of stepsOf(path)) {
    if (!isPlain(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** Absent replicas are 0, as in a Scale. */
function countAt(object: unknown, path: string): number {
  const value = valueAt(object, path);
  return typeof value === "number" && Number.isInteger(value) ? value : 0;
}

/**
 * The scale subresource of a custom resource: with it, `orchctl scale` and autoscalers change the replicas of kinds that they do not know.
 * The definition says where the three values of a Scale are in the object.
 */
export function scaleSubresource(scale: Scale): Extract<Subresource<CustomObject>, { readonly type: "scale" }> {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    type: "scale",
    get: (object) => {
      const selector = labelSelectorPath ? valueAt(object, labelSelectorPath) : "";
      return {
        specReplicas: countAt(object, specReplicasPath),
        statusReplicas: countAt(object, statusReplicasPath),
        selector: typeof selector === "string" ? selector : "",
      };
    },
    set: (draft: Draft<CustomObject>, replicas) => {
      const steps = stepsOf(specReplicasPath);
      let parent = draft as Record<string, unknown>;
      for (const step of steps.slice(0, -1)) {
        const next = Object.hasOwn(parent, step) ? parent[step] : undefined;
        // Parents are created: `.spec.replicas` can be set in an object without a spec.
        if (next === undefined || next === null) setOwn(parent, step, {});
        else if (!isPlain(next)) throw badRequest(`the object has no place for replicas at ${specReplicasPath}`);
        parent = parent[step] as Record<string, unknown>;
      }
      setOwn(parent, steps.at(-1) ?? "", replicas);
    },
  };
}

/** Errors of impossible replica counts, whatever the schema says: a Scale could not represent them. */
export function scaleErrors(object: unknown, scale: Scale | undefined, part: "spec" | "status"): readonly FieldError[] {
  if (scale === undefined) return [];
  const path = part === "spec" ? scale.specReplicasPath : scale.statusReplicasPath;
  const value = valueAt(object, path);
  const errors: FieldError[] = [];
  if (typeof value === "number" || typeof value === "bigint") {
    if (value < 0) errors.push(field.invalid(path, value, "should be a non-negative integer"));
    else if (value > most) errors.push(field.invalid(path, value, `should be less than or equal to ${most}`));
  }
  return errors;
}
