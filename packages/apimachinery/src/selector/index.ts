export * from "./field-selector.ts";
export * from "./label-selector.ts";
export * from "./parse-label-selector.ts";
export { newRequirement, parseInt64, type Requirement, SelectorError, type SelectorOperator } from "./requirement.ts";
export * from "./selector.ts";
