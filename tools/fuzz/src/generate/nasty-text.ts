import type { Random } from "../random.ts";

/** Property names with a meaning to JavaScript: objects used as maps find or set the wrong thing under them. */
export const trapNames: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__defineGetter__",
  "toJSON",
  "then",
  "length",
];

const names = ["a", "x", "web", "fuzz-1", "app.o8s.io/name", "o8s.io/x", "default", "metadata", "spec", "A_b-c.9"];

// Texts at the limits of formats: paths, escapes, numbers, Unicode, times, addresses, schedules, selectors, and a
// pattern that backtracks with a text for it.
const odd = [
  "",
  " ",
  ".",
  "..",
  "/",
  "../..",
  "-",
  "%",
  "%2f",
  "%00",
  "\u0000",
  "\n",
  "\r\nx: y",
  "\t",
  '"',
  "\\",
  "'",
  "null",
  "true",
  "NaN",
  "-0",
  "1e999",
  "0x10",
  "010",
  "9223372036854775808",
  "-9223372036854775809",
  "99999999999999999999999999999",
  "\ud800",
  "\udfff\ud800",
  "\u202e",
  "\u2028",
  "\ufeff",
  "\u00e9",
  "e\u0301",
  "😀",
  "İ",
  "ß",
  "1.5",
  "100m",
  "1Ki",
  "1e-9",
  "12Eix",
  "2026-11-21T00:00:00Z",
  "2026-13-41T25:61:61Z",
  "9999-12-31T23:59:59.999999999Z",
  "0000-00-00T00:00:00Z",
  "10.0.0.1",
  "::1",
  "10.0.0.0/33",
  "fe80::1%eth0",
  "*/5 * * * *",
  "0 0 31 2 *",
  "TZ=x * * * * *",
  "@every 1h",
  "200%",
  "-1%",
  "$(VAR)",
  "$$",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a text that other languages would fill in.
  "${x}",
  "AAAA",
  "=",
  "a=b",
  "!a",
  "in (a)",
  "a,b",
  "(((((((((",
  "^(a+)+$",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
];

/** Text that is known to break parsers and validators; sometimes long. */
export function nastyText(random: Random): string {
  const kind = random.below(10);
  if (kind < 2) return random.pick(names);
  if (kind < 6) return random.pick(odd);
  if (kind < 7) return random.pick(trapNames);
  if (kind < 8) return random.pick(odd) + random.pick(names) + random.pick(odd);
  if (kind < 9) return random.pick(["a", "0", "-", ".", "/", "😀", "(", "%", "\\", " "]).repeat(random.size(5000));
  return randomText(random, random.size(60));
}

/** Random characters, most of them printable. */
function randomText(random: Random, length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) {
    text += String.fromCharCode(random.chance(0.9) ? 32 + random.below(95) : random.below(0x10000));
  }
  return text;
}

/**
 * A name, which validation accepts in most cases. There are only 30 of them, so that requests of different targets
 * meet the same objects.
 */
export function plainName(random: Random): string {
  return random.chance(0.95) ? `fuzz-${random.below(30)}` : nastyText(random);
}
