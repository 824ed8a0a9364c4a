/** @module Pure building blocks of the API: schemas, resource definitions, codecs, patches, selectors, quantities, Status errors. No IO. */
export * from "./resource/index.ts";
export * from "./schema/index.ts";
export * from "./status/field-error.ts";
