import { keepUtilChains } from "../network/iptables-util-chains.ts";
import { ownsHost } from "../util/paths.ts";
import type { AgentHost } from "./agent-host.ts";

/**
 * Maintains the iptables chains that other components rely on (`makeIPTablesUtilChains`), until the agent stops. Only an agent that
 * does not share its host does so.
 */
export async function keepNetwork({ config, clock, logger, signal }: AgentHost): Promise<void> {
  const { makeIPTablesUtilChains, iptablesMasqueradeBit: masqueradeBit, iptablesDropBit: dropBit } = config.settings;
  if (!makeIPTablesUtilChains || !ownsHost(config.rootDir)) return;
  const withoutMarks = config.featureEnabled("IPTablesOwnershipCleanup");
  await keepUtilChains({ masqueradeBit, dropBit, withoutMarks, logger }, clock, signal);
}
