import { parseJson } from "@orchernetes/apimachinery";

/** What is wrong with text that should be JSON, or undefined. */
export function jsonFault(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
