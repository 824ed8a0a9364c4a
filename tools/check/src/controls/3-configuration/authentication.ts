import { type Control, judged } from "../../control.ts";
import { flagControl, flagsUnseen, is } from "../shared/flag-control.ts";
import { nameOf, objectControl } from "../shared/object-control.ts";

const daemon = "orch-apiserver";
/**
 * Flags for ways in which users can authenticate with credentials that can be revoked. `--requestheader-client-ca-file` is not one of them:
 * clusters set it for extension API servers.
 */
const WAYS = ["oidc-issuer-url", "authentication-token-webhook-config-file"];

/** Section 3.1: how users authenticate themselves. */
export const authentication: readonly Control[] = [
  {
    number: "3.1.1",
    title: "Users need no client certificates, which cannot be revoked",
    severity: "warn",
    remedy: "orch-apiserver --oidc-issuer-url=URL --oidc-client-id=ID, or another service that knows the users",
    judge({ daemons }) {
      const facts = daemons[daemon];
      if (facts === undefined) return flagsUnseen(daemon);
      const set = WAYS.filter((flag) => (facts.flags.get(flag) ?? "") !== "");
      const found =
        set.length === 0 ? `none of ${WAYS.map((flag) => `--${flag}`).join(", ")} is set` : `--${set.join(", --")}`;
      return judged(set.length > 0, found, facts.source);
    },
  },
  objectControl({
    number: "3.1.2",
    title: "Users have no service account tokens that never expire",
    severity: "warn",
    what: "secrets with such tokens",
    none: "there are no secrets of type service-account-token",
    remedy: "delete the secrets, and use `kubectl create token` or an account of the user's own",
    offenders: ({ tokenSecrets }) => tokenSecrets.map(nameOf),
  }),
  flagControl({
    number: "3.1.3",
    title: "Bootstrap tokens authenticate nobody",
    daemon,
    flag: "enable-bootstrap-token-auth",
    absent: "false",
    accept: is("false"),
    severity: "warn",
    remedy: "orch-apiserver: remove --enable-bootstrap-token-auth once all nodes have joined",
  }),
];
