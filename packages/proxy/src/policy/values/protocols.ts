/** The protocols with ports, by the name that the packet filter has for each. */
export const protocolNames = { TCP: "tcp", UDP: "udp", SCTP: "sctp" } as const;

/** A protocol that policies can name. */
export type PolicyProtocol = keyof typeof protocolNames;

/** Whether a text is the name of a protocol that policies know. */
export function isPolicyProtocol(text: string): text is PolicyProtocol {
  return Object.hasOwn(protocolNames, text);
}

/** All of them. */
export const policyProtocols: readonly PolicyProtocol[] = ["TCP", "UDP", "SCTP"];
