import { createHash } from "node:crypto";
import type { core } from "@orchernetes/api";

/** Text that changes with what a container is made from; its image counts as it is named. */
export function containerHash(container: core.Container): string {
  return createHash("sha256").update(stableJson(container)).digest("hex").slice(0, 16);
}

/** JSON with sorted keys: the same for equal objects. Absent and undefined members are alike. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
