/**
 * Expressions in the Common Expression Language (CEL) with the environment of Kubernetes 1.27: rules of custom resources, match
 * conditions and policies. An expression is parsed and checked once against declared types, its cost is estimated then and counted
 * when it runs, and the values it reads are views: nothing that it does reaches an object of JavaScript.
 *
 * @example
 * ```ts
 * import { bind, compile, costLimits, declare, environment } from "@orchernetes/cel";
 *
 * const self = declare({ type: "object", properties: { size: { type: "integer" } } }, "self", true);
 * if (self === undefined) throw new Error("nothing to declare");
 * const rule = compile("self.size > 2", environment({ self: self.type }), new Map([["self", self]]));
 * if (typeof rule === "string") throw new Error(rule);
 * rule.evaluate(new Map([["self", bind({ size: 3 }, self)]]), costLimits.call).outcome; // true
 * ```
 *
 * @module
 */

export {
  type AdmissionResult,
  type AdmissionVariables,
  admissionEnvironment,
  compileAdmission,
} from "./admission/admission-expression.ts";
export {
  type AccessCheck,
  type AccessDecision,
  type AccessSubject,
  type Authorize,
  authorizerValue,
  type ResourceAccess,
  requestResourceValue,
} from "./admission/authorizer.ts";
export { requestDeclaration } from "./admission/request-declaration.ts";
export { type CompiledExpression, compile, costLimits, instantiationFailed } from "./compile.ts";
export { type Environment, environment, type FunctionLibrary, type Implementation } from "./environment/environment.ts";
export { type Overload, overloads } from "./environment/overload.ts";
export {
  boolType,
  dynType,
  intType,
  listOf,
  mapOf,
  opaque,
  stringType,
  type Type,
  typeName,
} from "./language/types.ts";
export type { Evaluation, Program, Variables } from "./runtime/program.ts";
export { bind, bindAny } from "./schema/bind.ts";
export { type DeclarableSchema, type Declaration, declare, maxRequestBytes } from "./schema/declaration.ts";
export { escapeName } from "./values/escape.ts";
export { expandedPatternSize, maxExpandedPatternSize } from "./values/expanded-pattern-size.ts";
export {
  CostError,
  Failure,
  InterruptedError,
  isList,
  isMap,
  isOpaque,
  itemsOf,
  type ListValue,
  listValue,
  type MapValue,
  type OpaqueValue,
  type Outcome,
  type Value,
} from "./values/value.ts";
