import type { ApiObject, Column } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import type { FlowSchema, PriorityLevelConfiguration } from "./types.ts";

/** Columns of flow schemas in any version; `full` converts an object to the stored form. */
export function flowSchemaColumns<T extends ApiObject>(full: (object: T) => FlowSchema): Column<T>[] {
  return [
    name(),
    column(
      "PriorityLevel",
      "string",
      "Level that matching requests go to.",
      (object) => full(object).spec.priorityLevelConfiguration.name,
    ),
    column(
      "MatchingPrecedence",
      "string",
      "Place in the order of matching, lowest first.",
      (object) => full(object).spec.matchingPrecedence,
    ),
    column(
      "DistinguisherMethod",
      "string",
      "What sets flows apart.",
      (object) => full(object).spec.distinguisherMethod?.type ?? "<none>",
    ),
    age(),
    column(
      "MissingPL",
      "string",
      "Whether the level does not exist.",
      (object) => (full(object).status.conditions ?? []).find(({ type }) => type === "Dangling")?.status ?? "?",
    ),
  ];
}

/** Columns of priority levels in any version; `full` converts an object to the stored form. */
export function priorityLevelColumns<T extends ApiObject>(
  full: (object: T) => PriorityLevelConfiguration,
): Column<T>[] {
  const limited = (object: T) => full(object).spec.limited;
  const queuing = (object: T) => limited(object)?.limitResponse.queuing;
  return [
    name(),
    column("Type", "string", "Whether requests are limited.", (object) => full(object).spec.type),
    column(
      "NominalConcurrencyShares",
      "string",
      "Share of the server's concurrency.",
      (object) => limited(object)?.nominalConcurrencyShares ?? "<none>",
    ),
    column("Queues", "string", "Number of queues.", (object) => queuing(object)?.queues ?? "<none>"),
    column("HandSize", "string", "Queues a flow may use.", (object) => queuing(object)?.handSize ?? "<none>"),
    column(
      "QueueLengthLimit",
      "string",
      "Requests a queue may hold.",
      (object) => queuing(object)?.queueLengthLimit ?? "<none>",
    ),
    age(),
  ];
}
