import { boolType, dynType, listOf, mapOf, stringType, type Type } from "../language/types.ts";
import type { Declaration } from "../schema/declaration.ts";

/** A type without sizes: the cost of expressions of admission is not estimated, only counted when they run. */
const declared = (type: Type, more: Pick<Declaration, "element" | "key"> = {}): Declaration => ({
  type,
  maxElements: 0,
  minSize: 0,
  ...more,
});

const text = declared(stringType);
const flag = declared(boolType);
const texts = declared(listOf(stringType), { element: text });

function objectOf(name: string, fields: Readonly<Record<string, Declaration>>): Declaration {
  const entries = Object.entries(fields);
  const types = new Map(entries.map(([key, { type }]) => [key, type]));
  return {
    ...declared({ kind: "object", name, fields: types }),
    fields: new Map(entries.map(([key, declaration]) => [key, { name: key, declaration }])),
  };
}

const kind = objectOf("orchernetes.GroupVersionKind", { group: text, version: text, kind: text });
const resource = objectOf("orchernetes.GroupVersionResource", { group: text, version: text, resource: text });
const userInfo = objectOf("orchernetes.UserInfo", {
  username: text,
  uid: text,
  groups: texts,
  extra: declared(mapOf(stringType, listOf(stringType)), { element: texts, key: text }),
});

/**
 * The variable `request`: an AdmissionRequest without `uid`, which only webhooks need, and without `object` and `oldObject`, which are
 * variables of their own.
 */
export const requestDeclaration: Declaration = objectOf("orchernetes.AdmissionRequest", {
  kind,
  resource,
  subResource: text,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo,
  dryRun: flag,
  options: declared(dynType),
});
