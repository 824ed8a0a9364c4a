/** How much of a request is recorded; each level includes the ones before it. */
export type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

const order: readonly AuditLevel[] = ["None", "Metadata", "Request", "RequestResponse"];

/** Whether events of a level include what events of `other` have. */
export const includesLevel = (level: AuditLevel, other: AuditLevel): boolean =>
  order.indexOf(level) >= order.indexOf(other);
