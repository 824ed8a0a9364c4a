import type { Random } from "../random.ts";
import { bytesOf, rawText } from "../target.ts";
import { jsonText } from "./json-text.ts";
import { mutatedBytes } from "./mutate-bytes.ts";
import { nastyText } from "./nasty-text.ts";

/** YAML of a value: block or flow style, with anchors, aliases, tags, merge keys and several documents mixed in. */
export function yamlText(random: Random, value: unknown): string {
  if (random.chance(0.1)) return jsonText(random, value);
  let text = block(random, value, 0, 0);
  if (random.chance(0.25)) text = random.pick(oddities)(random) + text;
  if (random.chance(0.1)) text += random.pick(oddities)(random);
  const raw = rawText(text);
  return random.chance(0.3) ? mutatedBytes(random, raw) : raw;
}

// Plain scalars that YAML 1.1 and 1.2 read differently, or that do not fit a double.
const scalars = [
  "yes",
  "off",
  "~",
  "0o17",
  "017",
  "1_000",
  "9007199254740993",
  "-9223372036854775808",
  "0x7fffffffffffffff",
  "12:30:45",
  ".inf",
  ".nan",
  "2026-01-01",
  "!!str 1",
  "!!binary YQ==",
  "0x1F",
  "=",
];

function block(random: Random, value: unknown, indent: number, depth: number): string {
  const pad = " ".repeat(indent);
  if (depth > 40 || typeof value !== "object" || value === null) return ` ${scalar(random, value)}\n`;
  if (random.chance(0.1)) return ` ${JSON.stringify(value)}\n`;
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    return `\n${value.map((item) => `${pad}-${block(random, item, indent + 2, depth + 1)}`).join("")}`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return " {}\n";
  const anchor = random.chance(0.05) ? ` &a${random.below(3)}` : "";
  return `${anchor}\n${entries
    .map(([key, item]) => {
      const alias = random.chance(0.02) ? ` *a${random.below(3)}\n` : block(random, item, indent + 2, depth + 1);
      return `${pad}${random.chance(0.8) && /^[a-zA-Z]+$/.test(key) ? key : JSON.stringify(key)}:${alias}`;
    })
    .join("")}`;
}

function scalar(random: Random, value: unknown): string {
  if (random.chance(0.08)) return random.pick(scalars);
  if (typeof value !== "string") return JSON.stringify(value) ?? "null";
  if (random.chance(0.1)) return `|-\n  ${value}`;
  return /^[a-z][a-z0-9/.-]*$/i.test(value) && random.chance(0.7) ? value : JSON.stringify(value);
}

// Directives, several documents, aliases to themselves, merge keys, complex keys, tags of other languages, and deep
// or wide constructs.
const oddities: readonly ((random: Random) => string)[] = [
  () => "---\n",
  () => "%YAML 1.2\n---\n",
  () => "%TAG ! tag:example.com,2000:\n---\n",
  () => "...\n---\na: 1\n",
  (random) => bomb(random),
  () => "__proto__: {polluted: yes}\n",
  () => "x: &x {polluted: yes}\n<<: *x\n",
  () => "<<: [{a: 1}, {__proto__: {polluted: yes}}]\n",
  () => "? {a: 1}\n: b\n",
  () => "? [a, b]\n: c\n",
  () => "a: &a [*a]\n",
  () => "&r a: *r\n",
  () => "!!set {a, b}\n",
  () => "x: !!js/function 'x'\ny: !<tag:yaml.org,2002:python/object> 1\n",
  () => "\tx: 1\n",
  (random) => `${"[".repeat(random.size(20_000))}\n`,
  (random) => `${"- ".repeat(random.size(3000))}\n`,
  (random) => `${"? ".repeat(random.size(3000))}\n`,
  (random) => `${"a: ".repeat(random.size(200))}\n`,
  (random) => `${Array.from({ length: random.size(2000) }, (_, i) => `${" ".repeat(i)}a:\n`).join("")}`,
  (random) => `x: "${"\\x41".repeat(random.size(3000))}"\n`,
  (random) => `${nastyText(random)}: ${nastyText(random)}\n`,
  (random) => `x: >${random.below(12)}\n${" \n".repeat(random.size(2000))}y\n`,
  (random) => `# ${"#".repeat(random.size(20_000))}\n`,
];

/** Aliases of aliases ("billion laughs"): a few lines that expand to a huge number of items. */
function bomb(random: Random): string {
  const width = 1 + random.below(12);
  const lines = ["l0: &l0 [x,x,x,x]"];
  for (let i = 1; i < 1 + random.below(12); i++) {
    lines.push(`l${i}: &l${i} [${Array.from({ length: width }, () => `*l${i - 1}`).join(",")}]`);
  }
  return `${lines.join("\n")}\n`;
}

/** YAML bytes as the text that the parser gets. */
export function decodedText(raw: string): string {
  return bytesOf(raw).toString();
}
