import { find, matches } from "../values/patterns.ts";
import type { Outcome, Value } from "../values/value.ts";
import type { Implementation } from "./environment.ts";
import { type Overload, overloads } from "./overload.ts";
import {
  charAt,
  indexInText,
  lastIndexInText,
  lowerAscii,
  ofTexts,
  replace,
  split,
  substring,
  upperAscii,
} from "./texts.ts";
import { isUrl, toUrl, urlParts } from "./urls.ts";

/** `isSorted`, `min` and `max` exist for lists of types with an order; a list of dyn fits all of these, and is checked item by item. */
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

/** A function of one value. */
const unary =
  (run: (value: Value) => Outcome): Implementation =>
  (value = null) =>
    run(value);

export const extensionFunctions: ReadonlyMap<string, Implementation> = new Map<string, Implementation>([
  ...Object.entries(urlParts).map(([name, run]) => [name, unary(run)] as const),
  ["indexOf", (text = null, wanted = null, from) => indexInText(text, wanted, from)],
  ["lastIndexOf", (text = null, wanted = null, upTo) => lastIndexInText(text, wanted, upTo)],
  ["charAt", (text = null, index = null) => charAt(text, index)],
  ["substring", (text = null, start = null, end) => substring(text, start, end)],
  ["replace", (text = null, old = null, by = null, limit) => replace(text, old, by, limit)],
  ["split", ofTexts(split)],
  ["lowerAscii", unary(lowerAscii)],
  ["upperAscii", unary(upperAscii)],
  ["url", unary(toUrl)],
  ["isURL", unary(isUrl)],
  ["matches", ofTexts(matches)],
  ["find", ofTexts(find)],
]);
