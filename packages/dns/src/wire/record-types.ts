/// <reference path="./dns-packet.d.ts" />
/// <reference path="./dns-packet-types.d.ts" />

import types from "dns-packet/types.js";

/** Numbers of record types whose handling differs from that of others. */
export const TYPE = { cname: 5, soa: 6, opt: 41, ixfr: 251, axfr: 252 } as const;

/** Number of the class of Internet records. */
export const CLASS_IN = 1;

/** The name of a record type, such as `A`; `UNKNOWN_65` for types that dns-packet does not know. */
export const typeName = (type: number): string => types.toString(type);

/** The number of a record type. */
export const typeNumber = (name: string): number => types.toType(name);
