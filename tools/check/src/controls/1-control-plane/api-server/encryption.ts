import { type Control, judged, unknown } from "../../../control.ts";
import { areStrong } from "../../shared/cipher-suites.ts";
import { flagControl, flagsUnseen, isSet } from "../../shared/flag-control.ts";

const daemon = "orch-apiserver";

/** Controls of section 1.2 about encryption. */
export const encryption: readonly Control[] = [
  flagControl({
    number: "1.2.28",
    formerNumber: "1.2.29",
    title: "Encryption of the store is configured",
    daemon,
    flag: "encryption-provider-config",
    accept: isSet,
    remedy: "orch-apiserver --encryption-provider-config=FILE",
  }),
  {
    number: "1.2.29",
    formerNumber: "1.2.30",
    title: "Secrets are encrypted with a strong provider",
    remedy: "name secretbox, aescbc or kms as the first provider of secrets, then rewrite all secrets",
    judge({ daemons, encryption: configuration }) {
      const facts = daemons[daemon];
      if (facts === undefined) return flagsUnseen(daemon);
      if ((facts.flags.get("encryption-provider-config") ?? "") === "")
        return judged(false, "nothing is encrypted", facts.source);
      if (configuration === undefined) return unknown("the file of --encryption-provider-config cannot be read");
      const { value, source } = configuration;
      const entry = value.find(({ resources }) => resources.some((name) => ["secrets", "*.", "*.*"].includes(name)));
      const first = entry?.providers[0]?.type;
      const isStrong = first !== undefined && ["secretbox", "aescbc", "kms"].includes(first);
      return judged(isStrong, `secrets are written with provider ${first ?? "identity"}`, source);
    },
  },
  flagControl({
    number: "1.2.30",
    formerNumber: "1.2.31",
    title: "The API server offers strong cipher suites only",
    daemon,
    flag: "tls-cipher-suites",
    accept: (suites) => areStrong(suites.split(",").filter((suite) => suite !== "")),
    severity: "warn",
    remedy: "orch-apiserver --tls-cipher-suites=... with suites of ECDHE and GCM or ChaCha20-Poly1305",
  }),
];
