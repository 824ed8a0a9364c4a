/**
 * Pure building blocks of the API: schemas, resource definitions, codecs, patches, selectors, quantities, times and Status errors.
 * Nothing here does IO, and nothing here knows a kind.
 *
 * - A schema (`message`, `object`, `required`, `optional`, …) is plain data. The decoders and encoders of JSON, YAML and protobuf,
 *   strategic merge patches, the ownership of fields and OpenAPI documents are compiled from it, and TypeScript types are inferred.
 * - A {@link ResourceDefinition} is everything that the server knows about one resource; its {@link Strategy} contains the rules for
 *   create, update and delete.
 * - Errors of requests are {@link ApiError}s, which contain a Status; validation returns {@link FieldError}s. Input that cannot be read
 *   throws a {@link DecodeError}.
 *
 * @example
 * ```ts
 * import { decoderFor, encodeJson, int32, object, optional, parseJson, pointer, string } from "@orchernetes/apimachinery";
 *
 * const Lease = object("example/v1", "Lease", () => ({ holder: optional(1, string), seconds: pointer(2, int32) }));
 * const lease = decoderFor(Lease).decode(parseJson('{"kind":"Lease","apiVersion":"example/v1","seconds":0}').value);
 * encodeJson(Lease, lease); // the canonical JSON; the explicit 0 is kept, because the field is a pointer
 * ```
 *
 * @module
 */
export * from "./codec/decode-error.ts";
export * from "./codec/decoder.ts";
export { parseJsonText } from "./codec/exact-integers.ts";
export * from "./codec/json.ts";
export { decodeMessage } from "./codec/protobuf/decode.ts";
export { encodeMessage } from "./codec/protobuf/encode.ts";
export * from "./codec/protobuf/envelope.ts";
export * from "./codec/protobuf/list.ts";
export { goJsonText, holdsRawJson } from "./codec/raw-text.ts";
export * from "./codec/yaml.ts";
export { yamlError } from "./codec/yaml-error.ts";
export * from "./codec/yaml-library.ts";
export * from "./field-errors/error-limit.ts";
export * from "./field-errors/field.ts";
export * from "./field-errors/field-error.ts";
export * from "./field-errors/go-value.ts";
export * from "./headers/header-values.ts";
export { type FieldSet, isMember, pathSet, pathsOf, union as unionFields } from "./managed-fields/field-set.ts";
export {
  type Applied,
  type FieldTracker,
  type FieldTrackerOptions,
  fieldTracker,
  type OtherVersion,
  type TrackedObject,
  type Writer,
} from "./managed-fields/field-tracker.ts";
export { lastAppliedAnnotations } from "./managed-fields/last-applied.ts";
export { equalButForTimes } from "./managed-fields/managers.ts";
export * from "./names/dns.ts";
export * from "./names/generate-name.ts";
export * from "./names/identifiers.ts";
export * from "./names/ip.ts";
export * from "./names/ip-number.ts";
export * from "./names/labels.ts";
export * from "./names/object-meta.ts";
export * from "./names/ports.ts";
export * from "./names/qualified-name.ts";
export * from "./names/regex-error.ts";
export * from "./names/service-account.ts";
export * from "./openapi/definition.ts";
export * from "./openapi/definition-name.ts";
export * from "./openapi/texts.ts";
export * from "./patch/json-patch.ts";
export { canonicalText, cloneJson, equalJson, isObject, type JsonObject } from "./patch/json-value.ts";
export { applyMergePatch } from "./patch/merge-patch.ts";
export { applyStrategicMergePatch } from "./patch/strategic-merge-patch.ts";
export { canonicalQuantity, milliValueOf, quantityOf, wholeValueOf as valueOf } from "./quantity/fast.ts";
export { QuantityError, type QuantityFormat } from "./quantity/grammar.ts";
export { parseQuantity, Quantity } from "./quantity/quantity.ts";
export * from "./resource/capabilities.ts";
export * from "./resource/condition.ts";
export * from "./resource/definition.ts";
export * from "./resource/group-version-kind.ts";
export * from "./resource/label-selector.ts";
export * from "./resource/list.ts";
export * from "./resource/object.ts";
export * from "./resource/object-meta.ts";
export * from "./resource/owner-references.ts";
export * from "./resource/scale.ts";
export * from "./resource/strategy.ts";
export * from "./schema/index.ts";
export { createScheme, type Scheme, type SchemeKind } from "./scheme/scheme.ts";
export { seededNumbers } from "./seeded-numbers.ts";
export * from "./selector/field-selector.ts";
export * from "./selector/label-selector.ts";
export * from "./selector/parse-label-selector.ts";
export {
  newRequirement,
  parseInt64,
  type Requirement,
  SelectorError,
  type SelectorOperator,
} from "./selector/requirement.ts";
export * from "./selector/selector.ts";
export * from "./status/api-error.ts";
export * from "./status/errors.ts";
export * from "./status/predicates.ts";
export * from "./status/reason.ts";
export * from "./status/status.ts";
export * from "./time/duration.ts";
export * from "./time/time.ts";
