import { parseJson } from "@orchernetes/apimachinery";

/** What is wrong with text that should be JSON, or undefined. */
export function jsonError(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    // Where in the text says too much about a secret.
    return error instanceof Error ? error.message.replace(/ \(at offset \d+\)$/, "") : String(error);
  }
}
