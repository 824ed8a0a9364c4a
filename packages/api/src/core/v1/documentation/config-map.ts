import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata } from "./phrases.ts";

/** Texts of the types in `types/config-map.ts`. */
export const documentation: TypeDocumentation = {
  ConfigMap: {
    "": "Configuration that pods read as files, environment variables or arguments. Not meant for secret values; all values together take at most 1 MiB.",
    metadata: objectMetadata,
    immutable:
      "If true, data and binaryData can no longer change and neither can this field; only deleting the object undoes it. orchlets then need not look for changes. Default false.",
    data: "Values as UTF-8 text. Keys consist of letters, digits, '-', '_' and '.', and must not occur in binaryData, too.",
    binaryData:
      "Values that are not UTF-8 text, written in base64. Keys follow the rules of data and must not occur there, too.",
  },
  ConfigMapList: {
    "": "A list of config maps.",
    metadata: listMetadata,
    items: "The config maps.",
  },
};
