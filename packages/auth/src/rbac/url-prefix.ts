/** The prefix of which a rule's URL with asterisks at its end covers everything, in time linear in its length. */
export function withoutStars(url: string): string {
  let end = url.length;
  while (url.endsWith("*", end)) end--;
  return url.slice(0, end);
}
