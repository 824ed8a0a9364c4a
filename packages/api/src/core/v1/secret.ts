import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/verbs.ts";
import { Secret } from "./types/secret.ts";
import { validateSecret, validateSecretUpdate } from "./validation/secret.ts";

/** Text is written over data and not kept: `stringData` is for writers only. */
function applyDefaults(secret: Draft<Secret>): void {
  const { stringData } = secret;
  if (stringData !== undefined) {
    const data: Record<string, string> = { ...secret.data };
    for (const [key, text] of Object.entries(stringData)) {
      data[key] = Buffer.from(text).toString("base64");
    }
    secret.data = data;
    delete secret.stringData;
  }
  secret.type ||= "Opaque";
}

/** `v1` secrets. */
export const secrets = defineResource<Secret>({
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  singular: "secret",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Secret,
  storagePrefix: "/registry/secrets",
  applyDefaults,
  strategy: { validate: validateSecret, validateUpdate: validateSecretUpdate },
  columns: [
    name(),
    column("Type", "string", "What kind of confidential data it holds.", (secret) => secret.type ?? ""),
    column("Data", "string", "Number of keys.", (secret) => Object.keys(secret.data ?? {}).length),
    age(),
  ],
  fieldSelectors: ["type"],
  selectableFields: (secret) => ({ type: secret.type ?? "" }),
});
