import { isCelUint } from "@bufbuild/cel";
import { getConformanceSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import { expect, test } from "vitest";
import { check } from "../src/checking/check.ts";
import { environment } from "../src/environment/environment.ts";
import { parse } from "../src/language/parse.ts";
import { SourceError } from "../src/language/source.ts";
import { dynType } from "../src/language/types.ts";
import { program } from "../src/runtime/program.ts";
import { library } from "../src/values/library.ts";
import { mapValue } from "../src/values/maps.ts";
import {
  Failure,
  isList,
  isMap,
  isTypeValue,
  itemsOf,
  listValue,
  type Outcome,
  type Value,
} from "../src/values/value.ts";

type Suite = ReturnType<typeof getConformanceSuite>["suites"][number];
type Test = Suite["tests"][number]["original"];
type ProtoValue = Extract<Test["resultMatcher"], { case: "value" }>["value"];

/** Suites of the language itself; the others are of protocol buffers and of extensions that 1.27 does not have. */
const suites = [
  "basic",
  "comparisons",
  "conversions",
  "fp_math",
  "integer_math",
  "lists",
  "logic",
  "macros",
  "parse",
  "plumbing",
  "string",
  "timestamps",
];

/** What speaks of protocol buffers, whose messages no expression here can make. */
const protocolBuffers = /proto|TestAllTypes|google\.|wrappers|enum/i;

class Unsupported extends Error {}

function celValueOf({ kind }: ProtoValue): Value {
  switch (kind.case) {
    case "uint64Value":
      return library().library.celUint(kind.value);
    case "int64Value":
    case "doubleValue":
    case "stringValue":
    case "boolValue":
    case "bytesValue":
      return kind.value;
    case "nullValue":
      return null;
    case "listValue":
      return listValue(kind.value.values.map(celValueOf));
    case "mapValue": {
      const map = mapValue(
        kind.value.entries.map(({ key, value }) => {
          if (key === undefined || value === undefined) throw new Unsupported();
          return [celValueOf(key), celValueOf(value)] as const;
        }),
      );
      if (map instanceof Failure) throw new Unsupported();
      return map;
    }
    case "typeValue":
      return { kind: "type", name: kind.value };
    default:
      throw new Unsupported();
  }
}

/** A value as a text; values of different types have different ones. */
function shown(value: Outcome): string {
  if (value instanceof Failure) return "error";
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return `int ${value}`;
  if (typeof value === "number") return `double ${value === 0 ? 0 : value}`;
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (isCelUint(value)) return `uint ${value.value}`;
  if (isList(value)) return `[${[...itemsOf(value)].map(shown).join(", ")}]`;
  if (isMap(value))
    return `{${value
      .keys()
      .map((key) => `${shown(key)}: ${shown(value.get(key) ?? null)}`)
      .sort()
      .join(", ")}}`;
  return isTypeValue(value) ? `type ${value.name}` : "other";
}

/** What the expression comes to, and what it should; undefined if the test is of something else. */
function run(test: Test): readonly [string, string] | undefined {
  if (test.checkOnly || protocolBuffers.test(test.expr) || test.container !== "") return undefined;
  const { resultMatcher: wanted } = test;
  let expected: string;
  const variables = new Map<string, Outcome>();
  try {
    if (wanted.case === "value") expected = shown(celValueOf(wanted.value));
    else if (wanted.case === undefined) expected = "true";
    else if (wanted.case === "evalError" || wanted.case === "anyEvalErrors") expected = "error";
    else return undefined;
    for (const [name, { kind }] of Object.entries(test.bindings)) {
      if (kind.case !== "value") return undefined;
      variables.set(name, celValueOf(kind.value));
    }
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
  return [evaluated(test, variables), expected];
}

function evaluated(test: Test, variables: ReadonlyMap<string, Outcome>): string {
  const { expr, disableCheck } = test;
  const declared = environment(Object.fromEntries([...variables.keys()].map((name) => [name, dynType])));
  try {
    const expression = parse(expr);
    if (!disableCheck) check(expr, expression, declared);
    return shown(
      program({ types: new Map(), expression, environment: declared }).evaluate(variables, 1_000_000).outcome,
    );
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    // Kubernetes wants the items of a literal to be of one type; the language leaves that to the environment.
    if (!disableCheck && /expected type '.*' but found/.test(error.message))
      return evaluated({ ...test, disableCheck: true }, variables);
    return `error: ${error.message.split("\n")[0]}`;
  }
}

function* testsOf(suite: Suite): Generator<Suite["tests"][number]> {
  yield* suite.tests;
  for (const inner of suite.suites) yield* testsOf(inner);
}

test.each(suites)("the language's own tests: %s", (name) => {
  const suite = getConformanceSuite().suites.find((one) => one.name === name);
  const all = suite === undefined ? [] : [...testsOf(suite)];
  expect(all).not.toHaveLength(0);
  const wrong = all.flatMap(({ original }) => {
    const [actual = "", expected = ""] = run(original) ?? [];
    const fits = actual === expected || (expected === "error" && actual.startsWith("error"));
    return fits ? [] : [`${original.expr}: ${actual} instead of ${expected}`];
  });
  expect(wrong).toEqual([]);
});
