import type { ApiObject, ResourceDefinition, ScalarKind, Schema } from "@orchernetes/apimachinery";
import { apiVersionOf, canonicalize } from "@orchernetes/apimachinery";

/** A value that is not zero, for each kind of scalar. */
const scalars: Readonly<Record<ScalarKind, unknown>> = {
  string: "text é",
  bool: true,
  int32: -7,
  int64: 2 ** 40 + 1,
  uint32: 4_000_000_000,
  double: 0.25,
  number: 1.5,
  bytes: "AP/+",
  quantity: "1500m",
  time: "2026-01-02T03:04:05Z",
  microTime: "2026-01-02T03:04:05.123456Z",
  duration: "1m30s",
  intOrString: "50%",
  raw: { any: [1, null, { deep: "x" }] },
  json: ["any", 1],
};

/** A value with every field of a schema, down to some depth. */
function sampleValue(schema: Schema, depth: number): unknown {
  switch (schema.kind) {
    case "message": {
      const fields = Object.entries(schema.fields()).filter(([, field]) => depth > 0 || field.presence === "required");
      return Object.fromEntries(fields.map(([name, field]) => [name, sampleValue(field.schema, depth - 1)]));
    }
    case "list": {
      const item = sampleValue(schema.item, depth - 1);
      return schema.item.kind === "message" ? [item] : [item, item];
    }
    case "map":
      return { a: sampleValue(schema.value, depth - 1) };
    default:
      return schema.values?.[0] ?? scalars[schema.kind];
  }
}

/** The templates of claims have no type on the wire; servers add it by their defaults. */
const withoutClaimTypes = (key: string, value: unknown): unknown =>
  key === "volumeClaimTemplates" && Array.isArray(value)
    ? value.map(({ kind: _kind, apiVersion: _apiVersion, ...claim }) => claim)
    : value;

/** An object of a kind with nearly every field, in the form that a server stores. */
export function sampleObject(definition: ResourceDefinition, name = "sample"): ApiObject {
  const { schema, kind } = definition;
  const value = sampleValue(schema, 6) as ApiObject;
  const metadata = { ...value.metadata, name, resourceVersion: "7" };
  const object = canonicalize<ApiObject>(schema, { ...value, metadata, kind, apiVersion: apiVersionOf(definition) });
  return JSON.parse(JSON.stringify(object, withoutClaimTypes)) as ApiObject;
}
