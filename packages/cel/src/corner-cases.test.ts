import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compile, instantiationFailed } from "./compile.ts";
import { environment } from "./environment/environment.ts";
import { intType } from "./language/types.ts";
import { Failure, isList, isMap, itemsOf, type Outcome } from "./values/value.ts";

function plainOf(outcome: Outcome): unknown {
  if (outcome instanceof Failure) return `failed: ${outcome.message}`;
  if (isList(outcome)) return [...itemsOf(outcome)].map(plainOf);
  return isMap(outcome) ? "a map" : outcome;
}

/** What an expression comes to; the first line of what the compiler says if it is none. */
function evaluated(source: string): unknown {
  const compiled = compile(source, environment({}));
  if (typeof compiled === "string") return compiled.split("\n")[0]?.replace(instantiationFailed, "failed: ");
  return plainOf(compiled.evaluate(new Map(), 1_000_000).outcome);
}

const noInt = "failed: type conversion error from 'string' to 'int'";
const noDouble = "failed: type conversion error from 'string' to 'double'";
const noTime = "failed: type conversion error from 'string' to 'google.protobuf.Timestamp'";
const noDuration = "failed: type conversion error from 'string' to 'google.protobuf.Duration'";
const overflow = "failed: integer overflow";
const unsignedOverflow = "failed: unsigned integer overflow";
const badToken = "ERROR: <input>:1:1: Syntax error: token recognition error at: ";

type Row = readonly [source: string, want: unknown];

/** Where the original, cel-go as of Kubernetes 1.27, decides what other engines of the language leave open. */
const literals: readonly Row[] = [
  ["9223372036854775807", 9223372036854775807n],
  ["9223372036854775808", "ERROR: <input>:1:1: invalid int literal"],
  ["-9223372036854775808", -9223372036854775808n],
  ["-9223372036854775809", "ERROR: <input>:1:1: invalid int literal"],
  ["18446744073709551616u", "ERROR: <input>:1:1: invalid uint literal"],
  ["0xFFFFFFFFFFFFFFFFF", "ERROR: <input>:1:1: invalid int literal"],
  [String.raw`'\x41\u0042\U00000043\104\?\"\''`, "ABCD?\"'"],
  [String.raw`size(b'\xff\101')`, 2n],
  [String.raw`r'\d+' + "\\d"`, String.raw`\d+\d`],
  [String.raw`'\d'`, String.raw`${badToken}''\d'`],
  [String.raw`'\x4'`, String.raw`${badToken}''\x'`],
  [String.raw`'\400'`, String.raw`${badToken}''\4'`],
  [String.raw`b'\u0041'`, "ERROR: <input>:1:1: unable to unescape string"],
  [String.raw`'\U00110000'`, "ERROR: <input>:1:1: unable to unescape string"],
  [String.raw`"a // 'b" + 'c' // it's \q`, "a // 'bc"],
  [String.raw`'''it's "so"\n'''`, 'it\'s "so"\n'],
  ["1 ==  1.0", "ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, double)'"],
];

const numbers: readonly Row[] = [
  ["-9223372036854775808 % -1", overflow],
  ["-9223372036854775808 / -1", overflow],
  ["-7 / 2 * 10 + -7 % 2", -31n],
  ["18446744073709551615u / 1u == 18446744073709551615u", true],
  ["18446744073709551615u % 10u == 5u", true],
  ["1u / 0u == 1u", "failed: division by zero"],
  ["1u % 0u == 1u", "failed: modulus by zero"],
  ["0u - 1u == 0u", unsignedOverflow],
  ["uint(-1) == 0u", unsignedOverflow],
  ["int(18446744073709551615u)", overflow],
  ["int(9223372036854775807.0)", overflow],
  ["int('+5')", 5n],
  ["int('9223372036854775808')", noInt],
  ["int('0x10')", noInt],
  ["double('1e400')", noDouble],
  ["double('0x10')", noDouble],
  ["double('-inf')", Number.NEGATIVE_INFINITY],
  ["double('.5')", 0.5],
  ["string(1.0)", "1"],
  ["string(123456.0)", "123456"],
  ["string(1000000.0)", "1e+06"],
  ["string(123456789.5)", "1.234567895e+08"],
  ["string(0.0001)", "0.0001"],
  ["string(0.00001)", "1e-05"],
  ["string(1.5e300)", "1.5e+300"],
  ["string(-1.0 / 0.0)", "-Inf"],
  ["string(-0.0)", "-0"],
  ["dyn(1) == 1u && dyn(1) == 1.0 && dyn(1u) < 1.5 && dyn(-1) < 0u", true],
  ["dyn(1u) in {1: 'a'} && dyn([1]) == [1.0] && dyn({1: 'a'}) == {1u: 'a'}", true],
  ["dyn('a') < 1", "failed: no such overload"],
  ["0.0 / 0.0 == 0.0 / 0.0", false],
];

const times: readonly Row[] = [
  ["timestamp(1) == timestamp('1970-01-01T00:00:01Z')", true],
  ["timestamp(253402300799) == timestamp('9999-12-31T23:59:59Z')", true],
  ["timestamp(253402300800)", "failed: timestamp overflow"],
  ["timestamp(-62135596801)", "failed: timestamp overflow"],
  ["timestamp('9999-12-31T23:59:59Z') + duration('1s')", "failed: timestamp overflow"],
  ["timestamp('2020-02-29T00:00:00Z').getDayOfYear()", 59n],
  ["timestamp('2020-02-30T00:00:00Z')", noTime],
  ["timestamp('2100-02-29T00:00:00Z')", noTime],
  ["timestamp('2020-01-01T24:00:00Z')", noTime],
  ["timestamp('2020-01-01')", noTime],
  ["string(timestamp('2011-08-18T23:03:37.010-01:30'))", "2011-08-18T23:03:37.01-01:30"],
  ["string(timestamp('2020-01-01T00:00:00.120Z'))", "2020-01-01T00:00:00.12Z"],
  ["string(timestamp('2020-01-01T00:00:10.000Z'))", "2020-01-01T00:00:10Z"],
  ["int(timestamp('1969-12-31T23:59:59.5Z'))", -1n],
  ["int(duration('1h'))", 3_600_000_000_000n],
  ["duration(1500000000) == duration('1.5s')", true],
  ["string(duration('1h30m'))", "5400s"],
  ["string(duration('-1ms'))", "-0.001s"],
  ["string(duration('1.500s'))", "1.5s"],
  ["duration('')", noDuration],
  ["duration('1d')", noDuration],
  ["duration('9223372036.854775808s')", "failed: duration overflow"],
  ["duration('123.321456789s').getMilliseconds()", 123_321n],
  ["duration('-1.5s').getMilliseconds()", -1_500n],
  ["timestamp('2020-01-01T00:00:00.321Z').getMilliseconds()", 321n],
];

const texts: readonly Row[] = [
  ["'a😀c'.charAt(1) + 'a😀c'.charAt(3)", "😀"],
  ["'a😀c'.charAt(4)", "failed: index out of range: 4"],
  ["'a😀c'.substring(1, 2)", "😀"],
  ["'abc'.substring(2, 1)", "failed: invalid substring range. start: 2, end: 1"],
  ["'abc'.substring(-1)", "failed: index out of range: -1"],
  ["'a😀c'.indexOf('c')", 2n],
  ["'a😀c😀'.lastIndexOf('😀')", 3n],
  ["'abc'.indexOf('', 7)", 7n],
  ["'abc'.indexOf('c', 3)", "failed: index out of range: 3"],
  ["'abcabc'.lastIndexOf('c', 4)", 2n],
  ["'abcabc'.lastIndexOf('')", 6n],
  ["'aaa'.replace('a', 'b', -1)", "bbb"],
  ["'aaa'.replace('a', 'b', 2)", "bba"],
  ["'abc'.replace('', '-')", "-a-b-c-"],
  ["'abc'.replace('', '-', 2)", "-a-bc"],
  ["'\uffff' < '😀' && ['😀', '\uffff'].min() == '\uffff'", true],
  [String.raw`string(b'\xff')`, "failed: invalid UTF-8 in bytes, cannot convert to string"],
  ["isURL('*') && !isURL('a/b')", true],
];

test.each([...literals, ...numbers, ...times, ...texts])("%s", (source, want) => {
  expect(evaluated(source)).toEqual(want);
});

test.each<Row>([
  ["true ? 1 : int('x')", "type conversion error from 'string' to 'int'"],
  ["[duration('1d')]", "type conversion error from 'string' to 'google.protobuf.Duration'"],
  ["'a'.matches(')')", "error parsing regexp: unexpected ): `)`"],
  ["[1].all(x, 'a'.find('(') == '')", "error parsing regexp: missing closing ): `(`"],
])("%s is refused when it is compiled: it fails whatever its variables are", (source, want) => {
  expect(compile(source, environment({}))).toBe(instantiationFailed + String(want));
});

const [lowest, highest] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Arithmetic on numbers of 64 bits as Go has it, with a check of the range; undefined: it fails. */
function model(operator: string, a: bigint, b: bigint): bigint | undefined {
  if (b === 0n && (operator === "/" || operator === "%")) return undefined;
  if (operator === "%" && a === lowest && b === -1n) return undefined;
  const results: Readonly<Record<string, () => bigint>> = {
    "+": () => a + b,
    "-": () => a - b,
    "*": () => a * b,
    "/": () => a / b,
    "%": () => a % b,
  };
  const result = results[operator]?.();
  return result === undefined || result < lowest || result > highest ? undefined : result;
}

test("20,000 random operations on integers and lengths of time are those of a plain model", () => {
  const variables = environment({ a: intType, b: intType });
  const programs = new Map([
    ...["+", "-", "*", "/", "%"].map((one) => [one, compile(`a ${one} b`, variables)] as const),
    ...["+", "-"].map((one) => [`t${one}`, compile(`int(duration(a) ${one} duration(b))`, variables)] as const),
  ]);
  const number = fc.oneof(fc.bigInt({ min: lowest, max: highest }), fc.bigInt({ min: -9n, max: 9n }));
  const property = fc.property(fc.constantFrom(...programs), number, number, ([operator, program], a, b) => {
    if (typeof program === "string") throw new Error(program);
    const inputs = new Map([
      ["a", a],
      ["b", b],
    ]);
    const { outcome } = program.evaluate(inputs, 1_000);
    expect(outcome instanceof Failure ? undefined : outcome).toBe(model(operator.slice(-1), a, b));
  });
  fc.assert(property, { numRuns: 20_000, seed: 27 });
});
