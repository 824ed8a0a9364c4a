import { orchletConfigurationSchema } from "@orchernetes/config";
import { expect, test } from "vitest";
import { logSettings } from "./log-settings.ts";

const head = { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration" };
const defaults = { format: "text", verbosity: 0, vmodule: [], flushMs: 5000, splitStream: false, infoBufferBytes: 0 };

// shows: logging.format, logging.options.json.splitStream, logging.options.json.infoBufferSize
test.each([
  ["nothing", {}, {}],
  ["format", { format: "json" }, { format: "json" }],
  ["splitStream", { options: { json: { splitStream: true } } }, { splitStream: true }],
  ["infoBufferSize as a quantity", { options: { json: { infoBufferSize: "2Ki" } } }, { infoBufferBytes: 2048 }],
  ["infoBufferSize in bytes", { options: { json: { infoBufferSize: 512 } } }, { infoBufferBytes: 512 }],
  ["vmodule", { vmodule: [{ filePattern: "pod*", verbosity: 4 }] }, { vmodule: ["pod*=4"] }],
  ["verbosity and flushFrequency", { verbosity: 3, flushFrequency: "1s" }, { verbosity: 3, flushMs: 1000 }],
])("%s", (_, logging, want) => {
  expect(logSettings(orchletConfigurationSchema.parse({ ...head, logging }))).toEqual({ ...defaults, ...want });
});
