import { yamlLibrary } from "@orchernetes/apimachinery/yaml";

/** A JSON value as YAML in the form of the API: with sorted keys, without line folding, without aliases. */
export function yamlText(value: unknown): string {
  return yamlLibrary().stringify(value, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false });
}
