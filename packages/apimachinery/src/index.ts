/**
 * @module Pure building blocks of the API: schemas, resource definitions, codecs, patches, selectors, quantities, times and
 * Status errors. Nothing here does IO.
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
