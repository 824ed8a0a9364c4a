/** What a node has on its host, by kind, such as `mount` and `network interface`. A thing that is there twice is named twice. */
export type HostState = ReadonlyMap<string, readonly string[]>;

/** What one state has more than another, and what it has less, as sentences. Pure. */
export function differences(before: HostState, after: HostState): readonly string[] {
  const kinds = new Set([...before.keys(), ...after.keys()]);
  return [...kinds].flatMap((kind) => {
    const [was, is] = [before.get(kind) ?? [], after.get(kind) ?? []];
    return [
      ...beyond(was, is).map((name) => `${kind} ${name} is left`),
      ...beyond(is, was).map((name) => `${kind} ${name} is lost`),
    ];
  });
}

/** What is in `is` more often than in `was`. */
function beyond(was: readonly string[], is: readonly string[]): readonly string[] {
  const left = [...was];
  return is.filter((name) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
