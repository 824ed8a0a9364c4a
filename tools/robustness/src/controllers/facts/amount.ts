/**
 * Resolves a limit that is a number or a percentage of a total, such as `maxSurge`. Written apart from the controllers' own code, so
 * that an error there is not repeated in what checks them.
 *
 * @param round how a percentage is rounded: `maxSurge` up, `maxUnavailable` of Deployments down and of DaemonSets up
 */
export function amountOf(value: number | string, total: number, round: "up" | "down"): number {
  if (typeof value === "number") return value;
  const share = (Number.parseInt(value, 10) * total) / 100;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}
