import { BlockList, isIP } from "node:net";
import type { OrchletConfiguration } from "@orchernetes/config";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

/** The flags whose defaults together allow everyone access. */
const opening = ["anonymous-auth", "authorization-mode"] as const;

/**
 * Without a configuration file, the defaults of the flags allow anonymous requests everything, such as running commands in every pod.
 * On an address that other hosts can reach, this must be requested explicitly.
 *
 * @returns the error; undefined if the server is not open, or explicitly so
 */
export function openServerError(
  settings: Pick<OrchletConfiguration, "enableServer" | "address" | "port" | "authentication" | "authorization">,
  given: { readonly hasFile: boolean; readonly explicit: ReadonlySet<string> },
): string | undefined {
  const { address, port, authentication, authorization } = settings;
  const isOpen = authentication.anonymous.enabled && authorization.mode === "AlwaysAllow";
  if (given.hasFile || !settings.enableServer || !isOpen || isLoopback(address)) return undefined;
  const unsaid = opening.filter((flag) => !given.explicit.has(flag)).map((flag) => `--${flag}`);
  if (unsaid.length === 0) return undefined;
  return (
    `${unsaid.join(", ")}: not given, and by default everyone who reaches ${address}:${port} may run commands in every pod; ` +
    "want --config, --authorization-mode=Webhook with --anonymous-auth=false, or --address=127.0.0.1 " +
    "(to let everyone in, give both --anonymous-auth=true and --authorization-mode=AlwaysAllow)"
  );
}
