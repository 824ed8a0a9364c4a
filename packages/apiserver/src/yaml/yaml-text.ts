import { yamlLibrary } from "@orchernetes/apimachinery/yaml";

/** A JSON value as YAML as the API sends it: with sorted keys, without line folding. */
export function yamlText(value: unknown): string {
  return yamlLibrary().stringify(value, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false });
}
