/**
 * RFC 3339 with whole seconds. Writes of the same second share the text, so making it costs a comparison.
 */
export function timestampWriter(): (date: Date) => string {
  let second = Number.NaN;
  let text = "";
  return (date) => {
    const now = Math.floor(date.getTime() / 1000);
    if (now !== second) {
      text = `${date.toISOString().slice(0, -5)}Z`;
      second = now;
    }
    return text;
  };
}

/**
 * The generation after this one. Clients of kinds that do not count may have stored any number: the greatest one that JSON readers
 * keep exactly stays what it is.
 */
export function nextGeneration(generation: number | undefined): number {
  return Math.min((generation ?? 0) + 1, Number.MAX_SAFE_INTEGER);
}
