import { findAll, matches } from "../values/patterns.ts";
import { Failure, isList, itemsOf, listValue, type Outcome, type Value } from "../values/value.ts";
import type { Implementation } from "./environment.ts";
import { indexIn, listFunctions } from "./lists.ts";
import { type Overload, overloads } from "./overload.ts";
import { charAt, replace, substring } from "./texts.ts";
import { isUrl, toUrl, urlParts } from "./urls.ts";

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"]
  .flatMap((type) => [`list(${type}).isSorted() bool`, `list(${type}).min() ${type}`, `list(${type}).max() ${type}`])
  .join("\n");

/** The functions that Kubernetes 1.27 adds to the language: of lists, regular expressions and URLs. */
export const extensionOverloads: readonly Overload[] = overloads(`
  ${comparable}
  list(int).sum() int
  list(uint).sum() uint
  list(double).sum() double
  list(duration).sum() duration
  list(A).indexOf(A) int
  list(A).lastIndexOf(A) int
  string.find(string) string
  string.findAll(string) list(string)
  string.findAll(string, int) list(string)
  url(string) orchernetes.URL
  isURL(string) bool
  orchernetes.URL.getScheme() string
  orchernetes.URL.getHost() string
  orchernetes.URL.getHostname() string
  orchernetes.URL.getPort() string
  orchernetes.URL.getEscapedPath() string
  orchernetes.URL.getQuery() map(string, list(string))
`);

const noOverload = (): Failure => new Failure("no such overload");

const ofTexts =
  (run: (text: string, other: string, ...more: readonly Value[]) => Outcome): Implementation =>
  (text = null, other = null, ...more) =>
    typeof text === "string" && typeof other === "string" ? run(text, other, ...more) : noOverload();

function findAllOf(text: string, pattern: string, limit: Value = -1n): Outcome {
  if (typeof limit !== "bigint") return noOverload();
  const found = findAll(text, pattern, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit));
  return found instanceof Failure ? found : listValue(found);
}

function findFirst(text: string, pattern: string): Outcome {
  const found = findAll(text, pattern, 1);
  return found instanceof Failure ? found : (found[0] ?? "");
}

function join(list: Value, separator: Value = ""): Outcome {
  if (!isList(list) || typeof separator !== "string") return noOverload();
  const parts: string[] = [];
  for (const item of itemsOf(list)) {
    if (item instanceof Failure) return item;
    if (typeof item !== "string") return noOverload();
    parts.push(item);
  }
  return parts.join(separator);
}

function split(text: string, separator: string, limit: Value = -1n): Outcome {
  if (typeof limit !== "bigint") return noOverload();
  const parts = separator === "" ? [...text] : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return listValue(parts);
  if (limit === 0n) return listValue([]);
  const kept = parts.slice(0, Number(limit) - 1);
  return listValue([...kept, parts.slice(kept.length).join(separator)]);
}

const unary =
  (run: (value: Value) => Outcome): Implementation =>
  (value = null) =>
    run(value);

export const extensionFunctions: ReadonlyMap<string, Implementation> = new Map<string, Implementation>([
  ...Object.entries(listFunctions).map(([name, run]) => [name, unary(run)] as const),
  ...Object.entries(urlParts).map(([name, run]) => [name, unary(run)] as const),
  ["indexOf", (target = null, wanted = null, ...more) => indexIn("indexOf")(target, wanted, ...more)],
  ["lastIndexOf", (target = null, wanted = null, ...more) => indexIn("lastIndexOf")(target, wanted, ...more)],
  ["charAt", (text = null, index = null) => charAt(text, index)],
  ["substring", (text = null, start = null, end) => substring(text, start, end)],
  ["replace", (text = null, old = null, by = null, limit) => replace(text, old, by, limit)],
  ["url", unary(toUrl)],
  ["isURL", unary(isUrl)],
  ["matches", ofTexts(matches)],
  ["find", ofTexts(findFirst)],
  ["findAll", ofTexts(findAllOf)],
  ["join", (list = null, separator) => join(list, separator)],
  ["split", ofTexts(split)],
]);
