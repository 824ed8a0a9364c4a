import { leaveConnection } from "../http/leave-connection.ts";
import type { HttpFilter } from "./http-filter.ts";

/**
 * Sends a share of the clients away after their request, so that they spread over several servers behind a load balancer.
 * What runs on the connection, watches included, is not cut.
 *
 * @param chance 0 to 1
 * @param random numbers from 0 to below 1
 */
export function goaway(chance: number, random: () => number = Math.random): HttpFilter {
  return (req, res) => {
    if (random() < chance) leaveConnection(req, res);
    return false;
  };
}
