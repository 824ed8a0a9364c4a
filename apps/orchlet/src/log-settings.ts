import { quantityOf } from "@orchernetes/apimachinery";
import type { LogSettings } from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";

/** Settings of the log, from the `logging` of the configuration. */
export function logSettings({ logging }: Pick<OrchletConfiguration, "logging">): LogSettings {
  const { format, options, flushFrequency, verbosity, vmodule } = logging;
  return {
    format,
    verbosity,
    vmodule: vmodule.map(({ filePattern, verbosity: level }) => `${filePattern}=${level}`),
    flushMs: flushFrequency,
    splitStream: options.json.splitStream,
    infoBufferBytes: quantityOf(options.json.infoBufferSize).value(),
  };
}
