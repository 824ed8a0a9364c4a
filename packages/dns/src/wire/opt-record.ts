import packet from "dns-packet";

/** Largest packet that this server sends and receives over UDP: it fits into one frame of every usual network (DNS Flag Day 2020). */
export const UDP_PAYLOAD_BYTES = 1232;

/** Bytes of an OPT record without options. */
export const OPT_BYTES = 11;

/** Writes an OPT record without options at an offset (RFC 6891, section 6.1). */
export function writeOpt(
  bytes: Buffer,
  offset: number,
  options: { readonly dnssecOk: boolean; readonly extendedRcode?: number },
): void {
  const { dnssecOk, extendedRcode = 0 } = options;
  packet.answer.encode(
    {
      type: "OPT",
      name: ".",
      udpPayloadSize: UDP_PAYLOAD_BYTES,
      extendedRcode,
      ednsVersion: 0,
      flags: dnssecOk ? packet.DNSSEC_OK : 0,
      flag_do: dnssecOk,
      options: [],
    },
    bytes,
    offset,
  );
}
