import type { Type } from "../language/types.ts";
import type { Outcome, Value } from "../values/value.ts";
import { extensionFunctions, extensionOverloads } from "./extensions.ts";
import type { Overload } from "./overload.ts";
import { standardOverloads } from "./standard.ts";

/** What a function of an environment does with values that are no failures. The target of a method is the first argument. */
export type Implementation = (...args: readonly Value[]) => Outcome;

/** Functions that an environment has besides those of every one. */
export interface FunctionLibrary {
  readonly overloads: readonly Overload[];
  readonly functions: ReadonlyMap<string, Implementation>;
}

/**
 * What an expression may name. No function changes anything, or reads a clock or random numbers, so that equal values have equal results on
 * every server; only the authorizer of policies asks for something outside.
 */
export interface Environment {
  readonly variables: ReadonlyMap<string, Type>;
  readonly overloads: ReadonlyMap<string, readonly Overload[]>;
  readonly functions: ReadonlyMap<string, Implementation>;
  /** Names of the types of objects whose fields are computed when they are read first. @default none */
  readonly computed?: ReadonlySet<string>;
}

const common: FunctionLibrary = {
  overloads: [...standardOverloads, ...extensionOverloads],
  functions: extensionFunctions,
};

const grouped = (overloads: readonly Overload[]): ReadonlyMap<string, readonly Overload[]> =>
  Map.groupBy(overloads, ({ name }) => name);

/** Grouped once: most environments add variables only. */
const commonOverloads = grouped(common.overloads);

/** The environment of Kubernetes 1.27 with variables, and functions of the place where the expression stands. */
export function environment(variables: Readonly<Record<string, Type>>, extra?: FunctionLibrary): Environment {
  return {
    variables: new Map(Object.entries(variables)),
    overloads: extra === undefined ? commonOverloads : grouped([...common.overloads, ...extra.overloads]),
    functions: extra === undefined ? common.functions : new Map([...common.functions, ...extra.functions]),
  };
}
