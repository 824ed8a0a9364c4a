import type { ApiObject } from "@orchernetes/apimachinery";

/** Orders objects by creation, newest first; those of the same second by name. */
export function newestFirst(a: ApiObject, b: ApiObject): number {
  const [madeA, madeB] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (madeA !== madeB) return madeA < madeB ? 1 : -1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
