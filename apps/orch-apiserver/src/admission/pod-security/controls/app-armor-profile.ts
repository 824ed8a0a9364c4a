import { goQuote } from "@orchernetes/apimachinery";
import { type Control, type PodLike, plural } from "./control.ts";

const PREFIX = "container.apparmor.security.beta.orchernetes.io/";

const isAllowed = (profile: string): boolean =>
  profile === "" || profile === "runtime/default" || profile.startsWith("localhost/");

function check({ metadata }: PodLike) {
  const bad = Object.entries(metadata.annotations ?? {})
    .filter(([key, profile]) => key.startsWith(PREFIX) && !isAllowed(profile))
    .map(([key, profile]) => `${key}=${goQuote(profile)}`)
    .sort();
  if (bad.length === 0) return undefined;
  return {
    reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", bad.length),
    detail: bad.join(", "),
  };
}

/** AppArmor is not switched off. */
export const appArmorProfile: Control = { id: "appArmorProfile", level: "baseline", versions: [{ since: 0, check }] };
