/** Fields of OrchletConfiguration that are validated but have no effect yet, with what they are for. */
export const fieldsWithoutEffect: Readonly<Record<string, string>> = Object.freeze({
  contentType: "content type of API requests; JSON is used",
});

/** Whether a field, by its dotted path, has no effect. */
export function isWithoutEffect(path: string): boolean {
  return Object.keys(fieldsWithoutEffect).some((field) => path === field || path.startsWith(`${field}.`));
}

/** One line for each field without effect among those that are set. */
export function warningsOf(isSet: (path: string) => boolean): readonly string[] {
  return Object.keys(fieldsWithoutEffect)
    .filter(isSet)
    .map((field) => `field ${field} has no effect yet: ${fieldsWithoutEffect[field]}`);
}
