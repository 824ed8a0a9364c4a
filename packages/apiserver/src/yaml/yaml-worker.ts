import { parentPort } from "node:worker_threads";
import { DecodeError, parseJsonText, parseYaml } from "@orchernetes/apimachinery/yaml";
import { yamlText } from "./yaml-text.ts";

/** A request to the YAML thread. */
export type YamlRequest =
  | {
      readonly type: "read";
      readonly bytes: Uint8Array;
      /** Whether duplicate keys are reported. */
      readonly duplicates: boolean;
    }
  | { readonly type: "write"; readonly bytes: Uint8Array };

/** A response of the YAML thread: the document as JSON, or why it is invalid; or the YAML text of a JSON value. */
export type YamlAnswer =
  | { readonly type: "document"; readonly bytes: Uint8Array; readonly duplicateFields: readonly string[] }
  | { readonly type: "text"; readonly bytes: Uint8Array }
  | { readonly type: "refused"; readonly reason: string };

/**
 * Reads or writes one document. The result of reading is JSON bytes: they can be transferred without a copy, and
 * parsing JSON is faster than the structured clone of a value.
 */
function answer(request: YamlRequest): YamlAnswer {
  const { bytes } = request;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (request.type === "write") return { type: "text", bytes: ownBytes(yamlText(parseJsonText(text))) };
  try {
    const { value, duplicateFields } = parseYaml(text, { duplicates: request.duplicates });
    return { type: "document", bytes: ownBytes(JSON.stringify(value) ?? "null"), duplicateFields };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { type: "refused", reason: error.message };
  }
}

/** Bytes that can be transferred: the memory of a Buffer may belong to a pool. */
function ownBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

parentPort?.on("message", (request: YamlRequest) => {
  const found = answer(request);
  parentPort?.postMessage(found, found.type === "refused" ? [] : [found.bytes.buffer as ArrayBuffer]);
});
