/**
 * How flags that have another form than their field of the configuration file are written in it.
 *
 * @module
 */

/** `name:value` pairs; a name may occur several times. Empty pairs, as after a comma at the end, are skipped. */
export function headersToField(items: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const headers = new Map<string, string[]>();
  for (const pair of items.flatMap((item) => item.split(","))) {
    if (pair === "") continue;
    const [name = "", value = ""] = cut(pair, ":");
    headers.set(name.trim(), [...(headers.get(name.trim()) ?? []), value.trim()]);
  }
  return Object.fromEntries(headers);
}

/** `key=value:effect` and `key:effect`. */
export const taintsToField = (items: readonly string[]) =>
  items.map((item) => {
    const [pair = "", effect = ""] = cut(item, ":");
    const [key = "", value] = cut(pair, "=");
    return { key, effect, ...(value === undefined ? {} : { value }) };
  });

/** `signal<threshold`. */
export const thresholdsToField = (items: readonly string[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(items.map((item) => cut(item, "<")));

/** `node:resource=quantity,resource=quantity`, several nodes one after the other. */
export const reservedMemoryToField = (items: readonly string[]) =>
  items
    .flatMap((item) => item.split(/,(?=\d+:)/))
    .map((item) => {
      const [numa = "", limits = ""] = cut(item, ":");
      return {
        numaNode: Number(numa),
        limits: Object.fromEntries(limits.split(",").map((pair) => cut(pair, "="))) as Readonly<Record<string, string>>,
      };
    });

/** Seconds by priority. */
export const gracePeriodsToField = (map: ReadonlyMap<string, string>) =>
  [...map].map(([priority, seconds]) => ({
    priority: Number(priority),
    shutdownGracePeriodSeconds: Number(seconds),
  }));

/** Fields of TracingConfiguration by name. */
export const tracingToField = (map: ReadonlyMap<string, string>): Readonly<Record<string, string | number>> =>
  Object.fromEntries([...map].map(([key, text]) => [key, key === "samplingRatePerMillion" ? Number(text) : text]));

/** `pattern=level`. */
export const vmoduleToField = (items: readonly string[]) =>
  items.map((item) => {
    const [filePattern = "", verbosity = ""] = cut(item, "=");
    return { filePattern, verbosity: Number(verbosity) };
  });

function cut(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
