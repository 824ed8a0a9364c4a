import { type Control, notApplicable } from "../../../control.ts";
import { flagControl, flagsSetControl, is, isSet } from "../../shared/flag-control.ts";

const daemon = "orch-apiserver";

/** Makes a control not applicable if the store is embedded, because there is no connection to secure then. */
function withEtcd(control: Control): Control {
  return {
    ...control,
    judge(evidence) {
      const flags = evidence.daemons[daemon]?.flags;
      return flags?.get("storage-backend") === "embedded"
        ? notApplicable("the store is embedded in the API server: there is no connection to it")
        : control.judge(evidence);
    },
  };
}

/** Controls of section 1.2 about tokens and certificates. */
export const credentials: readonly Control[] = [
  flagControl({
    number: "1.2.22",
    formerNumber: "1.2.23",
    title: "Tokens of deleted service accounts are refused",
    daemon,
    flag: "service-account-lookup",
    absent: "true",
    accept: is("true"),
    remedy: "orch-apiserver --service-account-lookup=true",
  }),
  flagControl({
    number: "1.2.23",
    formerNumber: "1.2.24",
    title: "Tokens of service accounts are verified with a key of their own",
    daemon,
    flag: "service-account-key-file",
    accept: isSet,
    remedy: "orch-apiserver --service-account-key-file=FILE",
  }),
  withEtcd(
    flagsSetControl({
      number: "1.2.24",
      formerNumber: "1.2.25",
      title: "The API server authenticates itself at etcd",
      daemon,
      flags: ["etcd-certfile", "etcd-keyfile"],
      remedy: "orch-apiserver --etcd-certfile=FILE --etcd-keyfile=FILE",
    }),
  ),
  flagsSetControl({
    number: "1.2.25",
    formerNumber: "1.2.26",
    title: "The API server has a serving certificate",
    daemon,
    flags: ["tls-cert-file", "tls-private-key-file"],
    remedy: "orch-apiserver --tls-cert-file=FILE --tls-private-key-file=FILE",
  }),
  flagControl({
    number: "1.2.26",
    formerNumber: "1.2.27",
    title: "Client certificates are verified",
    daemon,
    flag: "client-ca-file",
    accept: isSet,
    remedy: "orch-apiserver --client-ca-file=FILE",
  }),
  withEtcd(
    flagControl({
      number: "1.2.27",
      formerNumber: "1.2.28",
      title: "The API server verifies etcd's certificate",
      daemon,
      flag: "etcd-cafile",
      accept: isSet,
      remedy: "orch-apiserver --etcd-cafile=FILE",
    }),
  ),
];
