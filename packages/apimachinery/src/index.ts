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
export * from "./codec/index.ts";
export * from "./headers/index.ts";
export * from "./managed-fields/index.ts";
export * from "./names/index.ts";
export * from "./openapi/index.ts";
export * from "./patch/index.ts";
export * from "./quantity/index.ts";
export * from "./resource/index.ts";
export * from "./schema/index.ts";
export { seededNumbers } from "./seeded-numbers.ts";
export * from "./selector/index.ts";
export * from "./status/index.ts";
export * from "./time/index.ts";
