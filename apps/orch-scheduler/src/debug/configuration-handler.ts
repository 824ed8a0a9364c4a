import { respond } from "@orchernetes/component";
import type { HttpHandler } from "@orchernetes/kernel";
import type { SchedulerConfiguration } from "../config/scheduler-configuration.ts";
import { configurationDocument } from "../config/write-configuration.ts";

/** Responds with the configuration in force, without the keys of extenders (`/configz`). */
export function configurationHandler(config: SchedulerConfiguration): HttpHandler {
  const extenders = config.extenders.map(({ tlsConfig, ...one }) => {
    const { keyData: _, ...shown } = tlsConfig ?? {};
    return tlsConfig === undefined ? one : { ...one, tlsConfig: shown };
  });
  const document = configurationDocument({ ...config, extenders } as SchedulerConfiguration);
  // As in the original, the name is not that of the API group.
  const body = JSON.stringify({ componentconfig: document });
  const headers = { "content-type": "application/json", "x-content-type-options": "nosniff" };
  return (request, response) => respond(request, response, 200, headers, body);
}
