import { isIP } from "node:net";
import { z } from "zod";

/** Whether a text is a CIDR such as `10.0.0.0/8` or `fd00::/48`. */
export function isCidr(text: string): boolean {
  const [, address = "", bits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

const familyOf = (cidr: string): number => isIP(cidr.split("/", 1)[0] ?? "");

/** A schema for a CIDR. */
export const cidr = () => z.string().refine(isCidr, "want a CIDR such as 10.0.0.0/8 or fd00::/48");

/** A schema for a CIDR, or a comma-separated CIDR of each IP family, or nothing. */
export const dualStackCidrs = () =>
  z.string().refine((text) => {
    if (text === "") return true;
    const parts = text.split(",");
    return parts.length <= 2 && parts.every(isCidr) && new Set(parts.map(familyOf)).size === parts.length;
  }, "want a CIDR, or one of each IP family such as 10.100.0.0/16,fde4:8dba:82e1::/48");

/** A schema for a range of ports: `min-max`, `min+count` or one port, or nothing. */
export const portRange = () =>
  z.string().refine((text) => {
    const [, low, high, count] = /^\s*(\d{1,5})(?:-(\d{1,5})|\+(\d{1,5}))?\s*$/.exec(text) ?? [];
    if (text.trim() === "") return true;
    if (low === undefined) return false;
    const first = Number(low);
    const last = high !== undefined ? Number(high) : first + Number(count ?? 0);
    return first <= last && last <= 65535;
  }, "want a port range such as 300-2000");
