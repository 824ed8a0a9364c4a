import type { apiextensions } from "@orchernetes/api";
import {
  ApiError,
  type Draft,
  type FieldError,
  failure,
  field,
  type Strategy,
  setOwn,
  type UpdateStrategy,
} from "@orchernetes/apimachinery";
import type { InterruptibleSteps } from "@orchernetes/kernel";
import { objectRuleErrors } from "../rules/object-rules.ts";
import type { RuleNode, RuleOptions } from "../rules/rule-tree.ts";
import type { CustomObject } from "../schema/custom-object.ts";
import type { Structural } from "../schema/structural.ts";
import { embeddedErrors } from "../validation/embedded.ts";
import { duplicateItems } from "../validation/lists.ts";
import type { Check } from "../validation/value.ts";
import { scaleErrors } from "./scale.ts";

/** What the strategies of one version rest on. */
export interface ObjectRules {
  readonly resource: { readonly group: string; readonly plural: string };
  readonly structural: () => Structural;
  readonly check: () => Check;
  /** Undefined if the schema has no rules in the expression language. */
  readonly expressions: () => RuleNode | undefined;
  readonly evaluated: RuleOptions["evaluated"];
  readonly subresources: apiextensions.CustomResourceSubresources | undefined;
  /** Whether the definition is being deleted: then nothing is created any more. */
  readonly isTerminating: () => boolean;
}

/** The members of an object but these. */
const without = (object: CustomObject, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Sets a member to what it is in another object, or removes it. */
const take = (draft: Draft<CustomObject>, name: string, from: CustomObject): void => {
  if (Object.hasOwn(from, name)) setOwn(draft as Record<string, unknown>, name, from[name]);
  else delete draft[name];
};

/**
 * How objects of a custom resource are written.
 *
 * With a status subresource, writes of the object ignore its status, and the generation counts changes outside of it; without one, the
 * status is a member like others.
 */
export function objectStrategy(rules: ObjectRules): Strategy<CustomObject> {
  const hasStatus = rules.subresources?.status !== undefined;
  return {
    allowUnconditionalUpdate: false,
    generation: (object) => without(object, "apiVersion", "kind", "metadata", ...(hasStatus ? ["status"] : [])),
    prepareForCreate: (draft) => {
      if (rules.isTerminating()) throw terminating(rules);
      if (hasStatus) delete draft.status;
    },
    validate: (object) => [
      ...schemaErrors(object, rules),
      ...scaleErrors(object, rules.subresources?.scale, "spec"),
      ...embeddedErrors(object, rules.structural(), field("")),
      ...duplicateItems(object, rules.structural(), field("")),
    ],
    prepareForUpdate: (draft, old) => {
      if (hasStatus) take(draft, "status", old);
    },
    validateUpdate: (object, old) => [
      ...schemaErrors(object, rules),
      ...scaleErrors(object, rules.subresources?.scale, "spec"),
      ...ratcheted(object, old, rules),
    ],
    validateLong: validateByRules(rules),
  };
}

/** How the status of such objects is written: all else stays, but for the managers of fields. */
export function objectStatusStrategy(rules: ObjectRules): UpdateStrategy<CustomObject> {
  return {
    prepareForUpdate: (draft, old) => {
      const { managedFields, resourceVersion } = draft.metadata;
      for (const name of Object.keys(draft)) {
        if (name !== "status" && name !== "metadata" && !Object.hasOwn(old, name)) delete draft[name];
      }
      for (const name of Object.keys(old)) if (name !== "status" && name !== "metadata") take(draft, name, old);
      draft.metadata = { ...(old.metadata as Draft<CustomObject>["metadata"]), managedFields, resourceVersion };
    },
    validateUpdate: (object, old) => [
      ...schemaErrors(object, rules),
      ...scaleErrors(object, rules.subresources?.scale, "status"),
      ...ratcheted(object, old, rules),
    ],
    validateLong: validateByRules(rules),
  };
}

/** After these errors the expressions are not evaluated: they may rely on what is wrong. */
const blocking: ReadonlySet<FieldError["type"]> = new Set([
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Evaluates the expressions of the schema, in steps. Undefined if there are none: the request goes on without any further work. */
const validateByRules =
  ({ expressions, evaluated }: ObjectRules): NonNullable<UpdateStrategy<CustomObject>["validateLong"]> =>
  (object, old, found) => {
    const rules = expressions();
    if (rules === undefined) return undefined;
    if (!found.some(({ type }) => blocking.has(type))) return measured(objectRuleErrors(rules, object, old), evaluated);
    const detail =
      "some validation rules were not checked because the object was invalid; " +
      "correct the existing errors to complete validation";
    return atOnce([field.invalid("<nil>", null, detail)]);
  };

// biome-ignore lint/correctness/useYield: there is nothing to wait for.
function* atOnce<T>(result: T): InterruptibleSteps<T> {
  return result;
}

/** Reports the time from the first to the last step, pauses included. */
function* measured<T>(steps: InterruptibleSteps<T>, evaluated: ObjectRules["evaluated"]): InterruptibleSteps<T> {
  const start = performance.now();
  const result = yield* steps;
  evaluated?.((performance.now() - start) / 1000);
  return result;
}

function schemaErrors(object: CustomObject, { check }: ObjectRules): readonly FieldError[] {
  const errors: FieldError[] = [];
  check()(object, "", errors);
  return errors;
}

/**
 * Errors that the stored object does not have already: it may be older than these rules, and its owner must be able to change something
 * else in it.
 */
function ratcheted(object: CustomObject, old: CustomObject, { structural }: ObjectRules): readonly FieldError[] {
  const root = field("");
  return [embeddedErrors, duplicateItems].flatMap((errorsOf) => {
    const found = errorsOf(object, structural(), root);
    return found.length > 0 && errorsOf(old, structural(), root).length === 0 ? found : [];
  });
}

/** Rejects a creation while the objects of the definition are deleted: otherwise this might never end. */
function terminating({ resource }: ObjectRules): ApiError {
  const message = "create not allowed while custom resource definition is terminating";
  return new ApiError(failure("MethodNotAllowed", message, { group: resource.group, kind: resource.plural }));
}
