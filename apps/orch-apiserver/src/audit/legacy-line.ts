import type { AuditEvent } from "@orchernetes/apiserver";

const q = (text: string): string => JSON.stringify(text);
/** RFC 3339 without trailing zeros of the fraction, as Go writes times (`RFC3339Nano`). */
const shortest = (time: string): string => time.replace(/\.?0+Z$/, "Z");
const list = (texts: readonly string[] | undefined): string => (texts ?? []).map(q).join(",");

/** `--audit-log-format=legacy`: formats an event as a line of text, in the words of upstream (`audit.EventString`). */
export function legacyLine({ fields }: AuditEvent): string {
  const { user, impersonatedUser, responseStatus, sourceIps, receivedAt } = fields;
  const groups = q(user === undefined || user.name === "" || user.groups.length === 0 ? "<none>" : list(user.groups));
  const asGroups = impersonatedUser === undefined ? q("<lookup>") : q(list(impersonatedUser.groups));
  const code = responseStatus?.code;
  return (
    `${shortest(receivedAt)} AUDIT: id=${q(fields.auditId)} stage=${q(fields.stage)} ip=${q(sourceIps[0] ?? "<unknown>")}` +
    ` method=${q(fields.verb)} user=${q(user?.name || "<none>")} groups=${groups}` +
    ` as=${q(impersonatedUser?.name ?? "<self>")} asgroups=${asGroups} user-agent=${q(fields.userAgent)}` +
    ` namespace=${q(fields.objectRef?.namespace || "<none>")} uri=${q(fields.requestUri)}` +
    ` response="${code ?? "<deferred>"}"`
  );
}
