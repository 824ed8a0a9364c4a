import { expect, test } from "vitest";
import { seededNumbers } from "../seeded-numbers.ts";
import { parseJsonText } from "./exact-integers.ts";
import { parseJson } from "./json.ts";

const limit = 2n ** 63n;

/** The engine's own parser, which exposes the text of each number. */
function naive(text: string): unknown {
  const revive = (_: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value !== "number" || !/^-?\d+$/.test(context?.source ?? "")) return value;
    const exact = BigInt(context?.source ?? "0");
    return Number.isSafeInteger(value) || exact < -limit || exact >= limit ? value : exact;
  };
  return JSON.parse(text, revive);
}

const next = seededNumbers(5);
const oneOf = <T>(choices: readonly T[], none: T): T => choices[next(choices.length)] ?? none;
const digits = (count: number) => Array.from({ length: count }, () => String(next(10))).join("");
const whole = () => `${1 + next(9)}${digits(next(22))}`;

function number(): string {
  const edge = ["9007199254740991", "9007199254740992", "9223372036854775807", "9223372036854775808", "0"];
  const sign = oneOf(["", "-"], "");
  const end = oneOf(
    ["", "", "", `.${digits(1 + next(20))}`, `e${next(30)}`, `E-${next(30)}`, `.${digits(3)}e+${next(9)}`],
    "",
  );
  return `${sign}${next(3) === 0 ? oneOf(edge, "0") : whole()}${end}`;
}

const text = (): string =>
  JSON.stringify(
    Array.from({ length: next(6) }, () => oneOf([`-${whole()}`, '"', "\\", "\\\\", "\n", ":", ",", "é", "#"], "")).join(
      "",
    ),
  );

const space = (): string => oneOf(["", "", " ", "\n\t"], "");

function value(depth: number): string {
  switch (next(depth > 4 ? 3 : 6)) {
    case 0:
      return text();
    case 1:
      return oneOf(["true", "false", "null"], "null");
    case 2:
    case 3:
      return number();
    case 4:
      return `[${Array.from({ length: next(5) }, () => `${space()}${value(depth + 1)}${space()}`).join(",")}]`;
    default: {
      const members = Array.from(
        { length: next(5) },
        (_, i) => `${JSON.stringify(`${i}${digits(next(18))}`)}${space()}:${value(depth + 1)}`,
      );
      return `{${members.join(`${space()},${space()}`)}}`;
    }
  }
}

test("documents of any shape are parsed as by JSON.parse, with the exact text of each number", () => {
  for (let round = 0; round < 3000; round++) {
    const document = value(0);
    const want = naive(document);
    expect(parseJson(document).value, document).toStrictEqual(want);
    expect(parseJsonText(document), document).toStrictEqual(want);
  }
});
