/**
 * Puts items into places so that as few as possible change their place: items that stay keep theirs, new ones take the places
 * of gone ones. Without gaps, the last items fill what is left of them.
 *
 * @param before items by place; undefined is a gap
 * @param wanted without repetitions
 */
export function arrange(
  before: readonly (string | undefined)[],
  wanted: readonly string[],
  gaps: "allowed" | "filled",
): readonly (string | undefined)[] {
  const left = new Set(wanted);
  const places: (string | undefined)[] = before.map((item) =>
    item !== undefined && left.delete(item) ? item : undefined,
  );
  let gap = 0;
  for (const item of left) {
    while (gap < places.length && places[gap] !== undefined) gap++;
    places[gap] = item;
  }
  trim(places);
  if (gaps === "allowed") return places;
  for (let place = 0; place < places.length; place++) {
    if (places[place] !== undefined) continue;
    places[place] = places.pop();
    trim(places);
  }
  return places;
}

function trim(places: (string | undefined)[]): void {
  while (places.length > 0 && places.at(-1) === undefined) places.pop();
}
