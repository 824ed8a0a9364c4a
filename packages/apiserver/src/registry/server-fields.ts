/**
 * Returns a function that formats times as metav1.Time has them: RFC 3339 with whole seconds. Writes of the same second
 * share the text, so that all but the first cost a comparison.
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
 * The generation after this one. Clients may have stored any number in kinds that do not count generations; the
 * greatest integer that JSON readers represent exactly is not increased, as the next one would be equal to it for them.
 */
export function nextGeneration(generation: number | undefined): number {
  return Math.min((generation ?? 0) + 1, Number.MAX_SAFE_INTEGER);
}
