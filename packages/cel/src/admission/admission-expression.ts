import { type CompiledExpression, compile, instantiationFailed } from "../compile.ts";
import { type Environment, environment } from "../environment/environment.ts";
import { dynType, type Type } from "../language/types.ts";
import { authorizerLibrary, authorizerType, resourceCheckType } from "./authorizer.ts";
import { requestDeclaration } from "./request-declaration.ts";

/** What an expression of admission may name besides `object`, `oldObject` and `request`. */
export interface AdmissionVariables {
  /** Type of `object` and `oldObject`. @default dyn */
  readonly object?: Type;
  /** Type of `params`; undefined: there are none. */
  readonly params?: Type | undefined;
  /** Whether there are `authorizer` and `authorizer.requestResource`. */
  readonly authorizer: boolean;
  /** The types of the fields of `variables`; undefined: there is no such variable. */
  readonly composed?: ReadonlyMap<string, Type> | undefined;
}

/** What an expression must evaluate to. */
export type AdmissionResult = "bool" | "string" | "stringOrNull" | "any";

/** Kinds of types; undefined: every one. */
const accepted: Readonly<Record<AdmissionResult, readonly string[] | undefined>> = {
  any: undefined,
  bool: ["bool"],
  string: ["string"],
  stringOrNull: ["string", "null_type"],
};

/** The functions are the same for every expression. */
const common = environment({}, authorizerLibrary);

/** Each variable of a policy is evaluated when an expression reads it first. */
const variablesType = "orchernetes.variables";
const computed: ReadonlySet<string> = new Set([variablesType]);

/** The environment of match conditions and policies in Kubernetes 1.27. */
export function admissionEnvironment({
  object = dynType,
  params,
  authorizer,
  composed,
}: AdmissionVariables): Environment {
  const variables = new Map<string, Type>([
    ["object", object],
    ["oldObject", object],
    ["request", requestDeclaration.type],
  ]);
  if (params !== undefined) variables.set("params", params);
  if (authorizer) variables.set("authorizer", authorizerType).set("authorizer.requestResource", resourceCheckType);
  if (composed !== undefined) variables.set("variables", { kind: "object", name: variablesType, fields: composed });
  return { ...common, variables, ...(composed !== undefined && { computed }) };
}

/**
 * Compiles an expression of a match condition or policy.
 *
 * @returns what is wrong with it, in the words of Kubernetes, if anything is
 */
export function compileAdmission(
  source: string,
  result: AdmissionResult,
  scope: Environment,
): CompiledExpression | string {
  const compiled = compile(source, scope);
  if (typeof compiled === "string")
    return compiled.startsWith(instantiationFailed) ? compiled : `compilation failed: ${compiled}`;
  const kinds = accepted[result];
  if (kinds === undefined || kinds.includes(compiled.type.kind)) return compiled;
  return kinds.length === 1 ? `must evaluate to ${kinds[0]}` : `must evaluate to one of [${kinds.join(" ")}]`;
}
