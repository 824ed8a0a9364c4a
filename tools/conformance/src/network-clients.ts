import type { TarEntry } from "@orchernetes/cri/images";
import { programOfMachine } from "./programs.ts";

/** The programs with which specs try services and names, and the Debian packages that have them. */
const CLIENTS: Readonly<Record<string, string>> = {
  curl: "curl",
  dig: "bind9-dnsutils",
  getent: "libc-bin",
  nc: "netcat-openbsd",
  nslookup: "bind9-dnsutils",
  wget: "wget",
};

/**
 * The programs with which specs try services and names, with their libraries: those of busybox lack options that specs use, and a
 * statically linked one cannot find hosts by name.
 *
 * @throws Error that names the missing programs and their packages
 */
export async function networkClients(): Promise<readonly TarEntry[]> {
  const missing: string[] = [];
  const found = await Promise.all(
    Object.entries(CLIENTS).map(([name, debianPackage]) =>
      programOfMachine(name, `usr/bin/${name}`).catch((): readonly TarEntry[] => {
        missing.push(`${name} (Debian package ${debianPackage})`);
        return [];
      }),
    ),
  );
  if (missing.length > 0) throw new Error(`specs need programs that this machine does not have: ${missing.join(", ")}`);
  return found.flat();
}
