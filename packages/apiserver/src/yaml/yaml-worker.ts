import { parentPort } from "node:worker_threads";
import { DecodeError, parseYaml } from "@orchernetes/apimachinery/yaml";
import type { YamlAnswer, YamlRequest } from "./yaml-messages.ts";

/** Reads one document; JSON is what the main thread reads fastest. */
function answer({ bytes, duplicates }: YamlRequest): YamlAnswer {
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    const { value, duplicateFields } = parseYaml(text, { duplicates });
    return { type: "document", json: Uint8Array.from(Buffer.from(JSON.stringify(value) ?? "null")), duplicateFields };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { type: "refused", reason: error.message };
  }
}

parentPort?.on("message", (request: YamlRequest) => {
  const found = answer(request);
  parentPort?.postMessage(found, found.type === "document" ? [found.json.buffer as ArrayBuffer] : []);
});
