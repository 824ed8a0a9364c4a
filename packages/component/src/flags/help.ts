import type { Flag, FlagTable } from "./flag.ts";
import type { Program } from "./parse-flags.ts";

const width = 100;
const indent = " ".repeat(16);

const typeNames: Readonly<Record<Flag["type"], string>> = {
  string: "string",
  int: "int",
  float: "float",
  bool: "",
  duration: "duration",
  strings: "strings",
  repeated: "stringArray",
  stringToString: "stringToString",
  stringToBool: "key=True|False pairs",
  ip: "ip",
};

/** The help page: description, usage, and the flags by section, each with its type, help and default. */
export function renderHelp(program: Program, table: FlagTable): string {
  const groups = Map.groupBy(
    Object.entries(table).filter(([, flag]) => flag.hidden !== true),
    ([, flag]) => flag.group,
  );
  const sections = [...groups].map(([group, flags]) => {
    const rows = [...flags].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, flag]) => renderFlag(name, flag));
    return `${group} flags:\n\n${rows.join("\n")}\n`;
  });
  return `${wrap(program.description, "")}\n\nUsage:\n  ${program.name} [flags]\n\n${sections.join("\n")}`;
}

function renderFlag(name: string, flag: Flag): string {
  const short = flag.short === undefined ? "      " : `  -${flag.short}, `;
  const type = typeNames[flag.type];
  const bare = flag.bare === undefined ? "" : `[=${flag.bare}]`;
  const notes = [
    flag.help,
    flag.oneOf === undefined ? "" : `Accepted values: ${flag.oneOf.filter((value) => value !== "").join(", ")}.`,
    defaultNote(flag),
    flag.effect === "none" ? "(no effect yet)" : "",
    flag.deprecated === undefined ? "" : `(DEPRECATED: ${flag.deprecated})`,
  ];
  const text = notes.filter((note) => note !== "").join(" ");
  return `${short}--${name}${type === "" ? "" : ` ${type}`}${bare}\n${wrap(text, indent)}`;
}

/** The default in the form of the originals; empty for values that mean "unset" (false, 0, "", empty list). */
export function defaultNote(flag: Flag): string {
  const value = flag.default;
  if (value === undefined || value === false || value === 0 || value === "" || value === "0s") return "";
  if (value instanceof Map)
    return value.size === 0 ? "" : `(default ${[...value].map((pair) => pair.join("=")).join(",")})`;
  if (Array.isArray(value)) return value.length === 0 ? "" : `(default [${value.join(",")}])`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(([key, text]) => `${key}=${text}`);
    return pairs.length === 0 ? "" : `(default [${pairs.join(",")}])`;
  }
  return flag.type === "string" ? `(default "${value}")` : `(default ${value})`;
}

/** Wraps text to lines; its own line breaks stay. */
function wrap(text: string, prefix: string): string {
  return text
    .split("\n")
    .map((paragraph) => wrapParagraph(paragraph, prefix))
    .join("\n");
}

function wrapParagraph(text: string, prefix: string): string {
  const lines: string[] = [];
  let line = prefix;
  for (const word of text.split(/\s+/)) {
    if (line.length > prefix.length && line.length + 1 + word.length > width) {
      lines.push(line);
      line = prefix;
    }
    line += line.length > prefix.length ? ` ${word}` : word;
  }
  lines.push(line);
  return lines.join("\n");
}
