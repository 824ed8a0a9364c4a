/** A line of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Milliseconds since the epoch; undefined: the time of the request. */
  readonly timestampMs: number | undefined;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+(-?\d{1,16}))?[ \t]*$/;
const label = /[ \t]*([a-zA-Z_]\w*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(?:,|$)/y;
const escapes: Readonly<Record<string, string>> = { "\\\\": "\\", '\\"': '"', "\\n": "\n" };

/** Parses a line with a sample. @throws Error for a line that is none */
export function parseSample(text: string): Sample {
  const [, name, labels = "", value, timestamp] = line.exec(text) ?? [];
  if (name === undefined || value === undefined) throw invalid(text);
  return {
    name,
    labels: parseLabels(labels, text),
    value: parseValue(value, text),
    timestampMs: timestamp === undefined ? undefined : Number(timestamp),
  };
}

const invalid = (text: string): Error =>
  new Error(`found the line ${JSON.stringify(text.slice(0, 200))}; want a sample`);

function parseLabels(text: string, whole: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = Object.create(null);
  for (label.lastIndex = 0; label.lastIndex < text.length; ) {
    const [, name, value = ""] = label.exec(text) ?? [];
    if (name === undefined) throw invalid(whole);
    labels[name] = value.replace(/\\[\\"n]/g, (pair) => escapes[pair] ?? pair);
  }
  return labels;
}

function parseValue(text: string, whole: string): number {
  if (/^[+-]?Inf$/i.test(text)) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^NaN$/i.test(text)) return Number.NaN;
  const value = /^[+-]?[\d.]+(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw invalid(whole);
  return value;
}
