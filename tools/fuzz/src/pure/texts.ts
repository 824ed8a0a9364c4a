import {
  canonicalDuration,
  canonicalMicroTime,
  canonicalQuantity,
  canonicalTime,
  formatDuration,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isEnvVarName,
  isHttpHeaderName,
  isQualifiedName,
  isValidLabelValue,
  parseCidr,
  parseDuration,
  parseFieldSelector,
  parseInstant,
  parseIp,
  parseLabelSelector,
  parseQuantity,
  QuantityError,
  SelectorError,
  TimeError,
} from "@orchernetes/apimachinery";
import { parseRequestInfo } from "@orchernetes/apiserver";
import { mutatedBytes } from "../generate/mutate-bytes.ts";
import { nastyText, trapNames } from "../generate/nasty-text.ts";
import { fieldSelectorText, labelSelectorText } from "../generate/selector-text.ts";
import { targetText } from "../generate/target-text.ts";
import type { Random } from "../random.ts";
import type { PureTarget } from "../target.ts";
import { attempt, isClientError } from "./attempt.ts";

interface TextCase extends Readonly<Record<string, string>> {
  readonly text: string;
}

const labelSets: readonly Readonly<Record<string, string>>[] = [
  {},
  { app: "a" },
  { app: "b", "a/b": "1", tier: "" },
  ...trapNames.map((name) => Object.fromEntries([[name, "a"]]) as Record<string, string>),
];

/** Label and field selectors: the text form of a parsed selector must have the same meaning. */
export const selectorsTarget: PureTarget<TextCase & { readonly type: string }> = {
  name: "selectors",
  generate: (random) =>
    random.chance(0.5)
      ? { type: "label", text: labelSelectorText(random) }
      : { type: "field", text: fieldSelectorText(random) },
  check: ({ type, text }) => {
    const parse = type === "label" ? parseLabelSelector : parseFieldSelector;
    const isRefusal = (error: unknown): boolean => error instanceof SelectorError;
    const first = attempt(() => parse(text), isRefusal);
    if (!first.ok) return undefined;
    const again = parse(first.value.toString());
    const requirements = (selector: typeof again): string =>
      JSON.stringify(selector.requirements.map((one) => JSON.stringify(one)).sort());
    if (requirements(again) !== requirements(first.value)) return `its text ${first.value} parses to ${again}`;
    const differs = labelSets.find((labels) => first.value.matches(labels) !== again.matches(labels));
    return differs === undefined
      ? undefined
      : `its text ${first.value} selects differently: ${JSON.stringify(differs)}`;
  },
};

/**
 * Quantities, times and durations: the canonical form of a canonical form is itself, and stands for the same amount.
 */
export const scalarsTarget: PureTarget<TextCase> = {
  name: "scalars",
  generate: (random) => ({ text: scalarText(random) }),
  check: ({ text }) => quantityProblem(text) ?? timeProblem(text),
};

function scalarText(random: Random): string {
  const base = random.chance(0.5)
    ? `${random.pick(["", "-", "+"])}${digits(random)}${random.pick(["", ".", `.${digits(random)}`])}${random.pick(["", "m", "u", "n", "k", "M", "Ki", "Mi", "Ei", "E", "e3", "E-9", "e99", "h", "ms", "h2m"])}`
    : random.pick([
        "2026-11-21T00:00:00Z",
        "2026-11-21T10:59:60.5+23:59",
        "0000-01-01T00:00:00+01:00",
        "1h2m3.5s",
        "100ns",
        "-1us",
      ]);
  return random.chance(0.4) ? mutatedBytes(random, base, 2) : random.chance(0.1) ? nastyText(random) : base;
}

function digits(random: Random): string {
  return random.many(0, random.chance(0.1) ? 40 : 6, () => String(random.below(10))).join("");
}

function quantityProblem(text: string): string | undefined {
  const isRefusal = (error: unknown): boolean => error instanceof QuantityError;
  const parsed = attempt(() => parseQuantity(text), isRefusal);
  const canonical = attempt(() => canonicalQuantity(text), isRefusal);
  if (parsed.ok !== canonical.ok) return `parseQuantity and canonicalQuantity disagree about ${JSON.stringify(text)}`;
  if (!parsed.ok || !canonical.ok) return undefined;
  parsed.value.value();
  parsed.value.milliValue();
  // Amounts above 2^63-1 with too many digits are capped at 2^63-1, as upstream does. Their canonical form may have
  // one digit more than the text.
  const { nanos } = parsed.value;
  if ((nanos < 0n ? -nanos : nanos) > (1n << 63n) * 1_000_000_000n) return undefined;
  if (canonicalQuantity(canonical.value) !== canonical.value)
    return `the canonical form ${canonical.value} has another canonical form`;
  return parseQuantity(canonical.value).cmp(parsed.value) === 0
    ? undefined
    : `the canonical form ${canonical.value} is another amount`;
}

function timeProblem(text: string): string | undefined {
  const isRefusal = (error: unknown): boolean => error instanceof TimeError;
  for (const canonical of [canonicalTime, canonicalMicroTime, canonicalDuration]) {
    const form = attempt(() => canonical(text), isRefusal);
    if (form.ok && canonical(form.value) !== form.value)
      return `${canonical.name} changes its own result ${form.value}`;
  }
  attempt(() => parseInstant(text), isRefusal);
  const duration = attempt(() => parseDuration(text), isRefusal);
  if (!duration.ok) return undefined;
  const back = parseDuration(formatDuration(duration.value));
  return Math.abs(back - duration.value) <= Math.abs(duration.value) * 1e-9 + 1e-6
    ? undefined
    : `the duration is written as ${formatDuration(duration.value)}`;
}

/** Functions that validate names and parse addresses: they must not throw. */
export const namesTarget: PureTarget<TextCase> = {
  name: "names",
  generate: (random) => ({
    text: random.chance(0.5)
      ? nastyText(random)
      : mutatedBytes(random, random.pick(["a.b-c/d_e", "10.0.0.1/8", "fe80::1:2", "x.example.com"])),
  }),
  check: ({ text }) => {
    for (const judge of [
      isDns1035Label,
      isDns1123Label,
      isDns1123Subdomain,
      isEnvVarName,
      isHttpHeaderName,
      isQualifiedName,
      isValidLabelValue,
    ]) {
      if (!Array.isArray(judge(text))) return `${judge.name} does not return a list`;
    }
    parseIp(text);
    parseCidr(text);
    return undefined;
  },
};

/** What a method and a URL ask for. A slash in a name would lead to another object in the store. */
export const requestInfoTarget: PureTarget<TextCase & { readonly method: string }> = {
  name: "request-info",
  generate: (random) => ({
    method: random.pick(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "__proto__"]),
    text: targetText(random),
  }),
  check: ({ method, text }) => {
    const info = attempt(() => parseRequestInfo(method, text), isClientError);
    if (!info.ok || !info.value.isResourceRequest) return undefined;
    const { namespace, name } = info.value;
    return namespace.includes("/") || name.includes("/") ? "a name has a slash" : undefined;
  },
};
