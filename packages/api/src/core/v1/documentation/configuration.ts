import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata } from "./phrases.ts";

/** Texts of config maps and secrets. */
export const documentation: TypeDocumentation = {
  ConfigMap: {
    "": "Configuration that pods read as files, environment variables or arguments. Not meant for secret values; all values together take at most 1 MiB.",
    metadata: objectMetadata,
    immutable:
      "If true, data and binaryData can no longer change and neither can this field; only deleting the object undoes it. Orchlets then do not watch it for changes. Default false.",
    data: "Values as UTF-8 text. Keys consist of letters, digits, '-', '_' and '.', and must not occur in binaryData, too.",
    binaryData:
      "Values that are not UTF-8 text, written in base64. Keys follow the rules of data and must not occur there, too.",
  },
  ConfigMapList: {
    "": "A list of config maps.",
    metadata: listMetadata,
    items: "The config maps.",
  },
  Secret: {
    "": "Passwords, keys, tokens and the like, for pods and for the cluster itself. All values together take at most 1 MiB. Values are encoded, not encrypted, unless orch-apiserver is set up to encrypt them at rest.",
    metadata: objectMetadata,
    immutable:
      "If true, the values can no longer change and neither can this field; only deleting the object undoes it. Orchlets then do not watch it for changes. Default false.",
    data: "The values, in base64. Keys consist of letters, digits, '-', '_' and '.'.",
    stringData:
      "Values as plain text, for convenience: the server moves them into data, where they replace values of the same key. Never part of a response.",
    type: "Purpose of the values. Known types, such as orchernetes.io/tls, orchernetes.io/dockerconfigjson, orchernetes.io/basic-auth, orchernetes.io/ssh-auth and orchernetes.io/service-account-token, require certain keys; Opaque, the default, requires none. Immutable.",
  },
  SecretReference: {
    "": "Names a secret in any namespace.",
    name: "Name of the secret.",
    namespace: "Namespace of the secret.",
  },
  SecretList: {
    "": "A list of secrets.",
    metadata: listMetadata,
    items: "The requested secrets.",
  },
};
