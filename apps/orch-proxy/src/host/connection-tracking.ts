import { isIP } from "node:net";
import type { StaleFlows } from "@orchernetes/proxy";
import { runProgram } from "./run-program.ts";

/** How long the deletion of entries may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** A line for each family that the entries may have. */
function lines({ address, port, endpoint }: StaleFlows): readonly string[] {
  const families =
    address === undefined && endpoint === undefined ? ["ipv4", "ipv6"] : [familyOf(address ?? endpoint?.address)];
  return families.map((family) =>
    [
      `-D -f ${family} -p udp --orig-port-dst ${port}`,
      ...(address === undefined ? [] : [`--orig-dst ${address}`]),
      ...(endpoint === undefined ? [] : [`--dst-nat ${endpoint.address}`]),
    ].join(" "),
  );
}

const familyOf = (address = ""): string => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** The commands, one a line, that delete entries of connection tracking. */
export const deletions = (flows: readonly StaleFlows[]): string =>
  [...new Set(flows.flatMap(lines))].map((line) => `${line}\n`).join("");

/**
 * Deletes entries of the kernel's connection tracking; that there are none is no error.
 *
 * @param prefix what runs `conntrack`, for tests
 * @throws ProgramError when the program `conntrack` is missing or fails
 */
export async function deleteFlows(flows: readonly StaleFlows[], prefix: readonly string[] = []): Promise<void> {
  if (flows.length === 0) return;
  const [program = "conntrack", ...args] = [...prefix, "conntrack", "--load-file", "-"];
  await runProgram([program, ...args], { input: deletions(flows), timeoutMs: TIMEOUT_MS });
}
