const forms = {
  iqn: /^iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
} as const;

/** Errors of the name of an iSCSI initiator or target (RFC 3721 §1.1). */
export function iscsiNameErrors(name: string): readonly string[] {
  const kind = (["iqn", "eui", "naa"] as const).find((prefix) => name.startsWith(prefix));
  if (kind === undefined) return ["must be valid format starting with iqn, eui, or naa"];
  return forms[kind].test(name) ? [] : ["must be valid format"];
}
