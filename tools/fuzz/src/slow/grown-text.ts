import { assertNever } from "@orchernetes/kernel";
/** One place in a body, or in what precedes it, that has grown. `{{i}}` in texts counts up from 0. */
export interface Growth {
  /**
   * Names of fields from the root; "0" stands for the first item of a list. For requests without a body: the
   * parameter or header.
   */
  readonly at: readonly string[];
  /**
   * What grows: items of a list, members of a map, a text, nesting, members with the same name, or operations of a
   * JSON patch.
   */
  readonly how: "items" | "keys" | "text" | "nested" | "duplicates" | "operations";
  /** JSON of an item or member, or the text that is repeated. */
  readonly of: string;
  /** Number of repetitions. */
  readonly times: number;
  /** Largest value of `times`: the server rejects more without further work. */
  readonly most?: number;
  /** Texts before and after the repeated text. */
  readonly ends?: readonly [before: string, after: string];
}

/** Nesting depth at which every parser rejects the text. */
const maxDepth = 900;

/** Placeholder in JSON for text that is inserted afterwards. Megabytes of items never exist as objects this way. */
const placeholder = (i: number): string => `\u0001${i}\u0001`;

/** JSON of an object with its growths. Changes the object. */
export function grownText(object: Record<string, unknown>, growths: readonly Growth[]): string {
  for (const [i, growth] of growths.entries()) place(object, growth.at, placeholder(i));
  return JSON.stringify(object).replaceAll(/"\\u0001(\d+)\\u0001"/g, (_, i: string) =>
    grown(growths[Number(i)] as Growth),
  );
}

/** Operations of a JSON patch: one that adds the grown value, or very many of the same kind. */
export function operations(growth: Growth): string {
  if (growth.how === "operations") return counted(`${growth.of},`, growth.times).slice(0, -1);
  const path = `/${growth.at.join("/")}`;
  return `{"op":"add","path":${JSON.stringify(path)},"value":${grown(growth)}}`;
}

/** The grown text. */
export function repeated({ of, times, ends }: Growth): string {
  return `${ends?.[0] ?? ""}${counted(of, times)}${ends?.[1] ?? ""}`;
}

/** Puts a value at a path. Creates missing objects and lists on the way. */
function place(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let holder = root;
  for (const [i, step] of path.entries()) {
    if (i === path.length - 1) {
      holder[step] = value;
      return;
    }
    const inList = path[i + 1] === "0";
    if (step === "0") continue;
    const present = holder[step];
    if (inList) {
      const list: unknown[] = Array.isArray(present) && present.length > 0 ? present : [{}];
      holder[step] = list;
      if (i + 2 === path.length) {
        list[0] = value;
        return;
      }
      if (typeof list[0] !== "object" || list[0] === null) list[0] = {};
      holder = list[0] as Record<string, unknown>;
    } else {
      const next =
        typeof present === "object" && present !== null && !Array.isArray(present) ? present : ({} as object);
      holder[step] = next;
      holder = next as Record<string, unknown>;
    }
  }
}

function counted(text: string, times: number): string {
  if (!text.includes("{{i}}")) return text.repeat(times);
  const parts = new Array<string>(times);
  for (let i = 0; i < times; i++) parts[i] = text.replaceAll("{{i}}", String(i));
  return parts.join("");
}

/** JSON of the grown value. */
function grown(growth: Growth): string {
  const { how, of, times } = growth;
  switch (how) {
    case "items":
      return `[${counted(`${of},`, times).slice(0, -1)}]`;
    case "keys":
      return `{${counted(`"k{{i}}":${of},`, times).slice(0, -1)}}`;
    case "duplicates":
      return `{${counted(`"k":${of},`, times).slice(0, -1)}}`;
    case "nested": {
      const depth = Math.min(times, maxDepth);
      return `${of.repeat(depth)}0${(of.startsWith("[") ? "]" : "}").repeat(depth)}`;
    }
    case "operations":
    case "text":
      return JSON.stringify(repeated(growth));
    default:
      return assertNever(how);
  }
}
