import type { ApiObject, Stored } from "@orchernetes/apimachinery";

/** What a protecting controller does about its finalizer. */
export type FinalizerChange = "add" | "remove" | "keep";

/** Objects bear the finalizer from the start; when they are to go, they lose it once nobody uses them. */
export function finalizerChange({ metadata }: ApiObject, finalizer: string, isUsed: () => boolean): FinalizerChange {
  const has = metadata.finalizers?.includes(finalizer) ?? false;
  if (metadata.deletionTimestamp === undefined) return has ? "keep" : "add";
  return has && !isUsed() ? "remove" : "keep";
}

/** The object after the change. */
export function withFinalizer<T extends Stored<ApiObject>>(object: T, finalizer: string, change: "add" | "remove"): T {
  const { metadata } = object;
  const others = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return { ...object, metadata: { ...metadata, finalizers: change === "add" ? [...others, finalizer] : others } };
}
