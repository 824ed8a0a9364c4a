/** The JSON of an object, list or table without managedFields (`omitManagedFields` of the policy). */
export function withoutManagedFields(json: string): string {
  const value = JSON.parse(json) as { items?: unknown; rows?: unknown } | null;
  if (typeof value !== "object" || value === null) return json;
  dropManagedFields(value);
  if (Array.isArray(value.items)) for (const item of value.items) dropManagedFields(item);
  if (Array.isArray(value.rows))
    for (const row of value.rows) dropManagedFields((row as { object?: unknown } | null)?.object);
  return JSON.stringify(value);
}

function dropManagedFields(object: unknown): void {
  const metadata = (object as { metadata?: unknown } | null | undefined)?.metadata;
  if (typeof metadata === "object" && metadata !== null) Reflect.deleteProperty(metadata, "managedFields");
}
