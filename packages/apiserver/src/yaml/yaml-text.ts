import { yamlLibrary } from "@orchernetes/apimachinery/yaml";

/** A JSON value as YAML, as the API shows it: keys sorted, lines as long as they are. */
export function yamlText(value: unknown): string {
  return yamlLibrary().stringify(value, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false });
}
