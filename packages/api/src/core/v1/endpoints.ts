import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { age, column, name, orNone } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/verbs.ts";
import { Endpoints } from "./types/endpoints.ts";
import { validateEndpoints } from "./validation/endpoints.ts";

const shownEndpoints = 3;

function applyDefaults({ subsets }: Draft<Endpoints>): void {
  for (const { ports } of subsets ?? []) {
    for (const port of ports ?? []) {
      port.protocol ||= "TCP";
    }
  }
}

function summary({ subsets = [] }: Endpoints): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  const more = all.length - shownEndpoints;
  return orNone(all.slice(0, shownEndpoints).join(",") + (more > 0 ? ` + ${more} more...` : ""));
}

/** `v1` endpoints: the addresses behind a service. */
export const endpoints = defineResource<Endpoints>({
  group: "",
  version: "v1",
  kind: "Endpoints",
  plural: "endpoints",
  singular: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Endpoints,
  listKind: "EndpointsList",
  storagePrefix: "/registry/services/endpoints",
  applyDefaults,
  strategy: { validate: validateEndpoints, validateUpdate: validateEndpoints, allowCreateOnUpdate: true },
  columns: [name(), column("Endpoints", "string", "First addresses with their ports.", summary), age()],
});
