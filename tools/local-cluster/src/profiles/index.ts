import { existsSync } from "node:fs";
import type { Layout } from "../layout.ts";
import type { Profile } from "../profile.ts";
import { isOfCluster } from "../purge.ts";
import { defaultProfile } from "./default.ts";
import { hardenedProfile } from "./hardened/index.ts";

/** The profiles by the name that `--profile` takes. */
const profiles: Readonly<Record<Profile["name"], Profile>> = { default: defaultProfile, hardened: hardenedProfile };

/**
 * The profile of a cluster: the one that is asked for, which must be the one that its folder was made with, because the other could
 * not read what it stores.
 *
 * @param asked value of `--profile`; undefined if it was not given
 * @throws Error when the folder was made with another profile
 */
export function profileOf(files: Layout, asked: Profile["name"] | undefined): Profile {
  const made = existsSync(files.profile("hardened")) ? "hardened" : isOfCluster(files) ? "default" : undefined;
  if (made === undefined) return profiles[asked ?? "default"];
  if (asked !== undefined && asked !== made)
    throw new Error(
      `--profile: found ${asked}, but ${JSON.stringify(files.dataDir)} was made with profile ${made}; want ${made}, another --data-dir, or "npm run down -- --purge" first`,
    );
  return profiles[made];
}
