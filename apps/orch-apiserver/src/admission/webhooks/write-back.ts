import {
  type ApiObject,
  canonicalize,
  type Draft,
  equalJson,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import {
  type AdmissionContext,
  convertObject,
  type GroupVersionKind,
  type MutatingAttributes,
  type Registry,
} from "@orchernetes/apiserver";
import { isSameKind } from "../matching/versioned.ts";
import { schemaOf } from "./write-documents.ts";

/** Returns the definition whose defaults apply to the objects of a write in one of their versions; undefined for subresources. */
function defaultsOf(
  { definition, subresource, kind }: MutatingAttributes,
  wanted: GroupVersionKind,
  registry: Registry,
): ResourceDefinition | undefined {
  const { subresources = {} } = definition ?? {};
  const found = Object.hasOwn(subresources, subresource) ? subresources[subresource] : undefined;
  if (found?.type === "scale" || found?.type === "handler") return undefined;
  if (isSameKind(kind, wanted)) return definition;
  return registry.lookupKind(wanted.group, wanted.version, wanted.kind)?.definition;
}

/**
 * Replaces the draft of a write by the object that a webhook has returned, with the defaults of its version, converted to the version of the
 * request.
 *
 * @param object an object of `kind`; the caller must not use it afterwards
 */
export async function writeBack(
  attributes: MutatingAttributes,
  object: ApiObject,
  kind: GroupVersionKind,
  context: AdmissionContext,
): Promise<void> {
  const { definition, object: draft } = attributes;
  if (draft === undefined) return;
  const { registry } = context;
  const shown = defaultsOf(attributes, kind, registry);
  const filled = object as Draft<ApiObject>;
  shown?.applyDefaults?.(filled);
  let own = filled;
  if (!isSameKind(kind, attributes.kind) && shown !== undefined && definition !== undefined) {
    const schema = schemaOf(attributes, attributes.kind, registry);
    const converted = await convertObject(filled as ApiObject, shown, definition, context);
    own = (schema === undefined ? converted : canonicalize(schema, converted)) as Draft<ApiObject>;
    definition.applyDefaults?.(own);
  }
  keepManagedFields(draft, own, context);
  for (const key of Object.keys(draft)) if (!Object.hasOwn(own, key)) Reflect.deleteProperty(draft, key);
  Object.assign(draft, own);
}

/** Restores the previous managed fields, and warns as upstream, if a webhook has returned invalid ones: they would break server-side apply. */
function keepManagedFields(before: Draft<ApiObject>, after: Draft<ApiObject>, { warn }: AdmissionContext): void {
  const old = before.metadata?.managedFields;
  const entries = after.metadata?.managedFields;
  if (entries === undefined || equalJson(entries, old)) return;
  const wrong = entries.find(
    ({ operation, fieldsType }) => (operation !== "Apply" && operation !== "Update") || fieldsType !== "FieldsV1",
  );
  if (wrong === undefined) return;
  after.metadata.managedFields = old;
  const found = `found operation ${JSON.stringify(wrong.operation ?? "")} and fieldsType ${JSON.stringify(wrong.fieldsType ?? "")}`;
  warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${found}`,
  );
}
